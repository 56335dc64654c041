/**
 * How an invocation travels to a function in another process, and its outcome back: the bodies and attributes of the
 * CloudEvents between a caller and a function host.
 */
import { decodeCbor, type EncodedValue, encodeCbor } from '@hivemind/values'
import type { Emitted, InvocationResult, TaskErrorKind, TaskInput } from './types.ts'

/** Media type of a `FunctionCall`. */
export const CALL_TYPE = 'application/vnd.hivemind.inputs+cbor'
/** Media type of a `FunctionOutcome`. */
export const OUTCOME_TYPE = 'application/vnd.hivemind.outcome+cbor'
/** Media type of a sequence of `FunctionFrame`s, each behind its length as a 32-bit big-endian number. */
export const ITEMS_TYPE = 'application/vnd.hivemind.items+cbor-seq'
/** Largest body of a call or an answer that is not a sequence, and largest frame of one, in bytes. */
export const MAX_EVENT_BYTES = 64 * 1024 * 1024

/** An invocation that is more than one value. */
export interface FunctionCall {
  /** By name of the data. */
  inputs: Record<string, TaskInput>
  /** See `Invocation`, as the other fields. */
  state?: Uint8Array
  firstIndex?: number
  scatterTo?: readonly string[]
  paceMs?: number
  /** Names of the devices of the run, when there are too many for an attribute. */
  devices?: readonly string[]
}

/** How an invocation went. Times in ms; `startedAt` and `endedAt` in ms since 1970 by the clock of the function's machine. */
export interface FunctionStats extends Omit<InvocationResult, 'state'> {
  /** Until a process of the function was free. */
  waitMs: number
  /** Name of the process that ran it. */
  worker: string
  startedAt: number
  endedAt: number
  bytesIn: number
  bytesOut: number
}

/** A line that task code logged. */
export interface FunctionLog {
  level: 'debug' | 'info' | 'warn' | 'error'
  text: string
}

/** The only item of an invocation, when it is more than a value. */
export interface FunctionOutcome {
  item?: Emitted
  state?: Uint8Array
  logs?: FunctionLog[]
}

/** Why an invocation failed; the JSON body of an answer with status 500. */
export interface FunctionProblem {
  kind: TaskErrorKind
  message: string
  /** Stack trace of the task's code, or the exit of its process. */
  detail: string
  logs?: FunctionLog[]
}

/** One step of an invocation whose items come one by one. The last is `end` or `failed`. */
export type FunctionStep =
  | { t: 'item'; index: number; item: Emitted }
  | { t: 'log'; log: FunctionLog }
  | { t: 'end'; stats: FunctionStats; state?: Uint8Array }
  | { t: 'failed'; problem: FunctionProblem }

/** A step of the call itself, or of a co-placed task that the function has gone on with. */
export type FunctionFrame = FunctionStep & { task?: string }

/** A co-placed task that a call goes on with, and the W3C `traceparent` of its execution. */
export interface NextTask {
  task: string
  traceparent?: string
}

/** Tasks to go on with as the attribute `hmthen`. */
export const nextToAttribute = (next: readonly NextTask[]): string =>
  next.map(({ task, traceparent = '' }) => `${task}=${traceparent}`).join(',')

/** Reads what `nextToAttribute` wrote. */
export const nextFromAttribute = (text: string): NextTask[] =>
  text.split(',').map((part) => {
    const [task = '', traceparent = ''] = part.split('=', 2)
    return { task, ...(traceparent !== '' && { traceparent }) }
  })

const NUMBERS = [
  'items',
  'executionMs',
  'waitedMs',
  'callMs',
  'startMs',
  'pacedMs',
  'decisions',
  'peakMemoryMB',
  'waitMs',
  'startedAt',
  'endedAt',
  'bytesIn',
  'bytesOut',
] as const satisfies (keyof FunctionStats)[]

const NUMBER_ATTRIBUTES = NUMBERS.map((name) => [name, `hm${name.toLowerCase()}`] as const)

/** The statistics as extension attributes of a CloudEvent: `hmitems`, `hmexecutionms`. */
export function statsToAttributes(stats: FunctionStats): Record<string, string> {
  const attributes: Record<string, string> = { hmworker: stats.worker }
  for (const [name, attribute] of NUMBER_ATTRIBUTES)
    attributes[attribute] = String(Number(stats[name].toFixed(6)))
  return attributes
}

/** Reads what `statsToAttributes` wrote; a missing number is 0. */
export function statsFromAttributes(read: (name: string) => string | undefined): FunctionStats {
  const stats: Partial<FunctionStats> = { worker: read('hmworker') ?? '' }
  for (const [name, attribute] of NUMBER_ATTRIBUTES) stats[name] = Number(read(attribute) ?? 0) || 0
  return stats as FunctionStats
}

