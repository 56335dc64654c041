"""Sends mixed frames, written by scapy, through a simulated board and holds what comes out against a reference.

usage: traffic.py SOCKET COUNT WINDOW SOURCES SEED

The board averages, with a window for each source. The reference is written from docs/fabric.md: means are fractions,
rounded once. Every frame that leaves is compared byte for byte, in order. Prints one line of JSON.
"""
import json
import random
import socket
import struct
import sys
import threading
from fractions import Fraction

from scapy.contrib.coap import CoAP
from scapy.layers.inet import ICMP, IP, TCP, UDP, IPOption_Router_Alert
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Raw

ETHERNET = dict(src="02:00:00:00:00:01", dst="02:00:00:00:00:02")


def padded(frame):
    return frame + bytes(max(0, 60 - len(frame)))


def number(rng):
    """A number of a sensor in one of CBOR's encodings, and its exact value."""
    kind = rng.randrange(5)
    if kind == 0:
        value = rng.randrange(1 << 16)
        return struct.pack(">BH", 0x19, value), Fraction(value)
    if kind == 1:
        value = rng.randrange(1 << 8)
        return struct.pack(">BB", 0x38, value), Fraction(-1 - value)
    if kind == 2:
        value = rng.randrange(-(1 << 20), 1 << 20) / 256
        return struct.pack(">Bf", 0xFA, value), Fraction(value)
    if kind == 3:
        value = rng.randrange(-1024, 1024) / 8
        return struct.pack(">Be", 0xF9, value), Fraction(value)
    value = round(rng.gauss(20, 500) * (1 << 20)) / (1 << 20)
    return struct.pack(">Bd", 0xFB, value), Fraction(value)


def message(rng, payload, source=None, kind=1, code=2, port=5683, ip=None, udp=None):
    source = rng.randrange(256) if source is None else source
    coap = CoAP(
        type=kind,
        code=code,
        msg_id=rng.randrange(1 << 16),
        token=rng.randbytes(rng.randrange(9)),
        options=[("Uri-Path", b"t" * rng.randrange(1, 9))] if rng.randrange(3) else [],
        paymark=b"\xff",
    )
    ip_header = IP(src=f"10.0.0.{source}", dst="10.0.1.1", id=rng.randrange(1 << 16), **(ip or {}))
    return Ether(**ETHERNET) / ip_header / UDP(sport=40000, dport=port, **(udp or {})) / coap / Raw(payload)


OTHERS = [
    lambda rng, item: message(rng, item, kind=0),  # confirmable: only its receiver can answer
    lambda rng, item: message(rng, item, code=1),
    lambda rng, item: message(rng, item, port=5684),
    lambda rng, item: message(rng, b"\x63abc"),
    lambda rng, item: message(rng, item, ip={"flags": "MF"}),
    lambda rng, item: message(rng, item, ip={"frag": 3}),
    lambda rng, item: message(rng, item, ip={"options": [IPOption_Router_Alert()]}),
    lambda rng, item: message(rng, item, ip={"chksum": 0x1234}),
    lambda rng, item: message(rng, item, udp={"chksum": 0x1234}),
    lambda rng, item: message(rng, item, udp={"len": 9}),
    lambda rng, item: Ether(**ETHERNET) / Dot1Q(vlan=7) / message(rng, item).payload,
    lambda rng, item: Ether(**ETHERNET) / IPv6(src="::1", dst="::2") / UDP(dport=5683) / Raw(item),
    lambda rng, item: Ether(**ETHERNET) / ARP(pdst="10.0.0.1"),
    lambda rng, item: Ether(**ETHERNET) / IP(dst="10.0.1.1") / ICMP() / Raw(rng.randbytes(56)),
    lambda rng, item: Ether(**ETHERNET) / IP(dst="10.0.1.1") / TCP(dport=80) / Raw(rng.randbytes(rng.randrange(1400))),
    lambda rng, item: message(rng, item + rng.randbytes(rng.randrange(200, 1300))),  # longer than what is captured
]


def truncated(rng, item):
    # the tail of UDP is missing, so its length is untrue; at least a minimal frame is left
    return bytes(message(rng, item + rng.randbytes(40), source=3))[: rng.randrange(60, 80)]


def mixed(rng, count, sources):
    """Frames in order: each with the source and value of its reading, or None."""
    for _ in range(count):
        item, value = number(rng)
        choice = rng.randrange(10)
        if choice < 6:
            source = rng.randrange(sources)
            packet = message(rng, item + rng.randbytes(rng.randrange(8)), source, code=rng.choice([2, 3]))
            yield padded(bytes(packet)), source, value, packet
        elif choice < 9:
            yield padded(bytes(rng.choice(OTHERS)(rng, item))), None, None, None
        elif choice == 9 and rng.randrange(2):
            yield truncated(rng, item), None, None, None
        else:
            yield rng.randbytes(12) + b"\x88\xb5" + rng.randbytes(rng.randrange(46, 1500)), None, None, None


def summary(packet, mean):
    """The frame that completed the window, with the mean as its payload."""
    changed = packet.copy()
    changed[Raw].load = struct.pack(">Bd", 0xFB, mean)
    return padded(bytes(changed))


def main():
    path, count, window, sources, seed = sys.argv[1], *map(int, sys.argv[2:])
    line = socket.socket(socket.AF_UNIX)
    line.connect(path)
    line.settimeout(60)
    frames, expected, windows = [], [], {}
    counts = {"frames": 0, "readings": 0, "summaries": 0, "passed": 0}
    for frame, source, value, packet in mixed(random.Random(seed), count, sources):
        frames.append(frame)
        counts["frames"] += 1
        if source is None:
            counts["passed"] += 1
            expected.append(frame)
            continue
        counts["readings"] += 1
        values = windows.setdefault(source, [])
        values.append(value)
        if len(values) == window:
            counts["summaries"] += 1
            mean = sum(values) / window
            expected.append(summary(packet, mean.numerator / mean.denominator))
            values.clear()

    def send():
        for frame in frames:
            line.sendall(struct.pack(">H", len(frame)) + frame)

    threading.Thread(target=send, daemon=True).start()
    stream = line.makefile("rb")
    for n, wanted in enumerate(expected):
        (size,) = struct.unpack(">H", stream.read(2))
        got = stream.read(size)
        if got != wanted:
            sys.exit(f"frame {n} of the output:\n  {got.hex()}\nnot\n  {wanted.hex()}")
    line.settimeout(1)
    try:
        extra = line.recv(1)
    except TimeoutError:
        extra = b""
    if extra:
        sys.exit(f"more frames than {len(expected)} came out")
    print(json.dumps(counts))


main()
