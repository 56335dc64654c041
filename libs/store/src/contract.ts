/** The contract of a store: pools of versioned objects. Every engine keeps it; `test/conformance.ts` is its suite. */
import type { EncodedValue } from '@hivemind/values'

/**
 * What becomes of the objects of a pool (Cascade, section 3.2): `transient` objects are announced and vanish, `volatile`
 * ones live in memory, `buffered` ones are in a file that the system forces to the disk in its time, `persistent` ones are
 * on disk before their put is acknowledged.
 */
export type Persistence = 'transient' | 'volatile' | 'buffered' | 'persistent'

/** Which versions of a key are kept. The latest one always is. */
export interface Retention {
  /** Largest number of versions of a key; no limit when absent. */
  versions?: number
  /** Longest time for which a version is kept after a newer one replaced it, in ms; no limit when absent. */
  ageMs?: number
}

/** What the creator of a pool chooses. */
export interface PoolOptions {
  /** `volatile` when absent. */
  persistence?: Persistence
  /** When absent, a volatile pool keeps the latest version of a key; buffered and persistent pools keep all. */
  retention?: Retention
  /**
   * Pools with the same affinity lie on the same server of a Redis cluster: related objects are kept, replicated and lost
   * together. When absent, a pool lies where its path says. Has no effect on a single server and on the embedded engine.
   */
  affinity?: string
}

/** A pool: objects whose keys begin with its path. */
export interface Pool {
  /** Such as `/factory/images`. No pool lies inside another. */
  path: string
  persistence: Persistence
  retention: Retention
  /** As its creator chose. */
  affinity?: string
  /** When the pool was created, in microseconds since 1970. */
  created: number
}

/** One version of an object, without its bytes. */
export interface ObjectInfo {
  key: string
  /** Counts the writes to the pool from 1: a later write has a larger version. */
  version: number
  /** Time of the write in microseconds since 1970. A later write to the pool has a larger timestamp. */
  timestamp: number
  /** Version of the write to the pool before this one; 0 for the first. */
  previousVersion: number
  /** Version of the write to the same key before this one; 0 for the first. */
  previousKeyVersion: number
  /** Counts the writes to this key from 1. */
  ordinal: number
  /** This version says that the object was removed: it has no bytes. */
  removed: boolean
  /** Media type. */
  type: string
  /** Size in bytes. */
  size: number
}

/** One version of an object. */
export interface StoredObject extends ObjectInfo {
  bytes: Uint8Array
}

/** One version of an object whose bytes come in chunks. Read them to the end, or `cancel`. */
export interface ObjectStream extends ObjectInfo {
  chunks: AsyncIterable<Uint8Array>
}

/** One put of a batch. */
export interface BatchEntry extends PutOptions {
  key: string
  value: EncodedValue
}

/** Conditions of a put or a removal. */
export interface PutOptions {
  /**
   * Writes only when this is the version of the object, 0 meaning that there is none. Otherwise the write is refused with
   * `VersionConflictError`.
   */
  expectedVersion?: number
}

/**
 * The moment a read looks at: after a version of the pool was written, or at a time in microseconds since 1970. A time in
 * the future is waited for. When absent, the latest.
 */
export type Moment = { version: number } | { time: number }

/** Part of a history: versions after `afterVersion` up to `toVersion`, from `fromTime` to `toTime` (inclusive, microseconds). */
export interface HistoryRange {
  afterVersion?: number
  toVersion?: number
  fromTime?: number
  /** A time in the future is waited for. */
  toTime?: number
  /** Largest number of versions in the answer, oldest first; no limit when absent. */
  limit?: number
}

/** Objects of a pool as they were at one moment. */
export interface Snapshot {
  /** Version of the pool that the snapshot shows; 0 before the first write. */
  version: number
  /** The objects by key, in the order of `listKeys`. */
  objects: Map<string, StoredObject>
}

/** What a lambda is called with. Its bytes are shared with other readers: do not change them. */
export interface LambdaObject {
  key: string
  /** Media type. */
  type: string
  /** The bytes; null when the object was written in pieces and is to be read with `getStream`. */
  bytes: Uint8Array | null
  /** The version that was written; null for a trigger put. */
  info: ObjectInfo | null
  /** Names the write among those of its pool: of a put, the version. The same whenever the object is delivered again. */
  id: string
  /** Counts deliveries from 1: more than 1 when a member of the group ended or was silent before it had finished. */
  attempt: number
}

