/** Messages as CBOR, and the checks at the boundary: what is not as it must be is refused with a `ProtocolError`. */
import { decodeCbor, encodeCbor, type ValueRef } from '@hivemind/values'
import {
  bytes,
  type Check,
  flag,
  list,
  nullable,
  number,
  object,
  oneOf,
  optional,
  ProtocolError,
  record,
  text,
  variant,
  whole,
} from './check.ts'
import type {
  Applied,
  Beat,
  BeatEcho,
  Desired,
  Down,
  Hello,
  LogLine,
  Presence,
  SpanRecord,
  Telemetry,
  Up,
} from './messages.ts'
import type { SeqRanges } from './ranges.ts'
import type { Frame } from './session.ts'

/** Maximum size of a message on a topic, in bytes. */
export const MAX_PAYLOAD_BYTES = 2 * 2 ** 20

const name = text(256)
const sentence = text(64 * 1_024)

const ref: Check<ValueRef> = variant<ValueRef>('kind', {
  inline: object({ kind: oneOf('inline'), type: text(256), bytes }),
  stored: object({
    kind: oneOf('stored'),
    pool: name,
    key: text(1_024),
    version: whole(),
    size: whole(),
    type: text(256),
  }),
})

const range: Check<[number, number]> = (value, path) => {
  const [first, end] = list(whole(), 2)(value, path)
  if (first === undefined || end === undefined || end <= first)
    throw new ProtocolError(`${path} must be a range.`)
  return [first, end]
}
const ranges: Check<SeqRanges> = list(range)

const span: Check<SpanRecord> = object({
  worker: name,
  attempt: whole(1),
  queuedAt: number(),
  startedAt: number(),
  endedAt: number(),
  network: number(0),
  management: number(0),
  dataExchange: number(0),
  execution: number(0),
  bytesIn: whole(),
  bytesOut: whole(),
  items: whole(),
  ok: flag,
  error: optional(sentence),
})

const logLine: Check<LogLine> = object({
  at: number(),
  level: oneOf('debug', 'info', 'warn', 'error'),
  source: name,
  text: sentence,
})

const down: Check<Down> = variant<Down>('t', {
  start: object({
    t: oneOf('start'),
    run: name,
    deployment: name,
    lane: name,
    generation: whole(),
    devices: list(name),
    maxItems: optional(whole()),
    traceparent: optional(name),
    inputs: record(ref),
    done: record(ranges),
    states: record(bytes),
    generators: record(object({ first: whole(), count: optional(whole()) })),
  }),
  item: object({
    t: oneOf('item'),
    run: name,
    lane: name,
    task: name,
    seq: whole(),
    ref: nullable(ref),
    child: name,
  }),
  ended: object({ t: oneOf('ended'), run: name, lane: name, task: name, child: name }),
  stop: object({ t: oneOf('stop'), run: name, lane: optional(name) }),
})

const invocation = { run: name, lane: name, task: name, seq: whole() }
const kind = oneOf(
  'exception',
  'crash',
  'timeout',
  'memory',
  'load',
  'cancelled',
  'value',
  'lost',
  'deadline',
)

const up: Check<Up> = variant<Up>('t', {
  item: object({
    t: oneOf('item'),
    ...invocation,
    generation: whole(),
    ref: nullable(ref),
    parts: optional(record(ref)),
    at: number(),
    state: optional(bytes),
  }),
  done: object({
    t: oneOf('done'),
    ...invocation,
    generation: whole(),
    items: whole(),
    span,
    state: optional(bytes),
    missed: optional(flag),
  }),
  failed: object({
    t: oneOf('failed'),
    ...invocation,
    generation: whole(),
    kind,
    message: sentence,
    detail: sentence,
    items: whole(),
    span,
    final: flag,
  }),
  log: object({ t: oneOf('log'), run: name, lines: list(logLine) }),
})

const hello: Check<Hello> = object({
  device: name,
  class: name,
  version: name,
  boot: name,
  runtimes: list(name, 100),
  cores: number(0),
  memoryMB: number(0),
  pid: optional(whole()),
})

const desired: Check<Desired> = object({
  revision: whole(),
  deployments: list(
    object({
      id: name,
      plan: text(64),
      flow: optional(text(64)),
      bundles: record(text(64)),
      cores: optional(object({ isolated: record(whole()), shared: list(whole()) })),
    }),
  ),
  functions: optional(
    list(
      object({
        id: text(64),
        name: text(512),
        config: text(64),
        bundle: optional(text(64)),
        token: text(256),
      }),
      1_000,
    ),
  ),
  dataUrl: text(2_048),
  limits: optional(object({ logLinesPerSecond: optional(number(0)) })),
})

