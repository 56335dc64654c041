/** The pools of an embedded store, in memory and on disk. */
import type { Persistence, Pool, PoolOptions } from '../contract.ts'
import { PoolConflictError, UnknownPoolError } from '../errors.ts'
import { comparePaths, holds } from '../paths.ts'
import { checkSamePool, newPool } from '../pool-options.ts'
import { PrefixTrie } from '../prefix-trie.ts'
import type { LmdbFile } from './lmdb-file.ts'
import { LmdbTable } from './lmdb-table.ts'
import { MemoryTable } from './memory-table.ts'
import { PoolLog } from './pool-log.ts'

interface Row {
  number: number
  pool: Pool
  /** Its rows are those of a pool that keeps one version of each key. Earlier versions had one kind of rows for all. */
  single?: boolean
}

/** Files of an embedded store, by the persistence of the pools that are in them. */
export type PoolFiles = ReadonlyMap<Persistence, LmdbFile>

/** Creates, finds and removes pools. Descriptions of pools in a file are there too. */
export class Pools {
  readonly #files: PoolFiles
  readonly #now: () => number
  readonly #logs = new Map<string, { log: PoolLog; drop: () => void; number: number }>()
  readonly #byPath = new PrefixTrie<PoolLog>()
  /** The pool that was found last. */
  #last: PoolLog | null = null

  constructor(files: PoolFiles, now: () => number) {
    this.#files = files
    this.#now = now
    for (const file of files.values())
      for (const { value } of file.pools.getRange()) {
        this.#add(JSON.parse(value.toString()) as Row)
      }
  }

  /** The pool that holds a path. Throws `UnknownPoolError`. */
  holding(path: string): PoolLog {
    // Pools do not overlap, and operations often follow one in the same pool.
    if (this.#last && holds(this.#last.pool.path, path)) return this.#last
    const log = this.#byPath.match(path)[0]
    if (!log) throw new UnknownPoolError(path)
    this.#last = log
    return log
  }

  /** Whether a pool is there still, and not another one of its name. */
  has(log: PoolLog): boolean {
    return this.#logs.get(log.pool.path)?.log === log
  }

  /** The pools in and below a path. */
  list(prefix: string | undefined): Pool[] {
    return [...this.#logs.values()]
      .map(({ log }) => log.pool)
      .filter(({ path }) => prefix === undefined || holds(prefix, path))
      .sort((a, b) => comparePaths(a.path, b.path))
  }

  async create(path: string, options: PoolOptions): Promise<Pool> {
    const wanted = newPool(path, options, this.#now())
    const file = this.#files.get(wanted.persistence)
    if (!file) return this.#existing(wanted) ?? this.#add({ pool: wanted, number: 0 })
    let added: string | null = null
    const creation = file.commits.run(() => {
      const existing = this.#existing(wanted)
      if (existing) return existing
      const { versions, ageMs } = wanted.retention
      const single = versions === 1 && ageMs === undefined
      const row: Row = { number: file.nextNumber('pool'), pool: wanted, ...(single && { single }) }
      file.pools.put(Buffer.from(path), Buffer.from(JSON.stringify(row)))
      added = path
      return this.#add(row)
    })
    return creation.catch((error) => {
      if (added !== null) this.#forget(added)
      throw error
    })
  }

  async remove(path: string): Promise<void> {
    const found = this.#logs.get(path)
    if (!found) throw new UnknownPoolError(path)
    const file = this.#files.get(found.log.pool.persistence)
    if (!file) return this.#forget(path)
    await file.commits.run(() => {
      if (this.#logs.get(path) !== found) return
      const { table } = found.log
      for (const info of table.log(0)) {
        const entry = table.at(info.key, info.version)
        if (entry?.blob) table.forget(entry)
      }
      file.removePool(found.number)
      file.pools.remove(Buffer.from(path))
      this.#forget(path)
    })
  }

  #existing(wanted: Pool): Pool | null {
    const { path } = wanted
    const existing = this.#logs.get(path)?.log.pool
    if (existing) {
      checkSamePool(existing, wanted)
      return existing
    }
    const around = this.#byPath.match(path)[0]?.pool ?? this.list(path)[0]
    if (around)
      throw new PoolConflictError(
        `Pool '${path}' cannot be created: pool '${around.path}' is there, and no pool lies inside another.`,
      )
    return null
  }

  #forget(path: string): void {
    this.#logs.get(path)?.drop()
    this.#logs.delete(path)
    this.#last = null
  }

  #add({ pool, number, single = false }: Row): Pool {
    const file = this.#files.get(pool.persistence)
    const table = file
      ? new LmdbTable(file, number, single)
      : new MemoryTable(pool.persistence !== 'transient')
    const log = new PoolLog(pool, table, this.#now)
    this.#logs.set(pool.path, { log, drop: this.#byPath.add(pool.path, log), number })
    return pool
  }
}
