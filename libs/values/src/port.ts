/** Where values are kept that are too large to travel with messages. */
import type { EncodedValue } from './codec.ts'
import { INLINE_LIMIT, inlineRef, type StoredRef, type ValueRef } from './ref.ts'

/** Keeps values under pool, key and version. Ports in other processes and machines give the same answers. */
export interface DataPort {
  /** Keeps a value as a new version of its key, whatever its size. Later versions have larger numbers. */
  put(pool: string, key: string, value: EncodedValue): Promise<StoredRef>
  /** The value of a reference, also of an inline one. Rejects with `MissingValueError` when it is not kept (any more). */
  get(ref: ValueRef): Promise<EncodedValue>
  /** Removes every value of a pool. Removing an unknown pool does nothing. */
  drop(pool: string): Promise<void>
}

/** The value of a reference is not kept: its pool was dropped, or it never was there. */
export class MissingValueError extends Error {
  override readonly name = 'MissingValueError'

  constructor({ pool, key, version }: StoredRef) {
    super(`The value '${key}' (version ${version}) of '${pool}' is not kept any more.`)
  }
}

/** A reference to a value: inline up to `limit` bytes, else kept by `port`. */
export async function referTo(
  port: DataPort,
  pool: string,
  key: string,
  value: EncodedValue,
  limit = INLINE_LIMIT,
): Promise<ValueRef> {
  return value.bytes.length <= limit ? inlineRef(value) : port.put(pool, key, value)
}

/** Keeps values in this process. */
export class MemoryDataPort implements DataPort {
  readonly #pools = new Map<string, Map<string, EncodedValue[]>>()

  async put(pool: string, key: string, value: EncodedValue): Promise<StoredRef> {
    const keys = this.#pools.get(pool) ?? new Map<string, EncodedValue[]>()
    this.#pools.set(pool, keys)
    const versions = keys.get(key) ?? []
    keys.set(key, versions)
    const version = versions.push({ type: value.type, bytes: value.bytes })
    return { kind: 'stored', pool, key, version, size: value.bytes.length, type: value.type }
  }

  async get(ref: ValueRef): Promise<EncodedValue> {
    if (ref.kind === 'inline') return { type: ref.type, bytes: ref.bytes }
    const value = this.#pools.get(ref.pool)?.get(ref.key)?.[ref.version - 1]
    if (!value) throw new MissingValueError(ref)
    return value
  }

  async drop(pool: string): Promise<void> {
    this.#pools.delete(pool)
  }
}