/** What needs no percent encoding. */
const PLAIN_HEADER = /^[\x21\x23-\x24\x26-\x7e]*$/

/** An attribute as a header value: what is no printable ASCII, and space, quote and percent sign, in percent encoding. */
export function attributeToHeader(value: string): string {
  if (PLAIN_HEADER.test(value)) return value
  return value.replace(/[^\x21\x23-\x24\x26-\x7e]+/gu, (part) =>
    part === '"' ? '%22' : encodeURIComponent(part),
  )
}

/** The body of a call. */
export function encodeCall(call: FunctionCall): Uint8Array {
  let size = 0
  for (const input of Object.values(call.inputs))
    if (input.kind === 'one') size += input.value.bytes.length
    else if (input.kind === 'many') for (const { value } of input.items) size += value.bytes.length + 100
  return encodeCbor(call, size)
}

/** Reads the body of a call; bytes in it are views. Throws an `Error` that says what is wrong with it. */
export function decodeCall(bytes: Uint8Array): FunctionCall {
  const call = decodeCbor(bytes) as Partial<FunctionCall> | null
  if (typeof call !== 'object' || call === null || !isRecord(call.inputs))
    throw new Error("it must be a map with 'inputs', a map of inputs by name")
  for (const [name, input] of Object.entries(call.inputs)) checkInput(name, input)
  if (call.state !== undefined && !(call.state instanceof Uint8Array))
    throw new Error("'state' must be bytes")
  for (const name of ['firstIndex', 'paceMs'] as const)
    if (call[name] !== undefined && !(Number(call[name]) >= 0))
      throw new Error(`'${name}' must be a number from 0`)
  for (const name of ['scatterTo', 'devices'] as const)
    if (call[name] !== undefined && !isTexts(call[name])) throw new Error(`'${name}' must be a list of names`)
  return call as FunctionCall
}

function checkInput(name: string, input: unknown): void {
  if (!isRecord(input)) throw new Error(`the input '${name}' must be a map`)
  const { kind, value, items } = input
  if (kind === 'none' || (kind === 'one' && isValue(value))) return
  const isItem = (item: unknown): boolean =>
    isRecord(item) && typeof item.device === 'string' && Number.isInteger(item.seq) && isValue(item.value)
  if (kind === 'many' && Array.isArray(items) && items.every(isItem)) return
  throw new Error(
    `the input '${name}' must be {kind: 'none'}, {kind: 'one', value} or {kind: 'many', items: [{device, seq, value}]}, each value {type, bytes}`,
  )
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array)

const isTexts = (value: unknown): boolean =>
  Array.isArray(value) && value.every((each) => typeof each === 'string')

const isValue = (value: unknown): value is EncodedValue =>
  isRecord(value) && typeof value.type === 'string' && value.bytes instanceof Uint8Array

/** The body of an outcome. */
export function encodeOutcome(outcome: FunctionOutcome): Uint8Array {
  return encodeCbor(outcome, outcome.item?.value.bytes.length)
}

/** Reads the body of an outcome; bytes in it are views. Throws an `Error` when it is no CBOR. */
export function decodeOutcome(bytes: Uint8Array): FunctionOutcome {
  return decodeCbor(bytes) as FunctionOutcome
}

/** A frame with its length before it. */
export function encodeFunctionFrame(frame: FunctionFrame): Uint8Array {
  const body = encodeCbor(frame, frame.t === 'item' ? frame.item.value.bytes.length : 0)
  const bytes = new Uint8Array(4 + body.length)
  new DataView(bytes.buffer).setUint32(0, body.length)
  bytes.set(body, 4)
  return bytes
}

/** Reads a sequence of frames from chunks of any size. Throws an `Error` when a frame is too large or no CBOR. */
export async function* readFunctionFrames(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FunctionFrame> {
  let pending: Uint8Array[] = []
  let length = 0
  let needed = 4
  for await (const chunk of chunks) {
    pending.push(chunk)
    length += chunk.length
    if (length < needed) continue
    let all = Buffer.concat(pending)
    while (all.length >= 4) {
      const size = all.readUInt32BE(0)
      if (size > MAX_EVENT_BYTES)
        throw new Error(`A frame of ${size} bytes is larger than ${MAX_EVENT_BYTES}.`)
      needed = 4 + size
      if (all.length < needed) break
      yield decodeCbor(all.subarray(4, needed)) as FunctionFrame
      all = all.subarray(needed)
      needed = 4
    }
    pending = [all]
    length = all.length
  }
  if (length > 0) throw new Error('The sequence of items ends in the middle of one.')
}
