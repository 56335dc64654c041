/** Records what concurrent clients do with objects and see of them, as histories for `linearizability.ts`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import {
  ReplicationError,
  type Store,
  type StoredObject,
  UnavailableError,
  VersionConflictError,
} from '../src/index.ts'
import type { Operation } from './linearizability.ts'
import { text, textOf } from './values.ts'

interface Recorded extends Operation {
  /** The value that a read has seen. */
  seen?: string
  /** The value of a write without an answer. */
  undecided?: string
}

/** Whether an error leaves open what became of a write. */
const isUndecided = (error: unknown): boolean =>
  error instanceof UnavailableError || error instanceof ReplicationError

/** Histories by key. Values must differ. */
export class Recorder {
  readonly #histories = new Map<string, Recorded[]>()
  /** Values that were written, by key and version: what a conflict found. */
  readonly #written = new Map<string, string>()
  readonly #acknowledged = new Set([''])
  readonly #conflicts: { key: string; start: number; end: number; expected: string; found: string }[] = []
  #now = 0
  operations = 0
  undecided = 0

  /** Puts a value; only over the object that was read, when one is given. Returns whether its outcome is known. */
  async put(store: Store, key: string, value: string, over?: StoredObject | null): Promise<boolean> {
    const expected = over === undefined ? undefined : (textOf(over) ?? '')
    const apply = (state: string) => (expected === undefined || state === expected ? value : null)
    const start = this.#begin()
    try {
      const options = over === undefined ? {} : { expectedVersion: over?.version ?? 0 }
      const { version } = await store.put(key, text(value), options)
      this.#add(key, { start, end: ++this.#now, apply })
      this.#written.set(`${key} ${version}`, value)
      this.#acknowledged.add(value)
      return true
    } catch (error) {
      if (error instanceof VersionConflictError) {
        const found = `${key} ${error.actual}`
        this.#conflicts.push({ key, start, end: ++this.#now, expected: expected ?? '', found })
        return true
      }
      if (!isUndecided(error)) throw error
      this.undecided++
      this.#add(key, { start, end: Number.POSITIVE_INFINITY, undecided: value, apply })
      return false
    }
  }

  /** The object, null when there is none, undefined when the read failed. */
  async get(store: Store, key: string): Promise<StoredObject | null | undefined> {
    const start = this.#begin()
    try {
      const read = await store.get(key)
      this.#addRead(key, start, ++this.#now, textOf(read) ?? '')
      return read
    } catch (error) {
      if (isUndecided(error)) return undefined
      throw error
    }
  }

  /**
   * The histories. With `acknowledged`, without reads of values whose write was not acknowledged. Without writes that have no answer and whose
   * value nobody has seen: whether they have happened changes nothing, and each would double the orders to try.
   */
  histories({ acknowledged = false } = {}): Operation[][] {
    // A refused write is a read of the version it found.
    for (const { key, start, end, expected, found } of this.#conflicts.splice(0)) {
      const value = found.endsWith(' 0') ? '' : this.#written.get(found)
      if (value === undefined) continue
      expect(value).not.toBe(expected)
      this.#addRead(key, start, end, value)
    }
    return [...this.#histories.values()].map((history) => {
      const judged = history.filter(
        ({ seen }) => seen === undefined || !acknowledged || this.#acknowledged.has(seen),
      )
      const all = new Set(judged.map(({ seen }) => seen))
      return judged.filter(({ undecided }) => undecided === undefined || all.has(undecided))
    })
  }

  #begin(): number {
    this.operations++
    return ++this.#now
  }

  #addRead(key: string, start: number, end: number, seen: string): void {
    this.#add(key, { start, end, seen, apply: (state) => (state === seen ? state : null) })
  }

  #add(key: string, operation: Recorded): void {
    const history = this.#histories.get(key) ?? []
    this.#histories.set(key, history)
    history.push(operation)
  }
}

/** Operations on one key, before clients go on with the next: histories stay short enough to be judged. */
const OPERATIONS_PER_KEY = 60
/** Pause of a client whose operation has failed. */
const PAUSE_MS = 10

/** Lets clients put, get and compare-and-put at the same time, so many operations in all, on one key of each pool after another. */
export async function work(
  recorder: Recorder,
  clients: readonly Store[],
  pools: readonly string[],
  operations: number,
  { conditional = true } = {},
): Promise<void> {
  const first = recorder.operations
  const client = async (store: Store, name: number) => {
    for (let n = 0; recorder.operations - first < operations; n++) {
      const done = recorder.operations - first
      const pool = pools[(n + name) % pools.length] as string
      const key = `${pool}/${first + Math.floor(done / (OPERATIONS_PER_KEY * pools.length))}`
      const value = `${name}.${first}.${n}`
      const read = n % 3 === 0 ? null : await recorder.get(store, key)
      const writes = n % 3 === 0 || (conditional && read !== undefined && n % 3 === 2)
      const over = n % 3 === 0 ? undefined : read
      const decided = !writes || (await recorder.put(store, key, value, over))
      if (!decided || read === undefined) await sleep(PAUSE_MS)
    }
  }
  await Promise.all(clients.map(client))
}
