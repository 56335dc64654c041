"""A client of the HiveMind exchange: publishes, subscribes, fetches, and moves from edge node to edge node.

Needs nothing but Python 3.9 or later. One request at a time; calls from several threads take turns.
"""

import json
import os
import socket
import struct
import threading
import time
import uuid

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
MAX_OBJECT_BYTES = 8 * 1024 * 1024
_OBJECT_PATIENCE = 8.0
_LOCK_PATIENCE = 60.0
_PREFIX = struct.Struct(">II")
_RECORD = struct.Struct(">dI")


class ExchangeError(Exception):
    """A request that the exchange refuses."""


class UnreachableError(ExchangeError):
    """A node did not answer, after all tries. A message may have been published all the same."""


class Message:
    """A message of a topic: its number, the same for all subscribers and ascending, and its bytes."""

    __slots__ = ("number", "bytes")

    def __init__(self, number, data):
        self.number = number
        self.bytes = data


class SharedObjects:
    """Linearizable objects that all clients of the exchange share. Their values are bytes."""

    def __init__(self, request):
        self._request = request
        self._writer = str(uuid.uuid4())
        self._last_number = 0

    def read(self, name, lock=None):
        """The value of an object, or None when nobody has written it."""
        header, value = self._request({"type": "object-read", "name": name, "lock": lock}, wait=_OBJECT_PATIENCE)
        return None if header["version"] == 0 else value

    def write(self, name, value, lock=None):
        """Writes an object; returns when the backend has it on disk and no edge node serves an earlier value.

        After an error other than that of a lock that is over, the write may take effect later.
        """
        self._commit({name: value}, lock)

    def lock(self, names):
        """Takes objects for up to 5 s, and returns the lock, which `read`, `write` and `unlock` take."""
        lock = str(uuid.uuid4())
        self._request({"type": "object-lock", "lock": lock, "names": list(names)}, wait=_LOCK_PATIENCE)
        return lock

    def unlock(self, lock):
        """Ends a lock. A lock that has ended already is fine."""
        self._request({"type": "object-unlock", "lock": lock})

    def shared_fn(self, run, reads=(), writes=()):
        """Runs `run(objects)` on objects that nobody else writes meanwhile; `objects` has `read(name)` and `write(name, value)`.

        Its writes take effect together when it returns, none of them if it raises. Objects that are not declared are refused.
        """
        names = list(dict.fromkeys([*reads, *writes]))
        lock = self.lock(names)
        try:
            objects = FunctionObjects({name: self.read(name, lock) for name in names}, list(writes))
            result = run(objects)
            if objects.written:
                self._commit(objects.written, lock)
            return result
        finally:
            try:
                self.unlock(lock)
            except ExchangeError:
                pass  # A lock that cannot be released ends by itself.

    def _commit(self, values, lock):
        body = bytearray()
        for at, (name, value) in enumerate(values.items()):
            if len(value) > MAX_OBJECT_BYTES:
                raise ExchangeError(
                    f"The object '{name}' of {len(value)} bytes is refused: the limit is {MAX_OBJECT_BYTES}."
                )
            body += _RECORD.pack(at, len(value)) + value
        self._last_number += 1
        header = {"type": "object-commit", "number": self._last_number, "names": list(values), "lock": lock}
        # A write in a lock may overtake one that waits for the lock: its numbers are its own.
        self._request({**header, "writer": lock or self._writer}, bytes(body), wait=_OBJECT_PATIENCE)


class FunctionObjects:
    """The declared objects of a shared function."""

    def __init__(self, values, writes):
        self._values = values
        self._writes = writes
        self.written = {}

    def read(self, name):
        """The value of an object, or None when there is none. What the function has written itself is read back."""
        if name not in self._values:
            raise _undeclared("read", name, self._values)
        return self.written.get(name, self._values[name])

    def write(self, name, value):
        """Writes an object when the function ends."""
        if name not in self._writes:
            raise _undeclared("write", name, self._writes)
        self.written[name] = value


def _undeclared(verb, name, declared):
    declares = ", ".join(declared) or "nothing"
    return ExchangeError(
        f"The function may not {verb} '{name}': it declares {declares}. Add the object to its {verb}s."
    )


