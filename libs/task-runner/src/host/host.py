"""The process that runs Python task code: it talks to its runner over file descriptor 3. Standard library only."""
import importlib.util
import json
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


BREAK = object()


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
        if info == 31:
            return BREAK, at
        return {20: False, 21: True}.get(info), at
    if info == 31:
        return _decode_indefinite(major, data, at)
    if info < 24:
        value = info
    elif info <= 27:
        form = {24: '>B', 25: '>H', 26: '>I', 27: '>Q'}[info]
        value = struct.unpack_from(form, data, at)[0]
        at += struct.calcsize(form)
    else:
        raise ValueError('this is not CBOR')
    if major == 0:
        return value, at
    if major == 1:
        return -1 - value, at
    if major in (2, 3):
        raw = data[at:at + value]
        if len(raw) < value:
            raise ValueError('it ends too early')
        return raw if major == 2 else raw.decode('utf-8', 'replace'), at + value
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


def _decode_indefinite(major, data, at):
    """Bytes, text, a list or a map that ends with a break: encoders that stream write these."""
    items = []
    item, at = _decode(data, at)
    while item is not BREAK:
        items.append(item)
        item, at = _decode(data, at)
    if major in (2, 3):
        return (b'' if major == 2 else '').join(items), at
    if major == 4:
        return items, at
    if major == 5:
        return dict(zip(items[::2], items[1::2])), at
    raise ValueError('this is not CBOR')


def decode(data):
    value, at = _decode(data, 0)
    if at != len(data):
        raise ValueError('there are bytes after its end')
    return value


# --- Values: their bytes with a media type ----------------------------------------------------------------------

def format_of(media_type):
    """How bytes of a media type are read; as `formatOf` of libs/values."""
    essence = media_type.split(';', 1)[0].strip().lower()
    if essence == 'application/cbor' or essence.endswith('+cbor'):
        return 'cbor'
    if essence in ('application/json', 'text/json') or essence.endswith('+json'):
        return 'json'
    return 'raw'


