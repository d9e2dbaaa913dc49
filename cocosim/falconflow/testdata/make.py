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


def nack(code=1, rnr=9, w=1, ulp=0x77):
    return ack_head(8, 0x54321) + words(6021, code << 24 | rnr << 16 | w << 15 | ulp)


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


def ipv4(payload, proto=17, src=1, dst=2, net=0):
    h = struct.pack(">BBHHHBBH4s4s", 0x45, 0, 20 + len(payload), 7, 0x4000, 64, proto, 0,
                    bytes([10, 0, net, src]), bytes([10, 0, net, dst]))
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


def capture(name, frames, times=None):
    with open(os.path.join(HERE, name + ".pcap"), "wb") as f:
        f.write(struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 1))
        for n, frame in enumerate(frames):
            now = times[n] if times else n
            f.write(struct.pack("<IIII", 1700000000, now, min(len(frame), frame_cap), len(frame)) + frame[:frame_cap])


frame_cap = 65535
capture("good", [
    over(pull_request(ar=1), iv=1), over(pull_data(proto=3), iv=2), over(push_data(psn=1001, rsn=2001), iv=3),
    over(resync(psn=1001, rsn=2001), iv=4),
    over(back(), iv=5), over(eack(), iv=6), over(nack(), iv=7),
    over(push_data(psn=1002, rsn=2002), key=KEY256, spi=SPI256, iv=8, cookie=0xC00C1E),
    ether(ipv6(udp(psp(pull_data(), iv=9))), vlan=True),
    ether(ipv4(udp(psp(ipv4(push_data(psn=1003, rsn=2003), proto=252), iv=10, offset=6, nxt=4)))),
    over(push_data(), spi=UNKNOWN, iv=11), over(b"\0" * 40, nxt=6, iv=12),
])
capture("wrong", [
    over(push_data(), iv=1, flip=60), over(push_data(length=11), iv=2), over(pull_data(version=2), iv=3),
    over(base(12), iv=4), over(pull_data(reserved=8, psn=1001, rsn=2001), iv=5), over(nack(code=3), iv=6),
    over(resync(typ=9, psn=1002, rsn=2002), iv=7),
    over(eack(ack=(4, 0)), iv=8), over(back() + b"\0\0\0\0", iv=9), over(pull_data(proto=1, psn=1003, rsn=2003), iv=10),
    over(push_data(psn=1004, rsn=2004), iv=11, offset=2), over(push_data(), iv=12, ext=2),
    ether(ipv4(udp(b"\xfc\1\1\1" + b"\0" * 20))),
    ether(ipv4(udp(psp(push_data(), iv=13), more=4))), over(eack()[:68], iv=14),
])
capture("wide", [over(back(rue=1 << 21), iv=1), over(back(rue=1 << 22), iv=2)])
capture("clear", [
    ether(ipv4(udp(push_data(), port=7777))), ether(ipv4(udp(back(rue=1 << 21), port=7777))),
    ether(ipv4(udp(nack(code=5), port=7777, checksum=True))),
])
ESP = struct.pack(">II", 0x1234, 1) + b"sealed" * 8
capture("esp", [
    ether(ipv4(ESP, proto=50)), ether(ipv6(ESP, proto=50), vlan=True), ether(ipv4(udp(ESP, port=4500))),
    ether(ipv4(udp(b"\0\0\0\0" + ESP, port=4500))), ether(ipv4(udp(b"\xff", port=4500))), over(push_data()),
])
frame_cap = 90
capture("cut", [over(push_data(payload=b"x" * 200), iv=1), ether(ipv4(udp(push_data(payload=b"x" * 200), port=7777)))])


