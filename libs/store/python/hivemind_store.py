"""Client of the store of a HiveMind service over its HTTP API. One file, Python 3.9 or later, standard library only.

    from hivemind_store import Store

    store = Store('http://127.0.0.1:4310')
    store.create_pool('/factory/images', versions=100)
    first = store.put('/factory/images/7', photo, type='image/jpeg')
    store.put('/factory/images/7', better, type='image/jpeg', expected_version=first.version)
    store.get('/factory/images/7').bytes
    store.get('/factory/images/7', version=first.version).bytes

Times are in microseconds since 1970. Every operation raises `StoreError` when the service refuses it, and `OSError` when it
cannot be reached; a write whose answer was lost may have been made. A `Store` may be used by several threads.
"""
import base64
import http.client
import json
import os
import re
from dataclasses import dataclass
from typing import IO, Any, Callable, Dict, Iterable, Iterator, List, Optional, Union
from urllib.parse import urlencode, urlsplit

_BINARY = 'application/octet-stream'
_PAGE = 1_000


class StoreError(Exception):
    """The service refused an operation. `status` is that of HTTP."""

    def __init__(self, status: int, detail: str):
        super().__init__(detail)
        self.status = status


class NotAllowedError(StoreError):
    """The access key does not have the right that the operation needs."""


class NotFoundError(StoreError):
    """There is no such object, pool or version."""


class ConflictError(StoreError):
    """The object has another version than the expected one, or a different pool is in the way."""


class ForgottenError(StoreError):
    """The retention of the pool has dropped the version that was asked for."""


class MissedError(Exception):
    """A watch was cut off for more writes than the service replays: look at the objects again."""


_ERRORS = {403: NotAllowedError, 404: NotFoundError, 409: ConflictError, 410: ForgottenError}


@dataclass(frozen=True)
class Info:
    """One version of an object, without its bytes."""

    key: str
    version: int  # counts the writes to the pool
    timestamp: int
    previous_version: int
    previous_key_version: int
    ordinal: int  # counts the writes to the key
    removed: bool
    type: str  # media type
    size: int  # in bytes


@dataclass(frozen=True)
class Object:
    """One version of an object."""

    key: str
    version: int
    timestamp: int
    type: str
    bytes: bytes


@dataclass(frozen=True)
class Message:
    """A message of a topic. Its offset is the version of the object at the path of the topic."""

    topic: str
    offset: int
    timestamp: int
    type: str
    bytes: bytes


Body = Union[bytes, bytearray, str, IO[bytes], Iterable[bytes]]


