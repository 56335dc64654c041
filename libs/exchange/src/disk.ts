/** What a node keeps in its folder, so that a node that was killed goes on with it. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { FileLockedError, lockFile } from '@hivemind/data-folder'
import { type Database, open, type RootDatabase } from 'lmdb'
import { ExchangeError } from './errors.ts'
import { numberOf } from './records.ts'

type StateKey = string[]

/**
 * Messages and state on LMDB. Changes are collected and written by `flush`, in one transaction. What was flushed outlives the process,
 * killed or not; a power failure may take the last seconds.
 */
export class Disk {
  readonly #release: () => void
  readonly #root: RootDatabase
  readonly #records: Database<Buffer, [string, number]>
  readonly #state: Database<unknown, StateKey>
  #changes: (() => void)[] = []

  /** Opens a folder, or makes it. Throws `ExchangeError` when it is in use or cannot be used. */
  constructor(folder: string) {
    try {
      mkdirSync(folder, { recursive: true })
      this.#release = lockFile(path.join(folder, 'exchange.lock'))
      this.#root = open({
        path: path.join(folder, 'messages'),
        maxDbs: 4,
        noSync: true,
        eventTurnBatching: false,
      })
    } catch (error) {
      if (error instanceof FileLockedError)
        throw new ExchangeError(
          `The folder ${folder} is in use by another node: stop it, or name another folder.`,
        )
      throw new ExchangeError(
        `The folder ${folder} cannot be used: ${(error as Error).message}. Name another.`,
      )
    }
    this.#records = this.#root.openDB({ name: 'records', encoding: 'binary' })
    this.#state = this.#root.openDB({ name: 'state', encoding: 'json' })
  }

  get hasChanges(): boolean {
    return this.#changes.length > 0
  }

  saveRecords(topic: string, records: readonly Buffer[]): void {
    this.#changes.push(() => {
      for (const record of records) this.#records.put([topic, numberOf(record)], record)
    })
  }

  /** Drops the records of a topic up to a number; all of them without one. */
  dropRecords(topic: string, upTo = Number.MAX_SAFE_INTEGER): void {
    this.#changes.push(() => {
      const range = { start: [topic, 0] as [string, number], end: [topic, upTo + 1] as [string, number] }
      for (const key of [...this.#records.getKeys(range)]) this.#records.remove(key)
    })
  }

  save(key: StateKey, value: unknown): void {
    this.#changes.push(() => void this.#state.put(key, value))
  }

  remove(key: StateKey): void {
    this.#changes.push(() => void this.#state.remove(key))
  }

  /** Writes what has changed. Throws `ExchangeError` when it cannot be written; the changes are kept for the next flush. */
  flush(): void {
    const changes = this.#changes
    if (changes.length === 0) return
    try {
      this.#root.transactionSync(() => {
        for (const change of changes) change()
      })
      this.#changes = []
    } catch (error) {
      throw new ExchangeError(
        `The node cannot write to its folder: ${(error as Error).message}. Make room on its disk.`,
      )
    }
  }

  /** The state under a kind: what follows the kind in each key, and the value. */
  *stateOf<T>(kind: string): Generator<[string[], T]> {
    for (const { key, value } of this.#state.getRange({ start: [kind] })) {
      if (key[0] !== kind) return
      yield [key.slice(1), value as T]
    }
  }

  /** The records of a topic after a number. */
  recordsOf(topic: string, after: number): Buffer[] {
    const range = {
      start: [topic, after + 1] as [string, number],
      end: [topic, Number.MAX_SAFE_INTEGER] as [string, number],
    }
    return [...this.#records.getRange(range)].map(({ value }) => Buffer.from(value))
  }

  async close(): Promise<void> {
    this.flush()
    await this.#root.close()
    this.#release()
  }
}
