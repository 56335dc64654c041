/**
 * Messages on the wires of a flow. `payload` is the value, decoded only if a node of the flow looks at it; what the next
 * task gets is what its producer encoded, unless a node on the way has looked at it or replaced it.
 */
import type { WireItem } from '@hivemind/orchestrator'
import { decodeValue, type EncodedValue, encodeValue } from '@hivemind/values'

/** Where an item belongs. */
interface Place {
  run: string
  lane: string
  task: string
  seq: number
  generation: number
  /** Media type of the value; absent when the item has none. */
  type?: string
}

/** A message of a flow; nodes of other makers may add fields or replace the payload. */
export interface FlowMessage {
  /** Name of the data. */
  topic: string
  payload: unknown
  hivemind?: Place
}

/** Encoded values whose payload nobody has looked at. Copies that a flow makes of a message are not in here. */
const untouched = new WeakMap<object, EncodedValue>()

/** The message for an item. */
export function toMessage(topic: string, { ref, ...place }: WireItem): FlowMessage {
  if (ref === null) return { topic, payload: null, hivemind: place }
  if (ref.kind !== 'inline') throw new Error('An item on a wire carries its value.')
  const message: FlowMessage = { topic, payload: null, hivemind: { ...place, type: ref.type } }
  untouched.set(message, ref)
  let value: unknown
  Object.defineProperty(message, 'payload', {
    enumerable: true,
    configurable: true,
    get: () => {
      if (untouched.delete(message)) value = decodeValue(ref)
      return value
    },
    set: (next: unknown) => {
      untouched.delete(message)
      value = next
    },
  })
  return message
}

/** The item of a message; `null` when it is none of ours. Throws an `Error` when its payload cannot be encoded. */
export function fromMessage(message: FlowMessage): WireItem | null {
  const place = message.hivemind
  if (typeof place?.run !== 'string' || typeof place.seq !== 'number') return null
  const { type, ...where } = place
  if (type === undefined) return { ...where, ref: null }
  const value = untouched.get(message) ?? encodeValue(message.payload, type)
  return { ...where, ref: { kind: 'inline', type: value.type, bytes: value.bytes } }
}
