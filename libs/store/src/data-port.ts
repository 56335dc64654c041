/** The values of runs as objects of a store: a third `DataPort` beside memory and folder. */
import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type DataPort,
  type EncodedValue,
  MissingValueError,
  type StoredRef,
  type ValueRef,
} from '@hivemind/values'
import { MAX_VALUE_BYTES } from './checks.ts'
import type { ObjectInfo, Store } from './contract.ts'
import {
  ForgottenVersionError,
  FutureVersionError,
  ReplicationError,
  UnavailableError,
  UnknownPoolError,
} from './errors.ts'
import { MAX_PATH_BYTES } from './paths.ts'

/** Longest component that stands for the name of a pool, in bytes of UTF-8. */
const MAX_POOL_BYTES = 200
const RETRY_MS = 200

/** Where in the store the values are, and how patient writes are. */
export interface StoreDataPortOptions {
  /** Path above the pools; `/runs` when absent. */
  prefix?: string
  /** Whether the values of a pool need not survive a power failure; none when absent. */
  isBuffered?: (pool: string) => boolean
  /** Longest time for which an operation that the store could not carry out is tried again, in ms; 30,000 when absent. */
  patienceMs?: number
}

/**
 * A `DataPort` in a store: the value `judge/device-1/0` of the pool `run-1` is the object `/runs/run-1/judge/device-1/0`, in a
 * persistent or buffered pool that keeps all versions. The version of a reference is that of the object.
 *
 * While the store cannot be reached, operations are tried again: a write that was carried out twice leaves a version to which
 * nothing refers.
 */
export class StoreDataPort implements DataPort {
  readonly #store: Store
  readonly #prefix: string
  readonly #patienceMs: number
  readonly #isBuffered: (pool: string) => boolean
  /** Pools that are there, as far as this port knows. */
  readonly #pools = new Map<string, Promise<unknown>>()

  constructor(store: Store, options: StoreDataPortOptions = {}) {
    const { prefix = '/runs', patienceMs = 30_000, isBuffered = () => false } = options
    this.#store = store
    this.#prefix = prefix
    this.#patienceMs = patienceMs
    this.#isBuffered = isBuffered
  }

  async put(pool: string, key: string, value: EncodedValue): Promise<StoredRef> {
    const path = this.#pathOf(pool)
    const { version } = await this.#patiently(() => this.#write(pool, keyBelow(path, key), value))
    return { kind: 'stored', pool, key, version, size: value.bytes.length, type: value.type }
  }

  async get(ref: ValueRef): Promise<EncodedValue> {
    if (ref.kind === 'inline') return { type: ref.type, bytes: ref.bytes }
    const key = keyBelow(this.#pathOf(ref.pool), ref.key)
    const object = await this.#patiently(() => this.#store.get(key, { version: ref.version })).catch(
      (error: Error) => {
        if (MISSING.some((kind) => error instanceof kind)) return null
        throw error
      },
    )
    if (object?.version !== ref.version) throw new MissingValueError(ref)
    return { type: object.type, bytes: object.bytes }
  }

  /** Where the newest value of a key is; `null` when there is none. */
  async newest(pool: string, key: string): Promise<StoredRef | null> {
    const path = keyBelow(this.#pathOf(pool), key)
    const versions = await this.#patiently(() => this.#store.history(path)).catch((error: Error) => {
      if (error instanceof UnknownPoolError) return []
      throw error
    })
    const last = versions.at(-1)
    return last && !last.removed
      ? { kind: 'stored', pool, key, version: last.version, size: last.size, type: last.type }
      : null
  }

  async drop(pool: string): Promise<void> {
    const path = this.#pathOf(pool)
    this.#pools.delete(pool)
    await this.#patiently(() => this.#store.removePool(path)).catch((error: Error) => {
      if (!(error instanceof UnknownPoolError)) throw error
    })
  }

  async #write(pool: string, key: string, value: EncodedValue): Promise<ObjectInfo> {
    await this.#pool(pool)
    try {
      return await write(this.#store, key, value)
    } catch (error) {
      if (!(error instanceof UnknownPoolError)) throw error
      // Another port dropped the pool.
      this.#pools.delete(pool)
      await this.#pool(pool)
      return write(this.#store, key, value)
    }
  }

  #pool(pool: string): Promise<unknown> {
    const known = this.#pools.get(pool)
    if (known) return known
    const persistence = this.#isBuffered(pool) ? 'buffered' : 'persistent'
    const made = this.#store.createPool(this.#pathOf(pool), { persistence })
    this.#pools.set(pool, made)
    made.catch(() => this.#pools.delete(pool))
    return made
  }

  async #patiently<T>(operation: () => Promise<T>): Promise<T> {
    const until = Date.now() + this.#patienceMs
    for (;;)
      try {
        return await operation()
      } catch (error) {
        const transient = error instanceof UnavailableError || error instanceof ReplicationError
        if (!transient || Date.now() >= until) throw error
        await sleep(RETRY_MS)
      }
  }

  #pathOf(pool: string): string {
    const name = componentOf(pool.replaceAll('%', '%25').replaceAll('/', '%2F'))
    return `${this.#prefix}/${bytesOf(name) <= MAX_POOL_BYTES ? name : digestOf(pool)}`
  }
}

const MISSING = [UnknownPoolError, FutureVersionError, ForgottenVersionError]

function write(store: Store, key: string, { type, bytes }: EncodedValue): Promise<ObjectInfo> {
  return bytes.length <= MAX_VALUE_BYTES
    ? store.put(key, { type, bytes })
    : store.putStream(key, type, [bytes])
}

/** The path of a key: its own components where they can be, its digest when it is too long for a path. */
function keyBelow(pool: string, key: string): string {
  const path = `${pool}/${key.replaceAll('%', '%25').split('/').map(componentOf).join('/')}`
  return bytesOf(path) <= MAX_PATH_BYTES ? path : `${pool}/${digestOf(key)}`
}

/** A component whose per cent signs are escaped already: never empty, `.` or `..`, and without what no path or URL takes. */
function componentOf(name: string): string {
  if (name === '') return '%'
  if (name === '.' || name === '..') return name.replaceAll('.', '%2E')
  return name.replace(
    /[\p{Cc}\p{Surrogate}]/gu,
    (unit) => `%u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

const bytesOf = (text: string): number => Buffer.byteLength(text)

/** Stands for a name that is too long. No other name gives it, since theirs have no bare per cent sign before a letter s. */
const digestOf = (name: string): string => `%sha256-${createHash('sha256').update(name).digest('hex')}`
