"""Calls and serves functions through the dispatcher of a HiveMind fabric. Python's standard library alone.

A worker:

    with Worker({"upper": lambda payload: payload.upper()}) as worker:
        worker.serve_forever()

A caller:

    with Caller() as caller:
        print(caller.call("upper", b"hello"))

Both say hello to the host of the fabric (`hivemind fabric host`), and again every half second. The messages are described in
docs/fabric.md: "Dispatch: requests to workers", "Remote memory" and "Calls through the fabric".
"""

import hashlib
import json
import socket
import struct
import threading
import time

HOST_PORT = 4903
PAYLOAD_BYTES = 1024
HEAP = 1

_CALL, _DISPATCH, _DONE, _RESULT = 1, 3, 4, 7
_READ, _WRITE = 1, 2
_EXHAUSTED = 5
_HELLO_S, _TRY_S, _CALL_S, _REST_S, _TRIES = 0.5, 1.0, 10.0, 30.0, 5
_MESSAGE = struct.Struct(">BBBBIIIIIIHH")
_REQUEST = struct.Struct(">BBHIQQI4x")
_RESPONSE = struct.Struct(">BBHIB3xI")
_STATUS = ["OK", "MALFORMED", "TOO_LONG", "UNKNOWN_NAME", "NOT_PERMITTED", "OUT_OF_BOUNDS", "MEMORY_ERROR"]
_REASONS = [
    "for no reason",
    "the message is malformed",
    "the dispatcher is switched off",
    "no worker has the function",
    "too many requests are in flight",
    "its workers did not answer in time",
    "the workflow is not loaded",
    "too many workflows are in progress",
]


class FabricError(Exception):
    """A call or an access that the fabric could not do; the text says why."""


class SlowPathError(FabricError):
    """A call that the dispatcher could not send to a worker; `reason` is its code, 1 to 7."""

    def __init__(self, name, reason):
        super().__init__(f"The call of '{name}' took the slow path: {_REASONS[reason]}.")
        self.reason = reason