class Store:
    """The store of a service.

    `url` is that of the service, `timeout` how long it may be silent, in s. `key` is an access key of the store, `password` the
    password of the service when it has one; without either, the key in the environment variable HIVEMIND_STORE_KEY, if any.
    """

    def __init__(
        self,
        url: str,
        password: Optional[str] = None,
        timeout: float = 60,
        key: Optional[str] = None,
    ):
        at = urlsplit(url)
        if at.scheme not in ('http', 'https') or at.hostname is None:
            raise ValueError(f'{url!r} is not the URL of a service, such as http://127.0.0.1:4310.')
        self._connect = http.client.HTTPSConnection if at.scheme == 'https' else http.client.HTTPConnection
        self._host = at.hostname
        self._port = at.port
        self._base = at.path.rstrip('/') + '/api/store/'
        self._timeout = timeout
        self._headers: Dict[str, str] = {}
        if key is not None and password is not None:
            raise ValueError('Give either a key or a password, not both.')
        if password is None:
            key = key or os.environ.get('HIVEMIND_STORE_KEY')
        if key:
            self._headers['Authorization'] = f'Bearer {key}'
        if password is not None:
            secret = base64.b64encode(f'hivemind:{password}'.encode()).decode()
            self._headers['Authorization'] = f'Basic {secret}'

    def create_pool(
        self,
        path: str,
        persistence: str = 'persistent',
        versions: Optional[int] = None,
        age_ms: Optional[float] = None,
        affinity: Optional[str] = None,
    ) -> Dict[str, Any]:
        """Creates a pool, or returns the equal one that is there.

        `versions` and `age_ms` limit what is kept of a key. Pools of the same `affinity` lie on the same server of a cluster.
        """
        pool = _pool(path, persistence, versions, age_ms)
        return self._json('POST', 'pools', body=pool if affinity is None else {**pool, 'affinity': affinity})

    def pools(self, prefix: Optional[str] = None) -> List[Dict[str, Any]]:
        """The pools in and below a path; all of them without it."""
        return self._json('GET', 'pools', prefix=prefix)

    def remove_pool(self, path: str) -> None:
        """Removes a pool with all its objects."""
        self._read('DELETE', 'pools', path=path)

    def put(
        self, key: str, value: Body, type: str = _BINARY, expected_version: Optional[int] = None
    ) -> Info:
        """Writes an object. `value` is bytes, text (as UTF-8), an open binary file, or pieces, which are sent as they come."""
        body = value.encode() if isinstance(value, str) else value
        return _info(self._json('PUT', 'object', data=body, key=key, type=type, expectedVersion=expected_version))

    def get(self, key: str, version: Optional[int] = None, time: Optional[int] = None) -> Object:
        """The object: the latest, or as it was at a version of the pool or at a time. Raises `NotFoundError`."""
        with self._open('GET', 'object', key=key, version=version, time=time) as answer:
            return Object(
                key=key,
                version=int(answer.headers['X-Store-Version']),
                timestamp=int(answer.headers['X-Store-Timestamp']),
                type=answer.headers['Content-Type'],
                bytes=answer.read(),
            )

    def open(self, key: str, version: Optional[int] = None, time: Optional[int] = None) -> IO[bytes]:
        """The bytes of an object as a file to read, for objects that are larger than memory. Close it."""
        return self._open('GET', 'object', key=key, version=version, time=time)

    def list(
        self, prefix: str, version: Optional[int] = None, time: Optional[int] = None
    ) -> Iterator[Info]:
        """The objects under a prefix in the order of their keys, fetched by page."""
        after = None
        while True:
            at = {'version': version, 'time': time}
            page = self._json('GET', 'objects', prefix=prefix, after=after, limit=_PAGE, **at)
            yield from map(_info, page['objects'])
            after = page.get('next')
            if after is None:
                return

    def history(self, key: str) -> Iterator[Info]:
        """The kept versions of a key, oldest first, removals included."""
        return self._versions('versions', key=key)

    def changes(self, prefix: str, after: int = 0) -> Iterator[Info]:
        """The kept versions of all keys under a prefix after a version, oldest first, removals included."""
        return self._versions('changes', after, prefix=prefix)

    def remove(self, key: str, expected_version: Optional[int] = None) -> Info:
        """Writes a version that says removed; earlier versions stay readable. Raises `NotFoundError`."""
        return _info(self._json('DELETE', 'object', key=key, expectedVersion=expected_version))

    def watch(self, prefix: str, after: Optional[int] = None) -> 'Events[Info]':
        """The writes under a prefix from now on, or first those after a version. Raises `MissedError` when they are too many."""

        def read(event: str, data: Any) -> Optional[Info]:
            if event == 'reset':
                raise MissedError(f'More was written under {prefix} than is replayed: list it again.')
            return _info(data) if event == 'change' else None

        return Events(self, read, {'prefix': prefix}, 'watch', None if after is None else str(after))

    def create_topic(
        self,
        topic: str,
        persistence: str = 'volatile',
        versions: Optional[int] = None,
        age_ms: Optional[float] = None,
    ) -> Dict[str, Any]:
        """Creates a topic, whose path begins with /cms/topics."""
        return self._json('POST', 'topics', body=_pool(topic, persistence, versions, age_ms))

    def publish(self, topic: str, value: Union[bytes, str], type: str = _BINARY) -> int:
        """Publishes a message. Returns its offset."""
        body = value.encode() if isinstance(value, str) else value
        return self._json('POST', 'messages', data=body, topic=topic, type=type)['version']

    def subscribe(
        self,
        path: str,
        after: Optional[str] = None,
        on_gap: Optional[Callable[[str, int, int], None]] = None,
    ) -> 'Events[Message]':
        """The messages of the topics in and below a path from now on.

        `after` is the `position` of an earlier subscription, or '' for all messages that are kept. `on_gap` is called with a
        topic, the last offset that was read and the first one that is there still, when messages between them are gone.
        """

        def read(event: str, data: Any) -> Optional[Message]:
            if event == 'gap' and on_gap is not None:
                on_gap(data['topic'], data['after'], data['before'])
            if event != 'message':
                return None
            topic, offset = data['topic'], data['offset']
            content = data.get('bytes')
            whole = self.get(topic, version=offset).bytes if content is None else base64.b64decode(content)
            return Message(topic, offset, data['timestamp'], data['type'], whole)

        return Events(self, read, {'path': path}, 'messages', after)

    def _versions(self, route: str, after: int = 0, **where: str) -> Iterator[Info]:
        while True:
            page = self._json('GET', route, afterVersion=after, limit=_PAGE, **where)
            yield from map(_info, page)
            if len(page) < _PAGE:
                return
            after = page[-1]['version']

    def _json(self, method: str, route: str, body: Any = None, data: Optional[Body] = None, **query: Any) -> Any:
        return json.loads(self._read(method, route, body, data, **query))

    def _read(self, method: str, route: str, body: Any = None, data: Optional[Body] = None, **query: Any) -> bytes:
        with self._open(method, route, body, data, **query) as answer:
            return answer.read()

    def _open(self, method: str, route: str, body: Any = None, data: Optional[Body] = None, **query: Any):
        """Sends a request. Returns the answer, whose connection closes with it."""
        headers = {**self._headers, 'Connection': 'close'}
        content: Any = data
        if body is not None:
            headers['Content-Type'] = 'application/json'
            content = json.dumps(body)
        elif data is not None:
            headers['Content-Type'] = _BINARY
        search = urlencode({name: value for name, value in query.items() if value is not None})
        connection = self._connect(self._host, self._port, timeout=self._timeout)
        try:
            connection.request(method, f'{self._base}{route}?{search}', body=content, headers=headers)
            answer = connection.getresponse()
            if answer.status >= 400:
                raise _error(answer)
            return answer
        except BaseException:
            connection.close()
            raise


