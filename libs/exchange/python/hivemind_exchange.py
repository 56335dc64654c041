"""A client of the HiveMind exchange: publishes, subscribes, fetches, and moves from edge node to edge node.

Needs nothing but Python 3.9 or later. One request at a time; calls from several threads take turns.
"""

import json
import os
import random
import socket
import ssl
import struct
import threading
import time
import uuid

MAX_MESSAGE_BYTES = 8 * 1024 * 1024
MAX_OBJECT_BYTES = 8 * 1024 * 1024
_OBJECT_PATIENCE = 8.0
_LOCK_PATIENCE = 60.0
_CHANGE_WAIT = 10.0
_MESSAGE_WAIT = 10.0
_PAGE = 100
_FIRST_PAUSE = 0.004
_MAX_PAUSE = 0.5
_PREFIX = struct.Struct(">II")
_RECORD = struct.Struct(">dI")


class ExchangeError(Exception):
    """A request that the exchange refuses."""


class UnreachableError(ExchangeError):
    """A node did not answer, after all tries. A message may have been published all the same."""


class ConsistencyError(ExchangeError):
    """An object has another consistency than the one it was asked for with."""


class StaleError(ExchangeError):
    """The copy of an eventual object is older than its recency bound, and the backend does not answer."""


class ConflictError(ExchangeError):
    """A transaction was aborted: another one has written the same objects first, or its snapshot is no longer kept."""


_REFUSALS = {"consistency": ConsistencyError, "stale": StaleError, "conflict": ConflictError}


class Message:
    """A message of a topic: its number, the same for all subscribers and ascending, and its bytes."""

    __slots__ = ("number", "bytes")

    def __init__(self, number, data):
        self.number = number
        self.bytes = data


