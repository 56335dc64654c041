/** The LMDB file of an embedded store: its tables, numbers and loose chunks. */
import { mkdir } from 'node:fs/promises'
import { type Database, open } from 'lmdb'
import { Commits } from './commits.ts'
import { numbersKey, readNumber } from './lmdb-rows.ts'
import { moveRecords } from './lmdb-upgrade.ts'

type Rows = Database<Buffer, Buffer>

/** The tables of a store on disk. Changes must run inside `commits.run`. */
export class LmdbFile {
  readonly #root
  readonly commits: Commits
  /** Path of a pool to its description as JSON. */
  readonly pools: Rows
  /** Pool, version to key, header and bytes: the writes of a pool in order, so that those of a commit lie together. */
  readonly writes: Rows
  /** Pool, key, version: which versions a key has. In a single pool, which keeps one version of each key, pool and key to version. */
  readonly keys: Rows
  /** Blob, index to bytes. */
  readonly chunks: Rows
  /** Blobs that no version refers to. */
  readonly loose: Rows
  /** Name to the last number given out. */
  readonly #numbers: Rows
  #isToSweep = false
  /** Uploads and readers of each blob. */
  readonly #holders = new Map<number, number>()

  private constructor(folder: string, sync: boolean) {
    this.#root = open<Buffer, Buffer>({
      path: folder,
      maxDbs: 12,
      encoding: 'binary',
      keyEncoding: 'binary',
      // A commit is on disk before it is acknowledged, and nobody reads what is not on disk.
      overlappingSync: false,
      noSync: !sync,
      // Its batches reject promises that nobody holds when a commit fails; `Commits` makes batches of its own.
      eventTurnBatching: false,
    })
    this.pools = this.#table('pools')
    this.writes = this.#table('writes')
    this.keys = this.#table('keys')
    this.chunks = this.#table('chunks')
    this.loose = this.#table('loose')
    this.#numbers = this.#table('numbers')
    this.commits = new Commits(this.#root)
  }

  /**
   * Opens the file in a folder, or makes it, and drops the chunks of uploads that were never finished. Without `sync`, commits are
   * left to the system: they outlive this process, but not a power failure, which may leave a torn file.
   */
  static async open(folder: string, { sync = true } = {}): Promise<LmdbFile> {
    const file = new LmdbFile(folder, sync)
    await file.commits.run(() => {
      moveRecords((name) => file.#table(name), file)
      file.sweep()
    })
    return file
  }

  /** The next number of a name, from 1. No number is given out twice. */
  nextNumber(name: string): number {
    const key = Buffer.from(name)
    const row = this.#numbers.get(key)
    const next = (row ? readNumber(row, 0) : 0) + 1
    this.#numbers.put(key, numbersKey(next))
    return next
  }

  /** Keeps the chunks of a blob until `release`. */
  hold(blob: number): void {
    this.#holders.set(blob, (this.#holders.get(blob) ?? 0) + 1)
  }

  release(blob: number): void {
    const holders = (this.#holders.get(blob) ?? 0) - 1
    if (holders > 0) this.#holders.set(blob, holders)
    else this.#holders.delete(blob)
  }

  /** Has them swept in a transaction of its own; what is left when that cannot be written goes when the file is opened next. */
  sweepSoon(): void {
    if (this.#isToSweep) return
    this.#isToSweep = true
    this.commits
      .run(() => {
        this.#isToSweep = false
        this.sweep()
      })
      .catch(() => {
        this.#isToSweep = false
      })
  }

  /** Drops the chunks of loose blobs that nobody holds. */
  sweep(): void {
    for (const row of [...this.loose.getKeys()]) {
      const blob = readNumber(row, 0)
      if (this.#holders.has(blob)) continue
      removeRange(this.chunks, numbersKey(blob), numbersKey(blob + 1))
      this.loose.remove(row)
    }
  }

  /** Removes all rows of a pool. */
  removePool(pool: number): void {
    const start = numbersKey(pool)
    const end = numbersKey(pool + 1)
    for (const table of [this.writes, this.keys]) removeRange(table, start, end)
  }

  #table(name: string): Rows {
    return this.#root.openDB<Buffer, Buffer>({ name, encoding: 'binary', keyEncoding: 'binary' })
  }

  /** Number of the last transaction: unchanged when nothing was written. */
  get lastTransaction(): number {
    return (this.#root.getStats() as { lastTxnId: number }).lastTxnId
  }

  /** Writes the file as it is at one moment to a folder. Writers go on meanwhile. */
  async copyTo(folder: string): Promise<void> {
    await mkdir(folder, { recursive: true })
    await this.#root.backup(folder, true)
  }

  async close(): Promise<void> {
    await this.commits.settled()
    await this.#root.close()
  }
}

function removeRange(table: Rows, start: Buffer, end: Buffer): void {
  for (const key of [...table.getKeys({ start, end })]) table.remove(key)
}