# A conversation: host 1 pushes and pulls, host 2 answers. One push is lost behind the capture point, one refused with
# RNR. Each step: who sends, the type, and its fields; the bases are of what the other sends.
TALK = [
    (1, "push", dict(psn=100, rsn=500, db=900, rb=300)), (1, "push", dict(psn=101, rsn=501, db=900, rb=300)),
    (1, "push", dict(psn=102, rsn=502, db=900, rb=300)), (1, "push", dict(psn=103, rsn=503, db=900, rb=300)),
    (2, "back", dict(db=102, rb=200)), (1, "pull", dict(psn=200, rsn=504, db=900, rb=300)),
    (1, "push", dict(psn=104, rsn=505, db=900, rb=300)), (1, "push", dict(psn=105, rsn=506, db=900, rb=300)),
    (2, "eack", dict(db=104, rb=201, ack=2, rx=2, req=0)), (1, "push", dict(psn=104, rsn=505, db=900, rb=300)),
    (2, "data", dict(psn=900, rsn=504, db=106, rb=201)), (1, "back", dict(db=901, rb=300)),
    (1, "push", dict(psn=106, rsn=507, db=901, rb=300)), (2, "nack", dict(psn=106, db=106, rb=201)),
    (1, "push", dict(psn=106, rsn=507, db=901, rb=300, wait=2)), (2, "back", dict(db=107, rb=201)),
    (1, "pull", dict(psn=201, rsn=508, db=901, rb=300)), (2, "data", dict(psn=901, rsn=508, db=107, rb=202)),
    (1, "back", dict(db=902, rb=300)),
]

# What is made wrong: the step (from 1) and the fields that differ.
WRONG = [
    (5, dict(db=110)), (9, dict(rb=205)), (16, dict(db=100)), (9, dict(rx=1 << 20 | 2)), (9, dict(req=1 << 3)),
    (9, dict(ack=3, rx=3)), (9, dict(ack=0, rx=0)), (5, dict(own=1)), (14, dict(psn=140)), (8, dict(psn=305)),
    (8, dict(psn=107)), (10, dict(psn=100, rsn=500)), (10, dict(payload=b"9876543210")), (10, dict(rsn=600)),
    (11, dict(rsn=700)), (18, dict(rsn=504)), (17, dict(rsn=504)),
]


# As host 2 sees it: what comes has gaps, one packet lies beyond the window, one is refused for resources and then
# by the ULP (CIE), and host 1 answers a pull.
AT_RECEIVER = [
    (1, "push", dict(psn=100, rsn=500)), (1, "push", dict(psn=102, rsn=502)), (1, "push", dict(psn=103, rsn=503)),
    (2, "eack", dict(db=100, rb=200, rx=13)), (2, "eack", dict(db=101, rb=200, ack=6, rx=6)),
    (2, "eack", dict(db=101, rb=200, ack=6, rx=6)), (1, "push", dict(psn=101, rsn=501)),
    (2, "back", dict(db=104, rb=200)), (1, "pull", dict(psn=200, rsn=504)), (1, "pull", dict(psn=202, rsn=506)),
    (2, "eack", dict(db=104, rb=201, req=2)), (1, "pull", dict(psn=201, rsn=505)),
    (2, "data", dict(psn=900, rsn=504, db=104, rb=203)), (1, "push", dict(psn=232, rsn=635, db=901)),
    (2, "eack", dict(db=104, rb=203, own=2)), (2, "back", dict(db=104, rb=203)),
    (1, "push", dict(psn=104, rsn=507, db=901)), (2, "nack", dict(psn=104, code=1, db=104, rb=203)),
    (2, "back", dict(db=104, rb=203)), (1, "push", dict(psn=104, rsn=507, db=901)),
    (2, "nack", dict(psn=104, code=6, db=104, rb=203)), (2, "back", dict(db=104, rb=203)),
    (1, "resync", dict(psn=104, rsn=507, db=901)), (2, "back", dict(db=105, rb=203)),
    (2, "pull", dict(psn=300, rsn=700, db=105, rb=203)), (1, "data", dict(psn=106, rsn=700, db=901, rb=301)),
    (2, "eack", dict(db=105, rb=203, ack=2, rx=2)), (1, "push", dict(psn=105, rsn=508, db=901, rb=301)),
    (2, "back", dict(db=107, rb=203)),
]
WRONG_AT_RECEIVER = [
    (5, dict(kind="back", db=104)), (4, dict(rx=11)), (5, dict(ack=4, rx=4)), (6, dict(ack=4)), (6, dict(kind="back")),
    (8, dict(db=102)), (11, dict(own=2)), (16, dict(kind="eack", own=2)), (27, dict(ack=0)), (18, dict(psn=103)),
    (18, dict(psn=203, code=2, w=1)), (18, dict(psn=105)), (19, dict(kind="nack", psn=104, code=1)), (19, dict(db=105)),
    (22, dict(db=105)), (27, dict(kind="nack", psn=106, code=2)), (13, dict(rsn=505, rb=201)),
    (13, dict(payload=b"0123456789ab")), (13, dict(payload=b"0123")),
]