class SharedObjects:
    """Objects that all clients of the exchange share. Their values are bytes.

    An object has the consistency that it was made with: `write` and `shared_fn` make linearizable ones, `transaction` serializable ones,
    `eventual` eventual ones. Calls of another kind raise `ConsistencyError`.
    """

    def __init__(self, request):
        self._request = request
        self._writer = str(uuid.uuid4())
        self._last_number = 0
        # Writers of transactions that are not under way, with their last numbers: each has one commit at a time.
        self._idle_committers = []

    def eventual(self, name, merge=None, recency=None):
        """Opens an eventual object, and makes it when it is not there. `recency` is its bound, in seconds.

        Without them, it is taken as it was made, or made with last writer wins and a bound of 1 s. Raises `ConsistencyError` when it was made
        otherwise.
        """
        recency_ms = None if recency is None else round(recency * 1000)
        request = {"type": "eventual-open", "name": name, "merge": merge, "recencyMs": recency_ms}
        header, _ = self._request(request, wait=_OBJECT_PATIENCE)
        return EventualObject(self._request, name, header["merge"], header["recencyMs"] / 1000)

    def transaction(self, run, attempts=10):
        """Runs `run(transaction)` on serializable objects (snapshot isolation); `transaction` has `read(name)` and `write(name, value)`.

        It reads a snapshot: what was committed before it began. Its writes take effect together when it returns, unless another transaction has
        written one of the objects meanwhile: then it is run again. Raises what the function raises, and then writes nothing; `ConflictError`
        after all attempts; and other `ExchangeError`s when it is not known whether it has committed.
        """
        if attempts < 1:
            raise ExchangeError(f"A transaction of {attempts} attempts is refused: give a whole number from 1.")
        for attempt in range(1, attempts + 1):
            try:
                return self._attempt(run)
            except ConflictError as error:
                if attempt == attempts:
                    raise ConflictError(
                        f"The transaction was aborted {attempts} times, the last time because: {error} "
                        "Try again later, or write less in one transaction."
                    ) from error
            time.sleep(random.random() * min(_MAX_PAUSE, _FIRST_PAUSE * 2**attempt))

    def _attempt(self, run):
        token = str(uuid.uuid4())
        header, _ = self._request({"type": "transaction-begin", "token": token}, wait=_OBJECT_PATIENCE)
        transaction = Transaction(self._request, token, header["snapshot"])
        committed = False
        try:
            try:
                result = run(transaction)
            finally:
                transaction.over = True
                if transaction.aborted_by:
                    raise transaction.aborted_by
            if transaction.written:
                committed = True
                self._commit_transaction(transaction)
            return result
        finally:
            if not committed:
                try:
                    self._request({"type": "transaction-end", "token": token})
                except ExchangeError:
                    pass  # One that cannot be ended ends with its lease.

    def _commit_transaction(self, transaction):
        writer, last = self._idle_committers.pop() if self._idle_committers else (str(uuid.uuid4()), 0)
        header = {
            "type": "transaction-commit",
            "token": transaction.token,
            "snapshot": transaction.snapshot,
            "writer": writer,
            "number": last + 1,
            **_names_of(transaction.written),
        }
        try:
            self._request(header, _values_body(transaction.written), wait=_OBJECT_PATIENCE)
        finally:
            self._idle_committers.append((writer, last + 1))

    def changes(self, name, wait=None):
        """The value of a linearizable or serializable object as it is, and then as it changes.

        Of changes in quick succession, the last is certain to come. Ends after `wait` seconds without a change, if given. Other calls of this
        client wait while it waits: follow objects with a client of their own.
        """
        seen = None
        while True:
            ms = round((_CHANGE_WAIT if wait is None else wait) * 1000)
            request = {"type": "object-wait", "name": name, "seen": seen, "waitMs": ms}
            header, _ = self._request(request, wait=ms / 1000 + _OBJECT_PATIENCE)
            if header["version"] == seen:
                if wait is not None:
                    return
                continue
            seen = header["version"]
            if header["consistency"] == "serializable":
                yield self.transaction(lambda transaction: transaction.read(name))
            else:
                yield self.read(name)

    def read(self, name, lock=None):
        """The value of an object, or None when nobody has written it, or it was removed."""
        header, value = self._request({"type": "object-read", "name": name, "lock": lock}, wait=_OBJECT_PATIENCE)
        return value if header["exists"] else None

    def write(self, name, value, lock=None):
        """Writes an object; returns when the backend has it on disk and no edge node serves an earlier value.

        After an error other than that of a lock that is over, the write may take effect later.
        """
        self._commit({name: value}, lock)

    def remove(self, name, lock=None):
        """Removes a linearizable object: it is as if nobody had written it. A later write makes it again, with the same consistency."""
        self._commit({name: None}, lock)

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
        body = _values_body(values)
        self._last_number += 1
        header = {"type": "object-commit", "number": self._last_number, **_names_of(values), "lock": lock}
        # A write in a lock may overtake one that waits for the lock: its numbers are its own.
        self._request({**header, "writer": lock or self._writer}, body, wait=_OBJECT_PATIENCE)


