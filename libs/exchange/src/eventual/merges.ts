/** How two states of an eventual object become one (Vertex 4.2.2). */
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { ExchangeError } from '../errors.ts'

/**
 * Merges two values of an object into one. The order of the two, how they are grouped, and a value that comes again must make no
 * difference: `merge(a, b) = merge(b, a)`, `merge(a, merge(b, c)) = merge(merge(a, b), c)`, `merge(a, a) = a`. Throws to refuse a value.
 */
export type Merge = (one: Uint8Array, other: Uint8Array) => Uint8Array

/** Merge functions by name. */
export type MergeFunctions = Readonly<Record<string, Merge>>

/** The merge of objects without a function: the write with the latest stamp stays. */
export const LAST_WRITER = 'last-writer'

/** What a node has of an eventual object. */
export interface EventualState {
  /** Null when nobody has written it since it was removed. */
  value: Buffer | null
  /** When it was written, in µs by the clock of the edge node, and later than every write that the node had seen. */
  stamp: number
  /** Edge node where it was written. */
  node: string
  /** Number of removals that the object has had. What was written before the last one is gone. */
  removals: number
}

/** The state of an object that nobody has written. */
export const UNWRITTEN: EventualState = { value: null, stamp: 0, node: '', removals: 0 }

const isLater = (a: EventualState, b: EventualState): boolean =>
  a.stamp > b.stamp || (a.stamp === b.stamp && a.node > b.node)

/** The merge functions of a node. */
export class Merges {
  readonly #functions: ReadonlyMap<string, Merge>

  constructor(functions: MergeFunctions = {}) {
    this.#functions = new Map(Object.entries(functions))
  }

  /** Throws `ExchangeError` when there is no such function. */
  expect(merge: string): void {
    if (merge === LAST_WRITER || this.#functions.has(merge)) return
    const known = [LAST_WRITER, ...this.#functions.keys()].join(', ')
    throw new ExchangeError(
      `This node has no merge function '${merge}'; it has: ${known}. Start the backend and all edge nodes with the file that exports it (--merges).`,
    )
  }

  /** The state that has both. It is one of the two when that has the other already. Throws what the function throws. */
  join(merge: string, one: EventualState, other: EventualState): EventualState {
    if (one.removals !== other.removals) return one.removals > other.removals ? one : other
    if (!one.value) return other.value ? other : one
    if (!other.value) return one
    if (merge === LAST_WRITER) return isLater(other, one) ? other : one
    const value = this.#call(merge, one.value, other.value)
    if (value.equals(one.value)) return one
    if (value.equals(other.value)) return other
    const { stamp, node } = isLater(other, one) ? other : one
    return { value, stamp, node, removals: one.removals }
  }

  /**
   * The state after a write by a client. Throws `ExchangeError` when the merge function fails, or depends on order or repetition: then edge
   * nodes would not agree in the end.
   */
  write(merge: string, name: string, state: EventualState, written: EventualState): EventualState {
    try {
      const joined = this.join(merge, state, written)
      if (merge !== LAST_WRITER && state.value && written.value && joined.value) {
        const again = [
          this.#call(merge, written.value, state.value),
          this.#call(merge, joined.value, written.value),
          this.#call(merge, joined.value, state.value),
        ]
        if (again.some((value) => !value.equals(joined.value as Buffer)))
          throw new Error(
            'it depends on the order of its arguments, or changes when a value is merged again: make it commutative, associative and idempotent',
          )
      }
      return joined
    } catch (error) {
      throw new ExchangeError(
        `The write of '${name}' is refused by its merge function '${merge}': ${(error as Error).message}.`,
      )
    }
  }

  #call(merge: string, one: Buffer, other: Buffer): Buffer {
    this.expect(merge)
    const value = (this.#functions.get(merge) as Merge)(one, other)
    if (!(value instanceof Uint8Array)) throw new Error('it must return a Uint8Array')
    return Buffer.from(value.buffer, value.byteOffset, value.byteLength)
  }
}

/** Loads the merge functions that a module exports. Throws `ExchangeError` when it cannot be loaded or exports none. */
export async function loadMerges(file: string): Promise<MergeFunctions> {
  let module: Record<string, unknown>
  try {
    module = await import(pathToFileURL(path.resolve(file)).href)
  } catch (error) {
    throw new ExchangeError(`The merge functions of ${file} cannot be loaded: ${(error as Error).message}.`)
  }
  const functions = Object.entries(module).filter(
    ([name, each]) => typeof each === 'function' && name !== 'default',
  )
  if (functions.length === 0)
    throw new ExchangeError(
      `${file} exports no merge function: write 'export const union = (one, other) => ...', which returns a Uint8Array.`,
    )
  return Object.fromEntries(functions) as MergeFunctions
}
