"""A board that is attached: the lines of a simulated one on a pseudo terminal and on a network interface (TAP) of its own.

    wire.py FOLDER INTERFACE

FOLDER is the simulated board's. Prints the device of the serial line, and ends when its standard input does. A board that was
loaded is found again.
"""

import fcntl
import os
import pty
import selectors
import socket
import struct
import sys
import time
import tty

TUNSETIFF, IFF_TAP, IFF_NO_PI = 0x400454CA, 2, 0x1000


class Line:
    """A socket of the board, opened again when the board is."""

    def __init__(self, path, selector, heard):
        self.path, self.selector, self.heard, self.socket = path, selector, heard, None

    def open(self):
        for _ in range(200):
            try:
                self.socket = socket.socket(socket.AF_UNIX)
                self.socket.connect(self.path)
                return self.selector.register(self.socket, selectors.EVENT_READ, self.receive)
            except OSError:
                self.socket.close()
                time.sleep(0.05)
        sys.exit(f"{self.path} has gone")

    def again(self):
        self.selector.unregister(self.socket)
        self.socket.close()
        self.open()

    def receive(self):
        try:
            got = self.socket.recv(65536)
        except OSError:
            got = b""
        self.heard(got) if got else self.again()

    def send(self, data):
        try:
            self.socket.sendall(data)
        except OSError:
            self.again()
            self.socket.sendall(data)


def main(folder, interface):
    selector = selectors.DefaultSelector()
    tap = os.open("/dev/net/tun", os.O_RDWR)
    fcntl.ioctl(tap, TUNSETIFF, struct.pack("16sH22x", interface.encode(), IFF_TAP | IFF_NO_PI))
    board, terminal = pty.openpty()
    tty.setraw(board)
    pending = bytearray()

    def from_frames(got):
        pending.extend(got)
        while len(pending) >= 2 and len(pending) >= 2 + (length := int.from_bytes(pending[:2], "big")):
            os.write(tap, bytes(pending[2 : 2 + length]))
            del pending[: 2 + length]

    frames = Line(os.path.join(folder, "frames.sock"), selector, from_frames)
    serial = Line(os.path.join(folder, "serial.sock"), selector, lambda got: os.write(board, got))

    def to_frames():
        frame = os.read(tap, 65535)
        frames.send(len(frame).to_bytes(2, "big") + frame)

    frames.open()
    serial.open()
    selector.register(tap, selectors.EVENT_READ, to_frames)
    selector.register(board, selectors.EVENT_READ, lambda: serial.send(os.read(board, 4096)))
    selector.register(sys.stdin, selectors.EVENT_READ, None)
    print(os.ttyname(terminal), flush=True)
    while True:
        for key, _ in selector.select():
            if key.data is None:
                return
            now = selector.get_map().get(key.fd)
            if now is not None and now.fileobj is key.fileobj:
                key.data()


main(*sys.argv[1:])