class Events(Iterator):
    """What comes, for ever: an iterator to be closed. It connects again when its connection is lost, and misses nothing.

    `position` is where it is: as `after`, it lets a later one go on from there.
    """

    def __init__(self, store: Store, read: Callable[[str, Any], Any], where: Dict[str, str], route: str, after: Optional[str]):
        self.position = after
        self._store = store
        self._read = read
        self._where = where
        self._route = route
        self._closed = False
        self._answer = self._connect()

    def __enter__(self):
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Ends the connection."""
        self._closed = True
        self._answer.close()

    def __next__(self) -> Any:
        while not self._closed:
            for event, data in self._events():
                item = self._read(event, data)
                if item is not None:
                    return item
            # Before its first event it cannot know where to go on.
            if self.position is None:
                raise ConnectionError('The connection was lost before the first event: what came since is not known.')
            self._answer.close()
            self._answer = self._connect()
        raise StopIteration

    def _connect(self):
        return self._store._open('GET', self._route, after=self.position, **self._where)

    def _events(self) -> Iterator[Any]:
        """The events until the connection is lost."""
        fields: Dict[str, str] = {}
        try:
            for line in self._answer:
                name, _, value = line.decode().rstrip('\n').partition(': ')
                if name:
                    fields[name] = value
                    continue
                if 'id' in fields:
                    self.position = fields['id']
                if 'event' in fields:
                    yield fields['event'], json.loads(fields['data'])
                fields = {}
        except (OSError, http.client.HTTPException):
            return


def _error(answer: http.client.HTTPResponse) -> StoreError:
    text = answer.read().decode(errors='replace')
    try:
        detail = json.loads(text)['detail']
    except (ValueError, KeyError, TypeError):
        detail = f'The service answered {answer.status} {answer.reason}.'
    return _ERRORS.get(answer.status, StoreError)(answer.status, detail)


def _pool(path: str, persistence: str, versions: Optional[int], age_ms: Optional[float]) -> Dict[str, Any]:
    retention = {name: value for name, value in (('versions', versions), ('ageMs', age_ms)) if value is not None}
    return {'path': path, 'persistence': persistence, **({'retention': retention} if retention else {})}


def _info(fields: Dict[str, Any]) -> Info:
    return Info(**{re.sub('[A-Z]', lambda letter: '_' + letter[0].lower(), name): each for name, each in fields.items()})
