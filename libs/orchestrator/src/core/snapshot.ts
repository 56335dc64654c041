/** The state of a run as bytes, and back: with the events after it, a run goes on from where it was. */
import { decodeValue, encodeValue } from '@hivemind/values'
import { invocationAt } from './invocations.ts'
import type { CorePlan } from './plan.ts'
import { callsOf, type Instance, type Invocation, type RunState } from './state.ts'

const FORMAT = 'hivemind.run-state/1'

/** The same state gives the same bytes. The plan is not part of it. */
export function snapshot(state: RunState): Uint8Array {
  const { plan: _, queue, calls: __, blocked, ...rest } = state
  const placeOf = ({ instance, seq }: Invocation): [number, number] => [instance, seq]
  return encodeValue(
    pack({
      format: FORMAT,
      ...rest,
      queue: queue.map(placeOf),
      blocked: [...blocked].map(([at, waiting]) => [at, waiting.map(placeOf)]),
    }),
  ).bytes
}

/** Throws an `Error` when the bytes are no snapshot, or one of another plan. */
export function restore(plan: CorePlan, bytes: Uint8Array): RunState {
  const { format, queue, blocked, ...rest } = unpack(
    decodeValue({ type: 'application/cbor', bytes }),
  ) as unknown as Omit<RunState, 'plan' | 'queue' | 'calls' | 'blocked'> & {
    format: string
    queue: [number, number][]
    blocked: [number, [number, number][]][]
  }
  if (format !== FORMAT) throw new Error('These bytes are no snapshot of a run.')
  if (rest.instances.length !== plan.instances) throw new Error('This snapshot belongs to another plan.')
  const find = ([instance, seq]: [number, number]): Invocation => {
    const found = invocationAt(rest.instances[instance] as Instance, seq)
    if (!found) throw new Error('This snapshot is damaged: a queued invocation is missing.')
    return found
  }
  return {
    ...rest,
    plan,
    queue: queue.map(find),
    calls: callsOf(plan, rest.instances),
    blocked: new Map(blocked.map(([at, waiting]) => [at, waiting.map(find)])),
  }
}

/** Maps, sets and `undefined` become tagged objects; everything else is copied, in its order. */
function pack(value: unknown): unknown {
  if (value === undefined) return { $none: 1 }
  if (value instanceof Map) return { $map: [...value].map(([key, item]) => [key, pack(item)]) }
  if (value instanceof Set) return { $set: [...value] }
  if (typeof value !== 'object' || value === null || value instanceof Uint8Array) return value
  // Unlike `map`, this sees the holes of a list.
  if (Array.isArray(value)) return Array.from(value, pack)
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, pack(item)]))
}

function unpack(value: unknown): Record<string, unknown> {
  return open(value) as Record<string, unknown>
}

function open(value: unknown): unknown {
  if (value instanceof Uint8Array || typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(open)
  if ('$map' in value)
    return new Map((value.$map as [unknown, unknown][]).map(([key, item]) => [key, open(item)]))
  if ('$set' in value) return new Set(value.$set as unknown[])
  if ('$none' in value) return undefined
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, open(item)]))
}