class EventualObject:
    """An object whose writes take effect at the edge node at once and travel on; writes of different edge nodes are merged."""

    def __init__(self, request, name, merge, recency):
        self._request = request
        self.name = name
        self.merge = merge
        """Name of its merge function."""
        self.recency = recency
        """Its recency bound, in seconds."""

    def read(self, max_age=None):
        """The value, or None when nobody has written it; at most as old as its bound, or `max_age` seconds.

        `float("inf")` takes the copy of the edge node at any age. Raises `StaleError` when it would be too old and the backend does not answer.
        """
        return self._read(max_age)[0]

    def write(self, value):
        """Merges a value into the object; returns when the edge node has it on disk."""
        _expect_size(self.name, value)
        self._request({"type": "eventual-write", "name": self.name}, bytes(value), wait=_OBJECT_PATIENCE)

    def remove(self):
        """Removes the value: what this edge node has, and what others write before they have heard of it. A write after it makes it anew."""
        self._request({"type": "eventual-remove", "name": self.name}, wait=_OBJECT_PATIENCE)

    def settled(self, wait=10.0):
        """Returns when the backend has all writes of the object at this edge node. Raises `ExchangeError` after `wait` seconds."""
        request = {"type": "eventual-settle", "name": self.name, "waitMs": round(wait * 1000)}
        self._request(request, wait=wait + _OBJECT_PATIENCE)

    def changes(self, wait=None):
        """The value as it is, and then as it changes, at any age. Ends after `wait` seconds without a change, if given.

        Of changes in quick succession, the last is certain to come. Other calls of this client wait while it waits.
        """
        first = True
        last = None
        while True:
            value, token = self._read(float("inf"))
            if first or value != last:
                yield value
                first, last = False, value
            ms = round((_CHANGE_WAIT if wait is None else wait) * 1000)
            end = time.monotonic() + ms / 1000
            request = {"type": "eventual-wait", "name": self.name, "seen": token, "waitMs": ms}
            self._request(request, wait=ms / 1000 + _OBJECT_PATIENCE)
            if wait is not None and time.monotonic() >= end:
                return

    def _read(self, max_age):
        request = {"type": "eventual-read", "name": self.name}
        if max_age == float("inf"):
            request["isAnyAge"] = True
        elif max_age is not None:
            request["maxAgeMs"] = round(max_age * 1000)
        header, value = self._request(request, wait=_OBJECT_PATIENCE)
        return (value if header["exists"] else None), header["token"]


class Transaction:
    """The objects of a transaction."""

    def __init__(self, request, token, snapshot):
        self._request = request
        self._read = {}
        self.token = token
        self.snapshot = snapshot
        self.written = {}
        self.over = False
        self.aborted_by = None

    def read(self, name):
        """The value of an object in the snapshot, or None when there was none. What the transaction has written itself is read back."""
        self._expect_running()
        if name in self.written:
            return self.written[name]
        if name not in self._read:
            request = {"type": "transaction-read", "token": self.token, "snapshot": self.snapshot, "name": name}
            try:
                header, value = self._request(request, wait=_OBJECT_PATIENCE)
            except ConflictError as error:
                self.aborted_by = error
                raise
            self._read[name] = value if header["exists"] else None
        return self._read[name]

    def write(self, name, value):
        """Writes an object when the transaction commits."""
        self._expect_running()
        _expect_size(name, value)
        self.written[name] = bytes(value)

    def remove(self, name):
        """Removes an object when the transaction commits. It conflicts with other writes as a write does."""
        self._expect_running()
        self.written[name] = None

    def _expect_running(self):
        if self.over:
            raise ExchangeError("The transaction is over: read and write before its function returns.")


def _expect_size(name, value):
    if len(value) > MAX_OBJECT_BYTES:
        raise ExchangeError(f"The object '{name}' of {len(value)} bytes is refused: the limit is {MAX_OBJECT_BYTES}.")


def _names_of(values):
    return {"names": list(values), "removed": [name for name, value in values.items() if value is None]}


def _values_body(values):
    body = bytearray()
    for at, (name, value) in enumerate(values.items()):
        value = b"" if value is None else value
        _expect_size(name, value)
        body += _RECORD.pack(at, len(value)) + value
    return bytes(body)


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

    def remove(self, name):
        """Removes an object, which it declares as written, when the function ends."""
        self.write(name, None)


def _undeclared(verb, name, declared):
    declares = ", ".join(declared) or "nothing"
    return ExchangeError(
        f"The function may not {verb} '{name}': it declares {declares}. Add the object to its {verb}s."
    )


def _tls_context(ca, cert=None, key=None):
    try:
        context = ssl.create_default_context(cafile=ca)
        context.minimum_version = ssl.TLSVersion.TLSv1_2
        if cert is not None:
            context.load_cert_chain(cert, key)
        return context
    except OSError as error:
        raise ExchangeError(
            f"The certificates for TLS cannot be used: {error}. Give paths of PEM files, and the key that belongs to cert."
        ) from error


