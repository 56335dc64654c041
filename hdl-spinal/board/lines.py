"""The lines of a board that is attached to this machine, on sockets of a folder, as the simulated board (board.cpp) has them.

  frames.sock  both ways: length (16 bits, the higher byte first), then a frame without check sequence
  serial.sock  the bytes of the serial line

    python3 lines.py FOLDER SERIAL INTERFACE

SERIAL is the device of the serial line, INTERFACE the network interface that the board alone is on: while this runs, IPv6 is off
there, so that nothing but the frames of the socket is on the line. Ends when its standard input does; says on standard output that
it is ready, and on standard error, in a sentence, what it could not have. Needs the rights for raw sockets (CAP_NET_RAW).
"""

import fcntl
import os
import selectors
import socket
import struct
import sys
import termios

MAX_WAITING = 1 << 20  # bytes for a client that does not read; what comes after is lost, as on a line that nobody listens to
LARGEST_FRAME = 65535

SIOCGIFFLAGS, SIOCSIFFLAGS, SIOCGIFADDR = 0x8913, 0x8914, 0x8915
IFF_UP = 1
ETH_P_ALL = 3
SOL_PACKET, PACKET_ADD_MEMBERSHIP, PACKET_MR_PROMISC, PACKET_AUXDATA = 263, 1, 1, 8
PACKET_OUTGOING = 4
TP_STATUS_VLAN_VALID, TP_STATUS_VLAN_TPID_VALID = 1 << 4, 1 << 6
AUXDATA = struct.Struct("=IIIHHHH")


def refuse(sentence):
    print(sentence, file=sys.stderr)
    sys.exit(1)


class Port:
    """A listening socket with one client; a new client takes the place of the one before."""

    def __init__(self, path, selector, heard):
        self.selector, self.heard = selector, heard
        self.client, self.waiting = None, b""
        if os.path.exists(path):
            os.unlink(path)
        self.listener = socket.socket(socket.AF_UNIX)
        self.listener.bind(path)
        self.listener.listen(4)
        self.listener.setblocking(False)
        selector.register(self.listener, selectors.EVENT_READ, lambda _: self.accept())

    def accept(self):
        self.drop()
        self.client, _ = self.listener.accept()
        self.client.setblocking(False)
        self.selector.register(self.client, selectors.EVENT_READ, self.exchange)
        self.heard(None)

    def exchange(self, events):
        try:
            if events & selectors.EVENT_WRITE:
                self.flush()
            if events & selectors.EVENT_READ:
                got = self.client.recv(65536)
                self.heard(got) if got else self.drop()
        except BlockingIOError:
            pass
        except OSError:
            self.drop()

    def send(self, data):
        if self.client is None or len(self.waiting) + len(data) > MAX_WAITING:
            return
        self.waiting += data
        try:
            self.flush()
        except OSError:
            self.drop()

    def flush(self):
        try:
            while self.waiting:
                self.waiting = self.waiting[self.client.send(self.waiting) :]
        except BlockingIOError:
            pass
        write = selectors.EVENT_WRITE if self.waiting else 0
        self.selector.modify(self.client, selectors.EVENT_READ | write, self.exchange)

    def drop(self):
        if self.client is not None:
            self.selector.unregister(self.client)
            self.client.close()
        self.client, self.waiting = None, b""


def open_serial(device):
    """The serial line: 1 Mbaud, 8 bits, no parity, one stop bit, and bytes as they are."""
    try:
        line = os.open(device, os.O_RDWR | os.O_NOCTTY | os.O_NONBLOCK)
        speed = termios.B1000000
        termios.tcsetattr(
            line,
            termios.TCSANOW,
            [0, 0, termios.CS8 | termios.CREAD | termios.CLOCAL, 0, speed, speed, [b"\0"] * 32],
        )
        termios.tcflush(line, termios.TCIOFLUSH)
        return line
    except (OSError, termios.error) as error:
        refuse(f"The serial line '{device}' cannot be opened: {error.args[-1]}.")