/** The operations of the store that a lambda may use, in this process or in another. */
export type LambdaStore = Pick<
  Store,
  | 'get'
  | 'getSize'
  | 'multiGet'
  | 'listObjects'
  | 'listKeys'
  | 'history'
  | 'changes'
  | 'time'
  | 'put'
  | 'putBatch'
  | 'remove'
  | 'triggerPut'
>

/** What a lambda finds around it. */
export interface LambdaContext {
  store: LambdaStore
  /** The `config` that the lambda was bound with. */
  config: unknown
}

/** What a lambda with destinations may return: nothing (`undefined` or `null`), bytes, one result, or an array of results. */
export interface LambdaResult extends EncodedValue {
  /** Its key below each destination; when absent, the key of the object below the prefix of the lambda. */
  key?: string
}

/** Where what a lambda returns is put. */
export interface Destination {
  /** A pool, or a path in one: `/results` gets the result for `/images/7` of a lambda bound to `/images` as `/results/7`. */
  path: string
  by: 'put' | 'trigger'
}

/** Code that runs for an object. What it returns counts only where the binding has destinations. */
export type LambdaFunction = (object: LambdaObject, context: LambdaContext) => unknown

/**
 * A function of this process, which is trusted; or the export of a module that runs in worker threads or in processes, where it
 * cannot block this one. Both are called the same way.
 */
export type Lambda =
  | LambdaFunction
  | {
      /** URL of the module, such as `import.meta.resolve('./detect.ts')`. */
      module: string
      /** Name of the export; `default` when absent. */
      export?: string
      isolation: 'worker' | 'process'
    }

/** How the invocations of a lambda are queued and run. */
export interface LambdaOptions {
  /** Which writes run it; both when absent. */
  on?: 'put' | 'trigger' | 'both'
  /** Invocations that may run at the same time, each with a queue of its own; 1 when absent. Isolated: threads or processes. */
  concurrency?: number
  /** `key`: those of one key run one after another in the order of writes. `none` (default): they take turns among the queues. */
  order?: 'none' | 'key'
  /** Largest number of objects waiting in one queue; 1024 when absent. */
  queueLimit?: number
  /**
   * What happens to an object for which the queue has no room. `wait` (default): the acknowledgement of its put waits.
   * `drop-newest`: it is dropped. `drop-oldest`: the object that waited longest is dropped instead.
   */
  policy?: 'wait' | 'drop-newest' | 'drop-oldest'
  /**
   * Numbers of cores, for a lambda with isolation `process` on Linux: its processes take turns among them, and each stays on its one. Anywhere
   * when absent.
   */
  cores?: readonly number[]
  /** Longest time of an invocation in ms, for an isolated lambda: then its thread or process is ended. Its start does not count. No limit when absent. */
  timeoutMs?: number
  /**
   * Where each result that the lambda returns is put; nowhere when absent. The invocation ends when it is put everywhere, and
   * fails when it cannot be.
   */
  destinations?: readonly Destination[]
  /** Passed on to the lambda; for an isolated one it must be structured-cloneable. */
  config?: unknown
  /**
   * Name that members share, in as many processes as open the store: each object is handled by one of them. What is queued
   * waits for a member. When absent, the binding is alone, and what is queued is dropped when it closes. Redis only.
   */
  group?: string
  /**
   * Which member of the group handles an object (Cascade, section 3.5): `any` (default) that is idle; the `first` or the `last` of those
   * that are there, by when they joined; each in turn (`round-robin`); one at `random`; the one that a hash of the `key` says; or the `home`
   * of the key, which stays the same when other members come and go.
   */
  dispatch?: 'any' | 'first' | 'last' | 'round-robin' | 'random' | 'key' | 'home'
  /** Name of this member, which no other has: trigger puts may choose it, and it is the home of the same keys again after a restart. */
  member?: string
  /** Called when an invocation of this member fails. When absent, failures only count. */
  onError?: (error: Error, object: LambdaObject) => void
}

/** Who is to handle a trigger put. */
export interface TriggerOptions {
  /**
   * The member that handles it, in each group that has one of this name; others do not. It waits for that member, should it go away. The
   * put is refused with `InvalidOptionError` when there is none. Redis only.
   */
  member?: string
}

/** Counts of a bound lambda; of all members of its group, since the first of them bound it. */
export interface LambdaStatistics {
  /** Objects in its queues, and those whose writers wait for room. */
  queued: number
  running: number
  done: number
  failed: number
  dropped: number
}

