"""The process that runs Python task code: it talks to its runner over file descriptor 3. Standard library only."""
import importlib.util
import os
import signal
import socket
import struct
import sys
import threading
import time
import traceback


# --- CBOR (RFC 8949): what JSON can hold, and bytes -------------------------------------------------------------

class NotSendable(Exception):
    pass


def _head(major, value):
    if value < 24:
        return bytes([major << 5 | value])
    for code, form, top in ((24, '>B', 0xFF), (25, '>H', 0xFFFF), (26, '>I', 0xFFFFFFFF), (27, '>Q', 2**64 - 1)):
        if value <= top:
            return bytes([major << 5 | code]) + struct.pack(form, value)
    raise NotSendable('a whole number of more than 64 bits cannot be sent')


def encode(value, where='the output', depth=0):
    if depth > 200:
        raise NotSendable(f'{where} is nested more than 200 levels deep, or contains itself.')
    if value is None:
        return b'\xf6'
    if value is True:
        return b'\xf5'
    if value is False:
        return b'\xf4'
    if isinstance(value, int):
        try:
            return _head(0, value) if value >= 0 else _head(1, -1 - value)
        except NotSendable:
            raise NotSendable(f'{where} is a whole number of more than 64 bits.') from None
    if isinstance(value, float):
        return b'\xfb' + struct.pack('>d', value)
    if isinstance(value, str):
        raw = value.encode('utf-8', 'replace')
        return _head(3, len(raw)) + raw
    if isinstance(value, (bytes, bytearray, memoryview)):
        raw = bytes(value)
        return _head(2, len(raw)) + raw
    if isinstance(value, (list, tuple)):
        parts = [_head(4, len(value))]
        parts += [encode(item, f'{where}[{index}]', depth + 1) for index, item in enumerate(value)]
        return b''.join(parts)
    if isinstance(value, dict):
        parts = [_head(5, len(value))]
        for key, item in value.items():
            if not isinstance(key, str):
                raise NotSendable(f'{where} has the key {key!r}; keys must be text.')
            parts += [encode(key), encode(item, f'{where}.{key}', depth + 1)]
        return b''.join(parts)
    raise NotSendable(f'{where} is a {type(value).__name__}; return dict, list, str, int, float, bool, None or bytes.')


def _decode(data, at):
    first = data[at]
    major, info = first >> 5, first & 31
    at += 1
    if major == 7:
        if info == 25:
            return struct.unpack_from('>e', data, at)[0], at + 2
        if info == 26:
            return struct.unpack_from('>f', data, at)[0], at + 4
        if info == 27:
            return struct.unpack_from('>d', data, at)[0], at + 8
        return {20: False, 21: True}.get(info), at
    if info < 24:
        value = info
    elif info <= 27:
        form = {24: '>B', 25: '>H', 26: '>I', 27: '>Q'}[info]
        value = struct.unpack_from(form, data, at)[0]
        at += struct.calcsize(form)
    else:
        raise ValueError('indefinite lengths are not used here')
    if major == 0:
        return value, at
    if major == 1:
        return -1 - value, at
    if major == 2:
        return data[at:at + value], at + value
    if major == 3:
        return data[at:at + value].decode('utf-8', 'replace'), at + value
    if major == 4:
        items = []
        for _ in range(value):
            item, at = _decode(data, at)
            items.append(item)
        return items, at
    if major == 5:
        table = {}
        for _ in range(value):
            key, at = _decode(data, at)
            table[key], at = _decode(data, at)
        return table, at
    return _decode(data, at)


def decode(data):
    return _decode(data, 0)[0]


# --- The wire ---------------------------------------------------------------------------------------------------

wire = socket.socket(fileno=3)
writing = threading.Lock()


def send(report):
    body = encode(report)
    with writing:
        wire.sendall(struct.pack('>I', len(body)) + body)


def _exactly(count):
    parts = []
    while count > 0:
        part = wire.recv(min(count, 1 << 20))
        if not part:
            os._exit(0)
        parts.append(part)
        count -= len(part)
    return b''.join(parts)