def function_id(name):
    """The number that stands for a function: the first 32 bits of the SHA-256 of its name."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4], "big")


def _encode(kind, function=0, request=0, tag=0, key=0, payload=0, payload_bytes=0):
    return _MESSAGE.pack(0x5D, 0x10 | kind, 0, 0, function, request, tag, key, payload, 0, payload_bytes, 0)


class _Message:
    def __init__(self, data):
        (_, kind, _, attempt, self.function, self.request, self.tag, self.key, self.payload, _, self.payload_bytes, _) = (
            _MESSAGE.unpack(data)
        )
        self.kind, self.attempt, self.reason = kind & 15, attempt >> 4, attempt & 15


class _Memory:
    """Reads and writes the memory of the fabric. Lost datagrams are sent again: either does no harm twice."""

    def __init__(self, address):
        self._address = address
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.settimeout(_TRY_S)
        self._lock = threading.Lock()
        self._tag = 0

    def read(self, offset, length):
        return self._ask(_READ, offset, length, b"")

    def write(self, offset, data):
        self._ask(_WRITE, offset, len(data), data)

    def _ask(self, operation, offset, length, data):
        with self._lock:
            self._tag = (self._tag + 1) & 0xFFFFFFFF
            request = _REQUEST.pack(1, operation, 0, self._tag, HEAP, offset, length) + data
            for _ in range(_TRIES):
                self._socket.sendto(request, self._address())
                try:
                    while True:
                        answer = self._socket.recv(2048)
                        _, _, _, tag, status, _ = _RESPONSE.unpack_from(answer)
                        if tag == self._tag:
                            break
                except socket.timeout:
                    continue
                if status:
                    raise FabricError(f"Remote memory refused a request: {_STATUS[status]}.")
                return answer[_RESPONSE.size :]
        raise FabricError(f"Remote memory did not answer {_TRIES} times.")

    def close(self):
        self._socket.close()


class _Client:
    def __init__(self, hello, host, port):
        self._hello, self._address = json.dumps(hello).encode(), (host, port)
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.settimeout(_HELLO_S)
        self._is_open = True
        self.welcome = self._answer()
        if "refused" in self.welcome:
            raise FabricError(self.welcome["refused"])
        # a host that is started anew gives it the number that calls under way have
        self._hello = json.dumps({**hello, "number": self.welcome["number"]}).encode()
        self._memory = _Memory(lambda: (host, self.welcome["ports"]["rmem"]))
        threading.Thread(target=self._say_hello, daemon=True).start()

    def _answer(self):
        """What the host says to the hello, when it has written its tables for it."""
        silent = 0
        while silent < 10:
            self._socket.sendto(self._hello, self._address)
            try:
                data = self._socket.recv(2048)
            except (socket.timeout, ConnectionError):
                silent += 1
                continue
            # a call that came before the welcome is sent again by the dispatcher
            if data[:1] != b"{":
                continue
            answer = json.loads(data)
            if "waiting" not in answer:
                return answer
            silent = 0
            time.sleep(_HELLO_S)
        host, port = self._address
        raise FabricError(f"No host of a fabric answers at {host}:{port}: `hivemind fabric host` runs one.")

    def _say_hello(self):
        while self._is_open:
            time.sleep(_HELLO_S)
            try:
                self._socket.sendto(self._hello, self._address)
            except OSError:
                return

    def _messages(self):
        """The messages that come, and None after each while in which none came."""
        while self._is_open:
            try:
                data = self._socket.recv(2048)
            except socket.timeout:
                yield None
                continue
            except OSError:
                return
            if len(data) == _MESSAGE.size and data[0] == 0x5D:
                yield _Message(data)
            elif data[:1] == b"{":
                answer = json.loads(data)
                if "ports" in answer:
                    self.welcome = answer

    def _send(self, port, data):
        self._socket.sendto(data, (self._address[0], self.welcome["ports"][port]))

    def close(self):
        if self._is_open:
            self._socket.sendto(b'{"kind": "bye"}', self._address)
        self._is_open = False
        self._socket.close()
        self._memory.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()


class Worker(_Client):
    """Serves functions: a dict of names and of what each makes of a payload of bytes."""

    def __init__(self, functions, host="127.0.0.1", port=HOST_PORT):
        super().__init__({"kind": "worker", "functions": list(functions)}, host, port)
        self._functions = {function_id(name): run for name, run in functions.items()}
        self.served = 0

    def serve_forever(self):
        """Serves until it is closed. A function that raises leaves its call to the time-out of the dispatcher; the exception is raised."""
        for message in self._messages():
            if message is None or message.kind != _DISPATCH or message.function not in self._functions:
                continue
            payload = self._memory.read(message.payload, message.payload_bytes) if message.payload_bytes else b""
            answer = self._functions[message.function](payload)
            if len(answer) > PAYLOAD_BYTES:
                raise FabricError(f"An answer has at most {PAYLOAD_BYTES} bytes, not {len(answer)}.")
            place = message.payload + (1 + message.attempt) * PAYLOAD_BYTES
            if answer:
                self._memory.write(place, answer)
            self.served += 1
            self._send(
                "completions",
                _encode(_DONE, tag=message.tag, key=message.key, payload=place, payload_bytes=len(answer)),
            )


class Caller(_Client):
    """Calls functions, from one thread or several."""

    def __init__(self, host="127.0.0.1", port=HOST_PORT):
        super().__init__({"kind": "caller"}, host, port)
        self._change = threading.Condition()
        self._free = list(range(self.welcome["memory"]["slots"]))
        self._resting = []
        self._answers = {}
        self._count = 0
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self):
        for message in self._messages():
            with self._change:
                if message is not None and message.request & 0xFFFFFF in self._answers:
                    self._answers[message.request & 0xFFFFFF] = message
                now = time.monotonic()
                self._free += [slot for until, slot in self._resting if until <= now]
                self._resting = [each for each in self._resting if each[0] > now]
                self._change.notify_all()

    def call(self, name, payload, key=0):
        """What the function's worker answers to up to 1,024 bytes. Raises `SlowPathError`, and `FabricError` when nothing comes in 10 s."""
        if len(payload) > PAYLOAD_BYTES:
            raise FabricError(f"A payload has at most {PAYLOAD_BYTES} bytes, not {len(payload)}.")
        with self._change:
            self._change.wait_for(lambda: self._free)
            slot = self._free.pop()
        memory = self.welcome["memory"]
        place = memory["offset"] + slot * memory["slotBytes"]
        is_free = False
        try:
            if payload:
                self._memory.write(place, payload)
            answer = self._ask(name, place, len(payload), key)
            is_free = answer.kind == _RESULT or answer.reason != _EXHAUSTED
            if answer.kind != _RESULT:
                raise SlowPathError(name, answer.reason)
            return self._memory.read(answer.payload, answer.payload_bytes) if answer.payload_bytes else b""
        finally:
            with self._change:
                # a worker that is late may still write to its slot
                if is_free:
                    self._free.append(slot)
                else:
                    self._resting.append((time.monotonic() + _REST_S, slot))
                self._change.notify_all()

    def _ask(self, name, place, length, key):
        with self._change:
            self._count = (self._count + 1) & 0xFFFFFF
            count = self._count
            self._answers[count] = None
        request = self.welcome["number"] << 24 | count
        self._send(
            "requests",
            _encode(_CALL, function=function_id(name), request=request, key=key, payload=place, payload_bytes=length),
        )
        try:
            with self._change:
                if not self._change.wait_for(lambda: self._answers[count], _CALL_S):
                    raise FabricError(f"The call of '{name}' was not answered within {_CALL_S:g} s.")
                return self._answers[count]
        finally:
            with self._change:
                del self._answers[count]