const applied: Check<Applied> = object({
  revision: whole(),
  boot: name,
  deployments: list(
    object({ id: name, state: oneOf('fetching', 'ready', 'failed'), error: optional(sentence) }),
  ),
  functions: optional(
    list(
      object({
        id: text(64),
        state: oneOf('starting', 'ready', 'restarting', 'failed'),
        error: optional(sentence),
      }),
      1_000,
    ),
  ),
})

const telemetry: Check<Telemetry> = object({
  at: number(),
  cpu: optional(number(0)),
  memoryUsedMB: optional(number(0)),
  memoryMB: optional(number(0)),
  batteryWh: optional(number(0)),
  capacityWh: optional(number(0)),
  roundTripMs: optional(number(0)),
  position: optional(object({ x: number(), y: number() })),
})

const beat: Check<Beat> = object({
  boot: name,
  n: whole(1),
  at: number(),
  echo: optional(object({ service: number(), heldMs: number() })),
})
const echo: Check<BeatEcho> = object({ boot: name, n: whole(1), at: number(), service: number() })
const presence: Check<Presence> = object({ boot: name, state: oneOf('online', 'gone') })

const frame = <M>(message: Check<M>): Check<Frame<M>> => {
  const check = object({
    b: text(64),
    p: text(64),
    n: whole(1),
    a: whole(),
    m: list(message, 10_000),
    q: optional(whole()),
    r: optional(whole()),
    s: optional(flag),
    w: optional(whole(1)),
  })
  return (value, path) => {
    const { s, ...rest } = check(value, path)
    if (rest.b === '') throw new ProtocolError('b must not be empty.')
    return s ? { ...rest, s } : rest
  }
}

function decoder<T>(check: Check<T>): (payload: Uint8Array) => T {
  return (payload) => {
    if (payload.length > MAX_PAYLOAD_BYTES)
      throw new ProtocolError(`A message of ${payload.length} bytes is longer than ${MAX_PAYLOAD_BYTES}.`)
    let value: unknown
    try {
      value = decodeCbor(payload)
    } catch (error) {
      throw new ProtocolError(`Not CBOR: ${(error as Error).message}`)
    }
    return check(value, '')
  }
}

/** Any message of the protocol as CBOR. */
export const encode = (
  message: Frame<Down> | Frame<Up> | Hello | Desired | Applied | Telemetry | Beat | BeatEcho | Presence,
): Uint8Array => encodeCbor(message, 'm' in message ? sizeOfAll(message.m) : 0)

function sizeOfAll(messages: (Down | Up)[]): number {
  let size = 0
  for (const message of messages) size += sizeOfMessage(message)
  return size
}

/** Reads a frame from the service. Throws `ProtocolError` naming the wrong field. */
export const decodeDown = decoder(frame(down))
/** Reads a frame from a device. Throws `ProtocolError` naming the wrong field. */
export const decodeUp = decoder(frame(up))
/** Reads a `hello`. Throws `ProtocolError` naming the wrong field. */
export const decodeHello = decoder(hello)
/** Reads a `desired`. Throws `ProtocolError` naming the wrong field. */
export const decodeDesired = decoder(desired)
/** Reads an `applied`. Throws `ProtocolError` naming the wrong field. */
export const decodeApplied = decoder(applied)
/** Reads a `telemetry`. Throws `ProtocolError` naming the wrong field. */
export const decodeTelemetry = decoder(telemetry)
/** Reads a `beat`. Throws `ProtocolError` naming the wrong field. */
export const decodeBeat = decoder(beat)
/** Reads an `echo`. Throws `ProtocolError` naming the wrong field. */
export const decodeEcho = decoder(echo)
/** Reads a `state`. Throws `ProtocolError` naming the wrong field. */
export const decodePresence = decoder(presence)

/** Size of a message as CBOR, in bytes, about: its values count in full, the rest by a guess. */
export function sizeOfMessage(message: Down | Up): number {
  let size = 200
  const add = (value: ValueRef | null | undefined): void => {
    if (value?.kind === 'inline') size += value.bytes.length
    else if (value) size += 200
  }
  if (message.t === 'item') {
    add(message.ref)
    if ('parts' in message) for (const part of Object.values(message.parts ?? {})) add(part)
  } else if (message.t === 'start') {
    for (const value of Object.values(message.inputs)) add(value)
    for (const state of Object.values(message.states)) size += state.length + 50
    for (const done of Object.values(message.done)) size += done.length * 8
    size += message.devices.length * 16
  } else if (message.t === 'done') size += message.state?.length ?? 0
  else if (message.t === 'failed') size += message.message.length + message.detail.length
  else if (message.t === 'log') for (const line of message.lines) size += line.text.length + 60
  return size
}
