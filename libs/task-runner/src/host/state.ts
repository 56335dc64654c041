/** `context.state` of JavaScript task code. */
import { decodeCbor, encodeCbor } from '@hivemind/values'
import { sendable } from './value.ts'

/** Most that a task may keep, in bytes. */
const MAX_STATE_BYTES = 1_000_000

/** The state of one invocation: read when the code first asks for it, written when it has changed. */
export class State {
  readonly #bytes: Uint8Array | undefined
  readonly #stateful: boolean
  #values: Map<string, unknown> | undefined
  #changed = false

  /** @param stateful whether the code may change it */
  constructor(bytes: Uint8Array | undefined, stateful: boolean) {
    this.#bytes = bytes
    this.#stateful = stateful
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
    const bytes = encodeCbor(Object.fromEntries(this.#read()))
    if (bytes.length > MAX_STATE_BYTES)
      throw new Error(`its state has ${bytes.length} bytes; a task may keep at most 1 MB of state`)
    return bytes
  }

  #read(): Map<string, unknown> {
    this.#values ??= new Map(this.#bytes ? Object.entries(decodeCbor(this.#bytes) as object) : [])
    return this.#values
  }
}
