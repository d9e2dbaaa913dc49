"""Writes the captures beside it: Falcon packets of an encoder that shares no code with the project's.

    python3 make.py        needs the package cryptography

The test beside has what must be found in each packet.
"""
import os
import struct
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

HERE = os.path.dirname(os.path.abspath(__file__))
KEY128 = bytes(range(16))
KEY256 = bytes(range(100, 132))
SPI128, SPI256, UNKNOWN = 0x11, 0x80000022, 0x33
CID = 0xABCDEF


def words(*w):
    return struct.pack(">%dI" % len(w), *w)


def base(typ, proto=2, ar=0, psn=1000, rsn=2000, cid=CID, version=1, reserved=0):
    return words(version << 28 | reserved << 24 | cid, 0x010203 << 8 | proto << 5 | typ << 1 | ar, 5000, 6000, psn, rsn)


def pull_request(length=4096, **k):
    return base(0, **k) + words(length, 0) + b"ulp header"


def pull_data(payload=b"0123456789", **k):
    return base(3, **k) + payload


def push_data(payload=b"0123456789", length=None, **k):
    return base(5, **k) + words(len(payload) if length is None else length) + payload


def resync(code=3, typ=5, **k):
    return base(6, **k) + words(code << 24 | typ << 20, 0xFEEDF00D)


def ack_head(typ, w7, hops=3, level=17, ecn=4660):
    return words(1 << 28 | CID, typ << 1, 5000, 6000, 111, 222, hops << 28 | level << 23 | ecn << 9, w7)


def back(rue=0x12345, own=0):
    return ack_head(9, rue << 2 | own)


def eack(ack=(0, 0b0110), rx=(1 << 63, 0b1110), req=0b1000, own=2):
    return ack_head(10, own) + struct.pack(">5Q", ack[0], ack[1], rx[0], rx[1], req)


def nack(code=2, rnr=9, w=1, ulp=0x77):
    return ack_head(8, 0x54321) + words(4321, code << 24 | rnr << 16 | w << 15 | ulp)


def psp(packet, key=KEY128, spi=SPI128, iv=1, cookie=None, offset=None, nxt=252, flip=None, ext=None):
    version = 0 if len(key) == 16 else 1
    vc = b"" if cookie is None else struct.pack(">Q", cookie)
    if offset is None:
        offset = (4 + len(vc)) // 4
    flags = version << 2 | (2 if vc else 0) | 1
    head = bytes([nxt, ext or 1 + len(vc) // 8, offset, flags]) + struct.pack(">IQ", spi, iv) + vc
    whole = head + packet
    clear = 16 + 4 * offset
    sealed = whole[:clear] + AESGCM(key).encrypt(struct.pack(">IQ", spi, iv), whole[clear:], whole[:clear])
    if flip is not None:
        sealed = sealed[:flip] + bytes([sealed[flip] ^ 1]) + sealed[flip + 1:]
    return sealed


def csum(b):
    b += b"\0" * (len(b) % 2)
    s = sum(struct.unpack(">%dH" % (len(b) // 2), b))
    while s >> 16:
        s = (s & 0xFFFF) + (s >> 16)
    return 0xFFFF - s


def ipv4(payload, proto=17, src=1, dst=2):
    h = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 7, 0x4000, 64, proto, 0,
                    bytes([10, 0, 0, src]), bytes([10, 0, 0, dst]))
    return h[:10] + struct.pack(">H", csum(h)) + h[12:] + payload


def ipv6(payload, proto=17):
    a = bytes([0x20, 1, 0x0D, 0xB8] + 11 * [0])
    return struct.pack(">IHBB", 6 << 28, len(payload), proto, 64) + a + b"\1" + a + b"\2" + payload


def udp(payload, port=1000, checksum=False, more=0):
    n = 8 + len(payload)
    c = 0
    if checksum:
        pseudo = bytes([10, 0, 0, 1, 10, 0, 0, 2, 0, 17]) + struct.pack(">H", n)
        c = csum(pseudo + struct.pack(">HHHH", 49152, port, n, 0) + payload)
    return struct.pack(">HHHH", 49152, port, n + more, c) + payload


def ether(ip, vlan=False):
    t = b"\x86\xdd" if ip[0] >> 4 == 6 else b"\x08\x00"
    return bytes([2, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 1]) + (b"\x81\x00\x00\x05" if vlan else b"") + t + ip


def over(packet, **k):
    return ether(ipv4(udp(psp(packet, **k))))


def capture(name, frames):
    with open(os.path.join(HERE, name + ".pcap"), "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for n, frame in enumerate(frames):
            f.write(struct.pack("<IIII", 1700000000, n, min(len(frame), frame_cap), len(frame)) + frame[:frame_cap])


frame_cap = 65535
capture("good", [
    over(pull_request(ar=1), iv=1), over(pull_data(proto=3), iv=2), over(push_data(), iv=3), over(resync(), iv=4),
    over(back(), iv=5), over(eack(), iv=6), over(nack(), iv=7),
    over(push_data(), key=KEY256, spi=SPI256, iv=8, cookie=0xC00C1E),
    ether(ipv6(udp(psp(pull_data(), iv=9))), vlan=True),
    ether(ipv4(udp(psp(ipv4(push_data(), proto=252), iv=10, offset=6, nxt=4)))),
    over(push_data(), spi=UNKNOWN, iv=11), over(b"\0" * 40, nxt=6, iv=12),
])
capture("wrong", [
    over(push_data(), iv=1, flip=60), over(push_data(length=11), iv=2), over(pull_data(version=2), iv=3),
    over(base(12), iv=4), over(pull_data(reserved=8), iv=5), over(nack(code=3), iv=6), over(resync(typ=9), iv=7),
    over(eack(ack=(4, 0)), iv=8), over(back() + b"\0\0\0\0", iv=9), over(pull_data(proto=1), iv=10),
    over(push_data(), iv=11, offset=2), over(push_data(), iv=12, ext=2), ether(ipv4(udp(b"\xfc\1\1\1" + b"\0" * 20))),
    ether(ipv4(udp(psp(push_data(), iv=13), more=4))), over(eack()[:68], iv=14),
])
capture("wide", [over(back(rue=1 << 21), iv=1), over(back(rue=1 << 22), iv=2)])
capture("clear", [
    ether(ipv4(udp(push_data(), port=7777))), ether(ipv4(udp(back(rue=1 << 21), port=7777))),
    ether(ipv4(udp(nack(code=5), port=7777, checksum=True))),
])
frame_cap = 90
capture("cut", [over(push_data(payload=b"x" * 200), iv=1), ether(ipv4(udp(push_data(payload=b"x" * 200), port=7777)))])
