#!/usr/bin/python3
"""How many RoCEv2 packets with an ICRC scapy builds in a second; `vecgen` is measured beside it.

    bench_scapy.py                    packets as in the scenario minimum, over IPv4, the one that scapy's ICRC knows
    bench_scapy.py STIMULUS.pcapng    the IPv4 packets of a vector set, field by field. Those with a good
                                      ICRC must come out as they stand there: the others count as different

Prints `packets_per_second N` (wall clock), and with a file `packets N, skipped N, different N`.
"""
import logging
import random
import sys
import time

logging.getLogger("scapy").setLevel(logging.ERROR)  # it warns of every comment without a line break

from scapy.contrib.roce import BTH
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import RawPcapNgReader

SECONDS = 3
ROCE = 4791

# Opcode of RC and the bytes of extension headers that follow its BTH.
MINIMUM = ((0x04, 0), (0x0A, 16), (0x0C, 16), (0x11, 4), (0x12, 12), (0x13, 28))


def build(f, body):
    """The frame of a dict of fields; what is not given scapy works out, the ICRC in any case."""
    return bytes(Ether(**f["eth"]) / IP(**f["ip"]) / UDP(**f["udp"]) / BTH(**f["bth"]) / Raw(body))


def minimum(rng):
    """Fields and body of a smallest packet."""
    opcode, extension = rng.choice(MINIMUM)
    return {
        "eth": {"dst": "02:00:00:00:00:0b", "src": "02:00:00:00:00:0a"},
        "ip": {"src": "10.1.0.1", "dst": "10.1.0.2", "tos": rng.getrandbits(8), "id": rng.getrandbits(16)},
        "udp": {"sport": rng.getrandbits(14) | 0xC000, "dport": ROCE, "chksum": 0},
        "bth": {"opcode": opcode, "dqpn": rng.getrandbits(24), "psn": rng.getrandbits(24)},
    }, rng.randbytes(extension)


def take_apart(frame):
    """Fields and body of a well-formed, untagged RoCEv2 frame over IPv4 without options; else None."""
    if frame[12:15] != b"\x08\x00\x45" or len(frame) < 58 or frame[23] != 17 or frame[36:38] != ROCE.to_bytes(2, "big"):
        return None
    p = Ether(frame[:54])
    ip, bth = p[IP], frame[42:54]
    return {
        "eth": {"dst": p.dst, "src": p.src},
        "ip": {k: getattr(ip, k) for k in ("src", "dst", "tos", "id", "flags", "ttl")},
        "udp": {"sport": int.from_bytes(frame[34:36], "big"), "dport": ROCE,
                "chksum": int.from_bytes(frame[40:42], "big")},
        "bth": {
            "opcode": bth[0], "solicited": bth[1] >> 7, "migreq": bth[1] >> 6 & 1, "padcount": bth[1] >> 4 & 3,
            "version": bth[1] & 15, "pkey": int.from_bytes(bth[2:4], "big"), "fecn": bth[4] >> 7,
            "becn": bth[4] >> 6 & 1, "resv6": bth[4] & 63, "dqpn": int.from_bytes(bth[5:8], "big"),
            "ackreq": bth[8] >> 7, "resv7": bth[8] & 127,
            "psn": int.from_bytes(bth[9:12], "big"),
        },
    }, frame[54:-4]


def measure_minimum():
    rng = random.Random(1)
    built, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        build(*minimum(rng))
        built += 1
    return built / (time.perf_counter() - began)


def measure_file(path):
    work, skipped = [], 0
    for frame, _ in RawPcapNgReader(path):
        parts = take_apart(frame)
        if parts is None:
            skipped += 1
        else:
            work.append((frame, parts))
    began = time.perf_counter()
    different = sum(build(*parts) != frame for frame, parts in work)
    seconds = time.perf_counter() - began
    print(f"packets {len(work)}, skipped {skipped}, different {different}")
    return len(work) / seconds


if __name__ == "__main__":
    rate = measure_file(sys.argv[1]) if len(sys.argv) > 1 else measure_minimum()
    print(f"packets_per_second {rate:.0f}")