class ExchangeClient:
    """A client. `name` is one that no other client has; `edges` are addresses (host:port), of which the first that answers serves it.

    A request is tried `tries` times, `interval` seconds apart. Raises `UnreachableError` when no node answers. `tls` has paths of PEM files, for edge
    nodes with certificates: "ca" of their authority, and "cert" and "key" of this client where the nodes ask for them.
    """

    def __init__(self, name, edges, token=None, tries=3, interval=1.0, tls=None):
        if not edges:
            raise ExchangeError("A client needs the address of one edge node or more.")
        self._name = name
        self._edges = list(edges)
        self._token = os.environ.get("HIVEMIND_EXCHANGE_TOKEN", "") if token is None else token
        self._tries = tries
        self._interval = interval
        self._tls = None if tls is None else _tls_context(**tls)
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
            if topic not in (self._offsets or ()):
                header, _ = self._request({"type": "subscribe", "topic": topic})
                self._offsets[topic] = header["after"]

    def unsubscribe(self, topic):
        """Forgets a topic, and how far it was received."""
        with self._lock:
            (self._offsets or {}).pop(topic, None)
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
            if topic not in (self._offsets or ()):
                raise ExchangeError(f"The client is not subscribed to '{topic}': subscribe to it first.")
            messages = self._fetch(topic, max, wait)
            for message in messages:
                self._received(topic, message)
            return messages

    def messages(self, topic, wait=None):
        """The messages of a topic as they come, until it is unsubscribed: none twice and in their order.

        Asking for the next one says that this one was dealt with. Ends after `wait` seconds without a message, if given. Other calls of this
        client wait while it waits for one.
        """
        while topic in (self._offsets or ()):
            fetched = self._fetch(topic, _PAGE, _MESSAGE_WAIT if wait is None else wait)
            if not fetched and wait is not None:
                return
            for message in fetched:
                # Another call may have fetched it, or ended the subscription, while the last one was dealt with.
                offset = (self._offsets or {}).get(topic)
                if offset is None:
                    return
                if message.number > offset:
                    yield message
                    with self._lock:
                        self._received(topic, message)

    def _fetch(self, topic, max, wait):
        with self._lock:
            header = {"type": "get", "topic": topic, "after": self._offsets[topic], "max": max, "waitMs": int(wait * 1000)}
            _, body = self._request(header, wait=wait)
            messages = []
            at = 0
            while at < len(body):
                number, size = _RECORD.unpack_from(body, at)
                at += _RECORD.size + size
                messages.append(Message(int(number), body[at - size : at]))
            return messages

    def _received(self, topic, message):
        offset = (self._offsets or {}).get(topic)
        if offset is not None and message.number > offset:
            self._offsets[topic] = message.number
            self.missed += message.number - offset - 1

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
        if self._tls is not None:
            self._socket = self._secured(host.strip("[]"))
        hello = {"type": "hello-client", "client": self._name, "token": self._token}
        if self._offsets is not None:
            hello["topics"] = self._offsets
        # The node may have to wait for the one that served the client before.
        header, _ = self._exchange(hello, b"", self._interval * self._tries)
        # While the backend is away, the node knows nothing of subscriptions.
        if self._offsets is None and "topics" in header:
            self._offsets = header["topics"]

    def _secured(self, host):
        try:
            return self._tls.wrap_socket(self._socket, server_hostname=host)
        except ssl.SSLCertVerificationError as error:
            if "mismatch" in error.verify_message or "not valid for" in error.verify_message:
                hint = "is not for this address: name it in the certificate, or connect by a name that is there"
            else:
                hint = "is not trusted: tls ca must be that of its authority"
            raise OSError(f"{self._edges[0]} cannot be used: its certificate {hint} ({error.verify_message})") from error
        except ssl.SSLError as error:
            if error.reason not in ("WRONG_VERSION_NUMBER", "PACKET_LENGTH_TOO_LONG", "RECORD_LAYER_FAILURE"):
                raise
            hint = "it does not speak TLS: leave tls out here, or start the node with a certificate"
            raise OSError(f"{self._edges[0]} cannot be used: {hint}") from error

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
                raise _REFUSALS.get(answer.get("code"), ExchangeError)(answer["message"])
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
