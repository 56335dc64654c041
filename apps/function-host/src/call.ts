/** What an event asks of the function. */

import {
  CALL_TYPE,
  decodeCall,
  type FunctionCall,
  type InvocationContext,
  type NextTask,
  nextFromAttribute,
  type TaskInput,
} from '@hivemind/task-runner'
import { decodeValue, encodeValue, formatOf } from '@hivemind/values'
import type { Event } from './event.ts'
import { Refusal } from './refusal.ts'
import type { HostedTask } from './tasks.ts'

/** An invocation as an event describes it. */
export interface Call extends FunctionCall {
  /** Id of the event. */
  id: string
  subject: string | undefined
  context: InvocationContext
  /** Calls of one key go to one process, in order. */
  key: string | undefined
  timeoutMs: number
  /** The call is not started after this time, in ms since 1970. */
  deadline: number | undefined
  /** Whether a run core calls, which reads outcomes; other callers get plain CloudEvents. */
  fromCore: boolean
  /** Whether the caller sent JSON, and so reads JSON. */
  json: boolean
  /** Where its items go instead of into the answer. */
  sink: string | undefined
  bytesIn: number
  /** Co-placed tasks to go on with; only of a run core. */
  next: readonly NextTask[]
}

const TRACEPARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}/
const isTraceparent = (value: unknown): value is string =>
  typeof value === 'string' && TRACEPARENT.test(value)

/**
 * Reads the call in an event. Throws `Refusal` with status 400 and a sentence about what is wrong.
 * @param traceparentHeader the HTTP header, which counts before the attribute `traceparent` of the event
 */
export function readCall(
  { attributes, data }: Event,
  config: HostedTask['config'],
  traceparentHeader?: string | string[],
): Call {
  const fromCore = attributes.hmrun !== undefined
  const call: FunctionCall =
    data?.type === CALL_TYPE ? read(data.bytes) : { inputs: inputsOf({ attributes, data }, config) }
  const lane = attributes.hmlane ?? '*'
  const devices =
    call.devices ?? (attributes.hmdevices ? attributes.hmdevices.split(',') : lane === '*' ? [] : [lane])
  const maxItems = numberOf(attributes, 'hmmaxitems')
  const traceparent = [traceparentHeader, attributes.traceparent].find(isTraceparent)
  return {
    ...call,
    id: attributes.id ?? '',
    subject: attributes.subject,
    context: {
      run: attributes.hmrun ?? attributes.id ?? '',
      task: config.task,
      device: lane,
      deviceIndex: numberOf(attributes, 'hmindex', -1) ?? devices.indexOf(lane),
      devices: [...devices],
      seq: numberOf(attributes, 'hmseq') ?? 0,
      ...(maxItems !== undefined && { maxItems }),
      ...(traceparent !== undefined && { traceparent }),
    },
    key: attributes.hmkey,
    timeoutMs: numberOf(attributes, 'hmtimeout', 1) ?? config.timeoutMs,
    deadline: numberOf(attributes, 'hmdeadline'),
    fromCore,
    json: data !== null && formatOf(data.type) === 'json',
    sink: attributes.hmsink ?? (fromCore ? undefined : config.sink),
    bytesIn: data?.bytes.length ?? 0,
    next: fromCore && attributes.hmthen ? nextFromAttribute(attributes.hmthen) : [],
  }
}

function read(bytes: Uint8Array): FunctionCall {
  try {
    return decodeCall(bytes)
  } catch (error) {
    throw new Refusal(400, `The data of type '${CALL_TYPE}' cannot be read: ${(error as Error).message}.`)
  }
}

/** The inputs of an event whose data is a value: the one the task reads, or a map of those it reads. */
function inputsOf(
  { attributes, data }: Event,
  { task, dataIn }: HostedTask['config'],
): Record<string, TaskInput> {
  const named = attributes.hminput ?? (dataIn.length === 1 ? dataIn[0] : undefined)
  if (named !== undefined) return { [named]: data ? { kind: 'one', value: data } : { kind: 'none' } }
  if (dataIn.length === 0 || data === null)
    return Object.fromEntries(dataIn.map((name) => [name, { kind: 'none' }]))
  const values = valueIn(data)
  if (typeof values !== 'object' || values === null || Array.isArray(values) || values instanceof Uint8Array)
    throw new Refusal(400, `The task '${task}' reads ${dataIn.join(', ')}: the data must be a map of these.`)
  return Object.fromEntries(
    dataIn.map((name): [string, TaskInput] => {
      const value = (values as Record<string, unknown>)[name]
      return [name, value === undefined ? { kind: 'none' } : { kind: 'one', value: encodeValue(value) }]
    }),
  )
}

function valueIn(data: NonNullable<Event['data']>): unknown {
  try {
    return decodeValue(data)
  } catch (error) {
    throw new Refusal(400, `The data cannot be read: ${(error as Error).message}.`)
  }
}

function numberOf(attributes: Record<string, string>, name: string, min = 0): number | undefined {
  const text = attributes[name]
  if (text === undefined) return undefined
  const value = Number(text)
  if (text.trim() === '' || !Number.isFinite(value) || value < min)
    throw new Refusal(400, `The attribute '${name}' must be a number from ${min}, not '${text}'.`)
  return value
}