def receive():
    (length,) = struct.unpack('>I', _exactly(4))
    return decode(_exactly(length))


def watch_parent():
    """User code may never return, so a thread watches whether anybody still wants its work."""
    parent = int(os.environ['HIVEMIND_RUNNER'])
    while True:
        time.sleep(0.3)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)


def waited_for_core():
    """How long the main thread was ready to run but had no core, in ms; 0 where the system does not tell."""
    try:
        with open('/proc/self/schedstat', 'rb') as file:
            return int(file.read().split()[1]) / 1e6
    except (OSError, ValueError, IndexError):
        return 0.0


# --- Running the code -------------------------------------------------------------------------------------------

class Context:
    """What the task may know and do; the fields are those of docs/task-code.md."""

    def __init__(self, directory, fields):
        self._directory = directory
        self.run = fields.get('run')
        self.task = fields.get('task')
        self.device = fields.get('device')
        self.deviceIndex = fields.get('deviceIndex')
        self.devices = fields.get('devices')
        self.seq = fields.get('seq')
        self.maxItems = fields.get('maxItems')

    def log(self, text, level='info'):
        send({'t': 'log', 'level': level, 'text': str(text)})

    def path(self, relative):
        full = os.path.abspath(os.path.join(self._directory, relative))
        for place in (full, os.path.realpath(full)):
            if place != self._directory and not place.startswith(self._directory + os.sep):
                raise ValueError(f"The path '{relative}' leaves the project; a task may only use its own files.")
        return full


def describe(error, directory):
    """An error in its author's terms: only frames of their code, with paths as in the project."""
    frames = [f for f in traceback.extract_tb(error.__traceback__) if f.filename.startswith(directory + os.sep)]
    lines = traceback.format_list(frames) + traceback.format_exception_only(type(error), error)
    return {'message': f'{type(error).__name__}: {error}', 'detail': ''.join(lines).replace(directory + os.sep, '')}


def load(command, directory):
    path = os.path.join(directory, command['code'])
    sys.path.insert(0, os.path.dirname(path))
    spec = importlib.util.spec_from_file_location('hivemind_task', path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    run = getattr(module, 'run', None)
    if not callable(run):
        raise TypeError('it has no function named run. Write: def run(inputs, args, context): ...')
    return run


def invoke(run, args, command, directory):
    # what is not the code's own time: until its items are taken, and, of the rest, until it had a core
    waited = 0.0
    coreless = waited_for_core()

    def emit(value):
        nonlocal waited, coreless
        report = encode({'t': 'item', 'value': None})[:-1] + encode(value)
        began = time.perf_counter()
        before = waited_for_core()
        with writing:
            wire.sendall(struct.pack('>I', len(report)) + report)
        receive()
        waited += time.perf_counter() - began
        coreless += waited_for_core() - before

    began = time.perf_counter()
    try:
        result = run(command['inputs'], args, Context(directory, command['context']))
        if hasattr(result, '__next__'):
            for value in result:
                emit(value)
        else:
            emit(result)
        took = (time.perf_counter() - began - waited) * 1000.0
        waited_ms = min(took, max(0.0, waited_for_core() - coreless))
        send({'t': 'done', 'executionMs': took - waited_ms, 'waitedMs': waited_ms})
    except NotSendable as error:
        send({'t': 'failed', 'kind': 'value', 'message': str(error), 'detail': ''})
    except (Exception, SystemExit) as error:
        send({'t': 'failed', 'kind': 'exception', **describe(error, directory)})


def main():
    send({'t': 'started'})
    threading.Thread(target=watch_parent, daemon=True).start()
    command = receive()
    directory = os.path.realpath(command['dir'])
    args = command['args']
    try:
        run = load(command, directory)
    except (Exception, SystemExit) as error:
        told = describe(error, directory)
        message = f"'{command['code']}' cannot be loaded: {told['message']}"
        send({'t': 'failed', 'kind': 'load', 'message': message, 'detail': told['detail']})
        return
    send({'t': 'loaded'})
    while True:
        command = receive()
        if command['t'] == 'invoke':
            invoke(run, args, command, directory)


main()
