/** `context.state` of JavaScript task code. */
import { decodeCbor, encodeCbor } from '@hivemind/values'
import { sendable } from './value.ts'

/** Most that a task may keep, in bytes. */
const MAX_STATE_BYTES = 1_000_000

/**
 * Which of several states an item belongs to: the value of a field of its input, as JSON. Throws an `Error` when no input has
 * that field, or its value is no text, number or truth value.
 */
export function stateKeyOf(inputs: Record<string, unknown>, field: string): string {
  for (const input of Object.values(inputs)) {
    if (typeof input !== 'object' || input === null || !Object.hasOwn(input, field)) continue
    const value = (input as Record<string, unknown>)[field]
    if (['string', 'number', 'boolean'].includes(typeof value)) return JSON.stringify(value)
    throw new Error(
      `its state is kept by the field '${field}', whose value must be a text, a number or a truth value`,
    )
  }
  throw new Error(`its state is kept by the field '${field}', which no input of this item has`)
}

/** The state of one invocation: read when the code first asks for it, written when it has changed. */
export class State {
  readonly #bytes: Uint8Array | undefined
  readonly #stateful: boolean
  readonly #key: string | undefined
  /** All states that `#bytes` holds; of several, by key. */
  #whole: Record<string, unknown> = {}
  #values: Map<string, unknown> | undefined
  #changed = false

  /**
   * @param stateful whether the code may change it
   * @param key which of several states in `bytes` it is; the only one when absent
   */
  constructor(bytes: Uint8Array | undefined, stateful: boolean, key?: string) {
    this.#bytes = bytes
    this.#stateful = stateful
    this.#key = key
  }

  /** What task code gets. */
  api(): { get(key?: string, fallback?: unknown): unknown; set(key: string, value: unknown): void } {
    return {
      get: (key, fallback) => {
        const values = this.#read()
        if (key === undefined) return Object.fromEntries(values)
        return values.has(key) ? values.get(key) : fallback
      },
      set: (key, value) => {
        if (!this.#stateful)
          throw new Error("this task keeps no state; give it state='device' or state='FIELD' in the workflow")
        if (typeof key !== 'string')
          throw new Error(`the key of a state must be text, and is a ${typeof key}`)
        const checked = sendable(value, `the state '${key}'`)
        if ('problem' in checked) throw new Error(checked.problem)
        this.#read().set(key, checked.value)
        this.#changed = true
      },
    }
  }

  /** The state as bytes when it has changed since the last call. Throws an `Error` when it is too large. */
  changes(): Uint8Array | undefined {
    if (!this.#changed) return undefined
    this.#changed = false
    const values = Object.fromEntries(this.#read())
    const bytes = encodeCbor(this.#key === undefined ? values : { ...this.#whole, [this.#key]: values })
    if (bytes.length > MAX_STATE_BYTES)
      throw new Error(`its state has ${bytes.length} bytes; a task may keep at most 1 MB of state`)
    return bytes
  }

  #read(): Map<string, unknown> {
    if (this.#values) return this.#values
    if (this.#bytes) this.#whole = decodeCbor(this.#bytes) as Record<string, unknown>
    const own = this.#key === undefined ? this.#whole : (this.#whole[this.#key] ?? {})
    this.#values = new Map(Object.entries(own as object))
    return this.#values
  }
}