# As host 1 sees it: what it sends is called for again by an EACK, refused with RNR, and with CIE.
AT_SENDER = [
    (1, "push", dict(psn=100, rsn=500)), (1, "push", dict(psn=101, rsn=501)), (1, "push", dict(psn=102, rsn=502)),
    (1, "pull", dict(psn=200, rsn=503)), (2, "eack", dict(db=100, rb=201, ack=4, rx=6)),
    (1, "push", dict(psn=100, rsn=500)), (2, "nack", dict(psn=101, rnr=15, db=101, rb=201)),
    (1, "push", dict(psn=103, rsn=504)), (2, "nack", dict(psn=103, code=6, db=101, rb=201)),
    (1, "resync", dict(psn=103, rsn=504)), (1, "resync", dict(psn=103, rsn=504)),
    (2, "eack", dict(db=101, rb=201, ack=6, rx=7)), (1, "push", dict(psn=101, rsn=501, wait=20)),
    (2, "back", dict(db=104, rb=201)), (1, "pull", dict(psn=201, rsn=505)), (1, "push", dict(psn=104, rsn=506)),
    (1, "push", dict(psn=105, rsn=507)), (2, "data", dict(psn=900, rsn=503, db=106, rb=202)),
]
WRONG_AT_SENDER = [
    (13, dict(psn=102, rsn=502)), (8, dict(psn=101, rsn=501)), (2, dict(psn=100, rsn=500, wait=-.8)),
    (10, dict(code=6)), (11, dict(kind="push")), (11, dict(code=2)), (10, dict(typ=3)),
    (8, dict(kind="resync", code=4)), (17, dict(rsn=499)), (16, dict(rsn=505)), (16, dict(rsn=507)),
    (17, dict(rsn=506)),
]

# A window that fills: 128 packets, and one more behind an ACK.
FULL = [(1, "push", dict(psn=n, rsn=n + 400)) for n in range(100, 228)] + [
    (2, "back", dict(db=101, rb=200)), (1, "push", dict(psn=228, rsn=628)), (1, "push", dict(psn=101, rsn=501)),
    (2, "back", dict(db=229, rb=200)),
]
WRONG_FULL = [(129, dict(db=100)), (131, dict(psn=100, rsn=500))]


def said(kind, psn=0, rsn=0, db=900, rb=300, ack=0, rx=0, req=0, own=0, payload=b"0123456789", cid=0, code=None, rnr=9,
         w=0, typ=5):
    number = {"pull": 0, "data": 3, "push": 5, "resync": 6, "nack": 8, "back": 9, "eack": 10}[kind]
    head = words(1 << 28 | cid, 0x010203 << 8 | 2 << 5 | number << 1 if number < 8 else number << 1, db, rb)
    if number < 8:
        head += words(psn, rsn)
        if kind == "resync":
            return head + words((code or 1) << 24 | typ << 20, 0)
        return head + {0: words(10, 0), 3: b"", 5: words(len(payload))}[number] + (b"" if kind == "pull" else payload)
    head += words(111, 222, 3 << 28 | 17 << 23, own)
    if kind == "nack":
        return head + words(psn, (code or 2) << 24 | rnr << 16 | w << 15)
    return head + (struct.pack(">5Q", 0, ack, 0, rx, req) if kind == "eack" else b"")


STEP = 100  # us from packet to packet


def talk(steps, net, at=0, change=None):
    now = 0
    for n, (host, kind, fields) in enumerate(steps):
        fields = dict(fields, **(change if n + 1 == at else {}))
        kind = fields.pop("kind", kind)
        now += STEP + int(STEP * fields.pop("wait", 0))
        packet = said(kind, cid=0xB0 if host == 1 else 0xA0, **fields)
        yield now, ether(ipv4(udp(psp(packet, iv=net << 8 | n)), src=host, dst=3 - host, net=net))


def talks(name, steps, wrong):
    now, frame = zip(*talk(steps, 0))
    capture(name, frame, now)
    now, frame = zip(*[x for i, (at, change) in enumerate(wrong) for x in talk(steps, i + 1, at, change)])
    capture(name + "wrong", frame, now)


frame_cap = 65535
talks("talk", TALK, WRONG)
talks("receiver", AT_RECEIVER, WRONG_AT_RECEIVER)
talks("sender", AT_SENDER, WRONG_AT_SENDER)
talks("full", FULL, WRONG_FULL)