class ExchangeClient:
    """A client. `name` is one that no other client has; `edges` are addresses (host:port), of which the first that answers serves it.

    A request is tried `tries` times, `interval` seconds apart. Raises `UnreachableError` when no node answers.
    """

    def __init__(self, name, edges, token=None, tries=3, interval=1.0):
        if not edges:
            raise ExchangeError("A client needs the address of one edge node or more.")
        self._name = name
        self._edges = list(edges)
        self._token = os.environ.get("HIVEMIND_EXCHANGE_TOKEN", "") if token is None else token
        self._tries = tries
        self._interval = interval
        self._publisher = str(uuid.uuid4())
        self._published = {}
        self._offsets = None
        self._socket = None
        self._last_id = 0
        self._lock = threading.RLock()
        self.objects = SharedObjects(self._request)
        """Objects that all clients of the exchange share."""
        self.missed = 0
        """Number of messages that the nodes dropped before this client fetched them."""
        self._request({"type": "ping"})

    @property
    def edge(self):
        """The edge node that serves the client."""
        return self._edges[0]

    @property
    def topics(self):
        """Topics the client is subscribed to."""
        return list(self._offsets or ())

    def subscribe(self, topic):
        """Receives the messages of a topic from now on."""
        with self._lock:
            if topic not in self._offsets:
                header, _ = self._request({"type": "subscribe", "topic": topic})
                self._offsets[topic] = header["after"]

    def unsubscribe(self, topic):
        """Forgets a topic, and how far it was received."""
        with self._lock:
            self._offsets.pop(topic, None)
            self._request({"type": "unsubscribe", "topic": topic})

    def publish(self, topic, *messages):
        """Publishes messages in their order; returns when the backend has them on disk."""
        with self._lock:
            body = bytearray()
            number = self._published.get(topic, 0)
            for message in messages:
                if len(message) > MAX_MESSAGE_BYTES:
                    raise ExchangeError(
                        f"A message of {len(message)} bytes is refused: the limit is {MAX_MESSAGE_BYTES}."
                    )
                number += 1
                body += _RECORD.pack(number, len(message)) + message
            self._published[topic] = number
            self._request({"type": "publish", "topic": topic, "publisher": self._publisher}, bytes(body))

    def get_messages(self, topic, max=1000, wait=0.0):
        """The next messages of a topic, none twice and in their order; waits `wait` seconds for the first."""
        with self._lock:
            if topic not in self._offsets:
                raise ExchangeError(f"The client is not subscribed to '{topic}': subscribe to it first.")
            after = self._offsets[topic]
            header = {"type": "get", "topic": topic, "after": after, "max": max, "waitMs": int(wait * 1000)}
            _, body = self._request(header, wait=wait)
            messages = []
            at = 0
            while at < len(body):
                number, size = _RECORD.unpack_from(body, at)
                at += _RECORD.size + size
                messages.append(Message(int(number), body[at - size : at]))
            if messages:
                self._offsets[topic] = messages[-1].number
                self.missed += messages[-1].number - after - len(messages)
            return messages

    def migrate(self, edge):
        """Moves to another edge node, with subscriptions and messages that are not fetched."""
        with self._lock:
            self._edges = [edge] + [each for each in self._edges if each != edge]
            self._disconnect()
            self._request({"type": "ping"})

    def close(self):
        """Disconnects. The nodes keep the subscriptions."""
        with self._lock:
            self._disconnect()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _request(self, header, body=b"", wait=0.0):
        with self._lock:
            failure = None
            for attempt in range(self._tries):
                if attempt > 0:
                    time.sleep(self._interval)
                # Every node is asked in each try, the one that serves the client first.
                for _ in range(len(self._edges)):
                    try:
                        if self._socket is None:
                            self._connect()
                        return self._exchange(header, body, wait)
                    except OSError as error:
                        failure = error
                        self._disconnect()
                        self._edges.append(self._edges.pop(0))
            raise UnreachableError(
                f"'{header['type']}' has no answer from {', '.join(self._edges)} after {self._tries} tries: {failure}."
            )

    def _connect(self):
        host, _, port = self._edges[0].rpartition(":")
        if not host or not port.isdigit():
            raise ExchangeError(f"'{self._edges[0]}' is not an address: write host:port, such as 127.0.0.1:7411.")
        self._socket = socket.create_connection((host.strip("[]"), int(port)), timeout=self._interval)
        self._socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        hello = {"type": "hello-client", "client": self._name, "token": self._token}
        if self._offsets is not None:
            hello["topics"] = self._offsets
        # The node may have to wait for the one that served the client before.
        header, _ = self._exchange(hello, b"", self._interval * self._tries)
        if self._offsets is None:
            self._offsets = header["topics"]

    def _disconnect(self):
        if self._socket is not None:
            self._socket.close()
            self._socket = None

    def _exchange(self, header, body, wait):
        self._last_id += 1
        text = json.dumps({**header, "id": self._last_id}).encode()
        self._socket.settimeout(self._interval + wait)
        self._socket.sendall(_PREFIX.pack(len(text), len(body)) + text + body)
        while True:
            head_size, body_size = _PREFIX.unpack(self._receive(_PREFIX.size))
            answer = json.loads(self._receive(head_size))
            content = self._receive(body_size)
            if answer["type"] == "refused":
                if header["type"] == "hello-client":
                    raise ConnectionError(answer["message"])
                raise ExchangeError(answer["message"])
            if answer.get("id") == self._last_id:
                return answer, content

    def _receive(self, size):
        content = bytearray()
        while len(content) < size:
            part = self._socket.recv(min(size - len(content), 1 << 20))
            if not part:
                raise ConnectionError("the connection was lost")
            content += part
        return bytes(content)