/** A bound lambda. */
export interface Binding {
  statistics(): Promise<LambdaStatistics>
  /** Resolves when nothing is queued or running. */
  drained(): Promise<void>
  /** Drops what is queued, unless a group is named, and resolves when what this member runs has ended. */
  close(): Promise<void>
}

/** A running watch. */
export interface Watch {
  close(): void
}

/**
 * Pools of versioned objects.
 *
 * A key is a path under its pool: `/factory/images/7` in `/factory/images`. A *prefix* is a path too, and holds the key of
 * the same name and all keys below it: `/a/b` holds `/a/b` and `/a/b/c`, not `/a/bc`. A prefix lies in one pool.
 *
 * Every operation rejects with `InvalidPathError` for a malformed path, with `UnknownPoolError` when no pool holds the path,
 * and with `StoreClosedError` after `close`. Reads at a moment reject with `ForgottenVersionError` when retention has dropped
 * the version they ask for, and with `FutureVersionError` when the pool has not reached that version.
 */
export interface Store {
  /** Whether other processes may have this store open at the same time: then lambdas may have groups. */
  readonly isShared: boolean

  /** Creates a pool. An equal pool that is there already is returned; a different one is a `PoolConflictError`. */
  createPool(path: string, options?: PoolOptions): Promise<Pool>
  /** The pools in and below a path, sorted by path; all of them when it is absent. */
  listPools(prefix?: string): Promise<Pool[]>
  /** The pool at a path, or null. */
  getPool(path: string): Promise<Pool | null>
  /** Removes a pool and all its objects. */
  removePool(path: string): Promise<void>

  /** Writes an object. Resolves when the pool's `persistence` is fulfilled. */
  put(key: string, value: EncodedValue, options?: PutOptions): Promise<ObjectInfo>
  /** Writes several objects of one pool, all or none, with successive versions. */
  putBatch(entries: readonly BatchEntry[]): Promise<ObjectInfo[]>
  /** Writes an object of any size in pieces. It appears when the last piece is written; a failing source leaves nothing. */
  putStream(
    key: string,
    type: string,
    source: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
    options?: PutOptions,
  ): Promise<ObjectInfo>
  /** Writes a version that says removed. Earlier versions stay readable. Returns null when there is no object. */
  remove(key: string, options?: PutOptions): Promise<ObjectInfo | null>

  /** The object, or null when there is none at that moment. */
  get(key: string, at?: Moment): Promise<StoredObject | null>
  /** The object in chunks, or null. What is read is one version as it was written, whatever is written meanwhile. */
  getStream(key: string, at?: Moment): Promise<ObjectStream | null>
  /** Size of the object in bytes, or null when there is none at that moment. */
  getSize(key: string, at?: Moment): Promise<number | null>
  /** The objects under a prefix, or of a list of keys of one pool, all at the same moment. Missing keys are left out. */
  multiGet(prefixOrKeys: string | readonly string[], at?: Moment): Promise<Snapshot>
  /** The objects under a prefix at that moment, without their bytes, in the order of the UTF-8 bytes of their keys. */
  listObjects(prefix: string, at?: Moment): Promise<ObjectInfo[]>
  /** The keys of `listObjects`. */
  listKeys(prefix: string, at?: Moment): Promise<string[]>
  /** The kept versions of one key, oldest first, removals included. */
  history(key: string, range?: HistoryRange): Promise<ObjectInfo[]>
  /** The kept versions of all keys under a prefix, oldest first, removals included. */
  changes(prefix: string, range?: HistoryRange): Promise<ObjectInfo[]>

  /**
   * Calls `listener` for each write under a prefix that is acknowledged from now on, in the order of versions. `changes` tells
   * what came before.
   */
  watch(prefix: string, listener: (change: ObjectInfo) => void): Promise<Watch>
  /**
   * Gives an object to the lambdas bound above its key, without keeping it. Resolves when each of them has it in its queue or
   * has dropped it, as its `policy` says.
   */
  triggerPut(key: string, value: EncodedValue, options?: TriggerOptions): Promise<void>
  /**
   * Runs a lambda for each put and trigger put under a prefix from now on; removals run none. A put is acknowledged when the
   * object is kept and the lambda has it in its queue.
   */
  bind(prefix: string, lambda: Lambda, options?: LambdaOptions): Promise<Binding>
  /** The store's time in microseconds since 1970: not before the timestamp of any acknowledged write. */
  time(): Promise<number>
  /** Finishes what is under way and releases the store. Reads that wait for a time are rejected. */
  close(): Promise<void>
}