def encode_value(value, declared, where='the output'):
    """Media type and bytes of a value; bytes alone travel as they are."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        raw = declared is not None and declared != '' and format_of(declared) == 'raw'
        return declared if raw else 'application/octet-stream', bytes(value)
    return 'application/cbor', encode(value, where)


def decode_value(framed, payloads, name):
    media_type, data = framed['type'], payloads[framed['at']]
    form = format_of(media_type)
    if form == 'raw':
        return data
    try:
        return json.loads(data.decode('utf-8')) if form == 'json' else decode(data)
    except (ValueError, IndexError, KeyError, TypeError, RecursionError, struct.error) as error:
        raise NotSendable(
            f"its input '{name}' has {len(data)} bytes of type '{media_type}' that cannot be read: {error}") from None


def decode_input(name, framed, payloads):
    if framed is None:
        return None
    if isinstance(framed, list):
        return [dict(item, value=decode_value(item['value'], payloads, name)) for item in framed]
    return decode_value(framed, payloads, name)


# --- The wire ---------------------------------------------------------------------------------------------------

wire = socket.socket(fileno=3)
writing = threading.Lock()


def send(report, payloads=()):
    """Writes a frame: see frames.ts. The payloads follow the header as they are."""
    if payloads:
        report = dict(report, sizes=[len(payload) for payload in payloads])
    body = encode(report)
    with writing:
        wire.sendall(struct.pack('>I', len(body)) + body)
        for payload in payloads:
            wire.sendall(payload)


class Payloads(list):
    def add(self, data):
        self.append(data)
        return len(self) - 1

    def value(self, media_type, data):
        return {'type': media_type, 'at': self.add(data)}


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
    """The next message and its payloads."""
    (length,) = struct.unpack('>I', _exactly(4))
    message = decode(_exactly(length))
    return message, [_exactly(size) for size in message.get('sizes', ())]


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


def moment():
    """Now, in ms, and what the thread had waited for a core until then: a wait between two readings would count in one alone."""
    waited = waited_for_core()
    for _ in range(5):
        at, before, waited = time.perf_counter() * 1000.0, waited, waited_for_core()
        if waited == before:
            break
    return at, waited


# --- Running the code -------------------------------------------------------------------------------------------

MAX_STATE_BYTES = 1_000_000


def in_code(step, *args):
    """Calls `step` for task code: what cannot be sent is an exception of that code, with its stack."""
    try:
        return step(*args)
    except NotSendable as error:
        raise ValueError(str(error)) from None


def state_key_of(inputs, field):
    """Which of several states an item belongs to: the value of a field of its input, as JSON."""
    for value in inputs.values():
        if isinstance(value, dict) and field in value:
            if isinstance(value[field], (str, int, float)):
                return json.dumps(value[field])
            raise NotSendable(
                f"its state is kept by the field '{field}', whose value must be a text, a number or a truth value"
            )
    raise NotSendable(f"its state is kept by the field '{field}', which no input of this item has")


class State:
    """`context.state`: read when the code first asks for it, written when it has changed."""

    def __init__(self, data, stateful, key=None):
        self._data = data
        self._stateful = stateful
        # Which of several states in `data` it is; the only one when there is no key.
        self._key = key
        self._whole = {}
        self._values = None
        self._changed = False

    def get(self, key=None, fallback=None):
        values = self._read()
        return dict(values) if key is None else values.get(key, fallback)

    def set(self, key, value):
        if not self._stateful:
            raise ValueError("this task keeps no state; give it state='device' or state='FIELD' in the workflow")
        if not isinstance(key, str):
            raise TypeError(f'the key of a state must be text, and is a {type(key).__name__}')
        # What is kept is what it was when it was set.
        self._read()[key] = decode(in_code(encode, value, f"the state '{key}'"))
        self._changed = True

    def _read(self):
        if self._values is None:
            self._whole = decode(self._data) if self._data else {}
            self._values = self._whole if self._key is None else self._whole.get(self._key, {})
        return self._values

    def _changes(self):
        if not self._changed:
            return None
        self._changed = False
        whole = self._values if self._key is None else {**self._whole, self._key: self._values}
        data = encode(whole, 'the state')
        if len(data) > MAX_STATE_BYTES:
            raise NotSendable(f'its state has {len(data)} bytes; a task may keep at most 1 MB of state')
        return data


MAX_LINE_LENGTH = 4000


def cut_line(text):
    """A line of the log as it is passed on: what is cut is said."""
    if len(text) <= MAX_LINE_LENGTH + 50:
        return text
    return f'{text[:MAX_LINE_LENGTH]} [{len(text) - MAX_LINE_LENGTH:,} characters cut]'


class Context:
    """What the task may know and do; the fields are those of docs/task-code.md."""

    def __init__(self, directory, fields, state):
        self._directory = directory
        self.state = state
        self.run = fields.get('run')
        self.task = fields.get('task')
        self.device = fields.get('device')
        self.deviceIndex = fields.get('deviceIndex')
        self.devices = fields.get('devices')
        self.seq = fields.get('seq')
        self.maxItems = fields.get('maxItems')
        self.traceparent = fields.get('traceparent')

    def log(self, text, level='info'):
        send({'t': 'log', 'level': level, 'text': cut_line(str(text))})

    def report(self, decision):
        payloads = Payloads()
        media_type, data = in_code(encode_value, decision, None, 'the decision')
        send({'t': 'decision', 'value': payloads.value(media_type, data)}, payloads)

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


def item_report(value, declared, devices, state):
    payloads = Payloads()
    report = {'t': 'item', 'value': payloads.value(*encode_value(value, declared))}
    if devices is not None and isinstance(value, dict) and all(key in devices for key in value):
        report['parts'] = {key: payloads.value(*encode_value(part, declared)) for key, part in value.items()}
    changes = state._changes()
    if changes is not None:
        report['state'] = payloads.add(changes)
    return report, payloads


def invoke(run, loaded, command, inputs, directory):
    state = None
    devices = set(command['scatterTo']) if 'scatterTo' in command else None
    # what is not the code's own time: until its items are taken, and, of the rest, until it had a core
    waited = 0.0
    coreless = 0.0

    def emit(value, last=False):
        nonlocal waited, coreless
        began, before = moment()
        report, payloads = item_report(value, loaded.get('outputType'), devices, state)
        if last:
            send({**report, 'last': True}, payloads)
        else:
            send(report, payloads)
            receive()
        taken, after = moment()
        waited += taken - began
        coreless += after - before

    try:
        values = {name: decode_input(name, framed, inputs) for name, framed in command['inputs'].items()}
        key = state_key_of(values, loaded['stateField']) if 'stateField' in loaded else None
        state = State(inputs[command['state']] if 'state' in command else None, loaded['stateful'], key)
        began, before = moment()
        result = run(values, loaded['args'], Context(directory, command['context'], state))
        if hasattr(result, '__next__'):
            for value in result:
                emit(value)
        else:
            emit(result, last=True)
        end, after = moment()
        took = end - began - waited
        waited_ms = min(took, max(0.0, after - before - coreless))
        done, payloads = {'t': 'done', 'executionMs': took - waited_ms, 'waitedMs': waited_ms}, Payloads()
        changes = state._changes()
        if changes is not None:
            done['state'] = payloads.add(changes)
        send(done, payloads)
    except NotSendable as error:
        send({'t': 'failed', 'kind': 'value', 'message': str(error), 'detail': ''})
    except (Exception, SystemExit) as error:
        send({'t': 'failed', 'kind': 'exception', **describe(error, directory)})


def main():
    send({'t': 'started'})
    # a sandbox ends by itself
    if 'HIVEMIND_RUNNER' in os.environ:
        threading.Thread(target=watch_parent, daemon=True).start()
    loaded, _ = receive()
    directory = os.path.realpath(loaded['dir'])
    try:
        run = load(loaded, directory)
    except (Exception, SystemExit) as error:
        told = describe(error, directory)
        message = f"'{loaded['code']}' cannot be loaded: {told['message']}"
        send({'t': 'failed', 'kind': 'load', 'message': message, 'detail': told['detail']})
        return
    send({'t': 'loaded'})
    while True:
        command, payloads = receive()
        if command['t'] == 'invoke':
            invoke(run, loaded, command, payloads, directory)


main()