def open_interface(name, ipv6):
    """A raw socket on an interface that has no address; the interface is switched on, without IPv6."""
    try:
        packets = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
    except PermissionError:
        refuse(f"Frames on '{name}' need the rights for raw sockets: run it as root, or with CAP_NET_RAW and CAP_NET_ADMIN.")
    request = name.encode()[:15].ljust(16, b"\0")
    try:
        (flags,) = struct.unpack_from("H", fcntl.ioctl(packets, SIOCGIFFLAGS, request + bytes(24)), 16)
    except OSError as error:
        refuse(f"There is no network interface '{name}': {error.strerror}.")
    try:
        address = fcntl.ioctl(packets, SIOCGIFADDR, request + bytes(24))[20:24]
        refuse(f"The interface '{name}' has the address {socket.inet_ntoa(address)}: it must be the board's alone, without address.")
    except OSError:
        pass  # it has none
    try:
        ipv6.off()
        fcntl.ioctl(packets, SIOCSIFFLAGS, request + struct.pack("H", flags | IFF_UP) + bytes(22))
        packets.bind((name, ETH_P_ALL))
        index = socket.if_nametoindex(name)
        packets.setsockopt(
            SOL_PACKET, PACKET_ADD_MEMBERSHIP, struct.pack("iHH8s", index, PACKET_MR_PROMISC, 0, bytes(8))
        )
        packets.setsockopt(SOL_PACKET, PACKET_AUXDATA, 1)
    except OSError as error:
        refuse(f"The interface '{name}' cannot be used: {error.strerror}.")
    packets.setblocking(False)
    return packets


def received(packets):
    """The next frame that came in, with the VLAN tag that the kernel has taken out of it; None for what this machine sent."""
    data, ancillary, _, sender = packets.recvmsg(LARGEST_FRAME, socket.CMSG_SPACE(AUXDATA.size))
    if sender[2] == PACKET_OUTGOING:
        return None
    for level, kind, content in ancillary:
        if level == SOL_PACKET and kind == PACKET_AUXDATA:
            status, _, _, _, _, tci, tpid = AUXDATA.unpack(content[: AUXDATA.size])
            if status & TP_STATUS_VLAN_VALID:
                tag = tpid if status & TP_STATUS_VLAN_TPID_VALID else 0x8100
                return data[:12] + struct.pack(">HH", tag, tci) + data[12:]
    return data


class Ipv6Switch:
    """IPv6 of an interface: off, and as it was before afterwards."""

    def __init__(self, name):
        self.path = f"/proc/sys/net/ipv6/conf/{name}/disable_ipv6"
        self.before = None

    def off(self):
        if os.path.exists(self.path):
            with open(self.path) as file:
                self.before = file.read()
            self.write("1")

    def restore(self):
        if self.before is not None and os.path.exists(self.path):
            self.write(self.before)

    def write(self, value):
        with open(self.path, "w") as file:
            file.write(value)


def main(folder, serial, interface):
    ipv6 = Ipv6Switch(interface)
    try:
        serve(folder, serial, interface, ipv6)
    except OSError as error:
        refuse(f"A line of the board was lost: {error.strerror}.")
    finally:
        ipv6.restore()


def serve(folder, serial, interface, ipv6):
    line = open_serial(serial)
    packets = open_interface(interface, ipv6)
    selector = selectors.DefaultSelector()
    pending = bytearray()

    def to_board(got):
        """Frames of the client, each when it is whole; what a client before had begun is forgotten."""
        if got is None:
            return pending.clear()
        pending.extend(got)
        while len(pending) >= 2 and len(pending) >= 2 + (length := int.from_bytes(pending[:2], "big")):
            frame = bytes(pending[2 : 2 + length])
            del pending[: 2 + length]
            try:
                packets.send(frame)
            except OSError as error:
                print(f"A frame of {length} bytes could not be sent on '{interface}': {error.strerror}.", file=sys.stderr)

    def to_line(got):
        if got:
            os.set_blocking(line, True)
            os.write(line, got)
            os.set_blocking(line, False)

    frames = Port(os.path.join(folder, "frames.sock"), selector, to_board)
    registers = Port(os.path.join(folder, "serial.sock"), selector, to_line)

    def from_board(_):
        frame = received(packets)
        if frame is not None:
            frames.send(len(frame).to_bytes(2, "big") + frame)

    def from_line(_):
        got = os.read(line, 4096)
        if not got:
            refuse(f"The serial line '{serial}' has gone.")
        registers.send(got)

    selector.register(packets, selectors.EVENT_READ, from_board)
    selector.register(line, selectors.EVENT_READ, from_line)
    selector.register(sys.stdin, selectors.EVENT_READ, None)
    print("ready", flush=True)
    while True:
        for key, events in selector.select():
            if key.data is None:
                return
            now = selector.get_map().get(key.fd)  # an event before it may have ended a client, and another have its number
            if now is not None and now.fileobj is key.fileobj:
                key.data(events)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        refuse("usage: python3 lines.py FOLDER SERIAL INTERFACE")
    main(*sys.argv[1:])
