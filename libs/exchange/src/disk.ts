/** What a node keeps in its folder, so that a node that was killed goes on with it. */
import { mkdirSync } from 'node:fs'
import path from 'node:path'
import { FileLockedError, lockFile } from '@hivemind/data-folder'
import { type Database, open, type RootDatabase } from 'lmdb'
import { Backlog, type Change, changesOf, entryOf, type StateKey } from './disk-changes.ts'
import { ExchangeError } from './errors.ts'
import { Journal } from './journal.ts'
import { numberOf } from './records.ts'

/** Size of the journal from which it is written to the database, in bytes: so much is read again where a node starts. */
export const JOURNAL_BYTES = 4 * 1024 * 1024

/**
 * Messages and state. Changes are collected; `flush` appends them to a journal, as one entry, which is quick. Now and then what is in the
 * journal is written to the database (LMDB): of a message that all have by then, nothing. What was flushed outlives the process, killed or not; a
 * power failure may take the last seconds.
 */
export class Disk {
  readonly #release: () => void
  readonly #root: RootDatabase
  readonly #records: Database<Buffer, [string, number]>
  /** Values as JSON. */
  readonly #state: Database<Buffer, StateKey>
  readonly #journal: Journal
  #changes: Change[] = []
  readonly #backlog = new Backlog()
  /** Size of the journal at which it is next written to the database. */
  #nextWriteBytes = JOURNAL_BYTES

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
      this.#records = this.#root.openDB({ name: 'records', encoding: 'binary' })
      this.#state = this.#root.openDB({ name: 'state', encoding: 'binary' })
      this.#journal = new Journal(path.join(folder, 'journal'))
      for (const entry of this.#journal.entries())
        for (const change of changesOf(entry)) this.#backlog.add(change)
      this.#write()
    } catch (error) {
      if (error instanceof FileLockedError)
        throw new ExchangeError(
          `The folder ${folder} is in use by another node: stop it, or name another folder.`,
        )
      throw new ExchangeError(
        `The folder ${folder} cannot be used: ${(error as Error).message}. Name another.`,
      )
    }
  }

  get hasChanges(): boolean {
    return this.#changes.length > 0
  }

  saveRecords(topic: string, records: readonly Buffer[]): void {
    this.#changes.push({ kind: 'records', topic, records })
  }

  /** Drops the records of a topic up to a number; all of them without one. */
  dropRecords(topic: string, upTo = Number.MAX_SAFE_INTEGER): void {
    this.#changes.push({ kind: 'drop', topic, upTo })
  }

  save(key: StateKey, value: unknown): void {
    this.#changes.push({ kind: 'state', key, text: Buffer.from(JSON.stringify(value)) })
  }

  remove(key: StateKey): void {
    this.#changes.push({ kind: 'state', key })
  }

  /** Keeps what has changed. Throws `ExchangeError` when it cannot be written; the changes are kept for the next flush. */
  flush(): void {
    if (this.#changes.length === 0) return
    try {
      this.#journal.append(entryOf(this.#changes))
    } catch (error) {
      throw new ExchangeError(
        `The node cannot write to its folder: ${(error as Error).message}. Make room on its disk.`,
      )
    }
    for (const change of this.#changes) this.#backlog.add(change)
    this.#changes = []
    if (this.#journal.size < this.#nextWriteBytes) return
    try {
      this.#write()
    } catch (error) {
      // Nothing is lost: the journal has it, and grows until the database takes it.
      console.error(`The journal of the node cannot be written to its database: ${(error as Error).message}.`)
      this.#nextWriteBytes = this.#journal.size + JOURNAL_BYTES
    }
  }

  /** Writes what the journal has to the database, and clears the journal. A node that is killed in between does it again. */
  #write(): void {
    this.#root.transactionSync(() => {
      for (const [topic, { upTo, added }] of this.#backlog.topics) {
        const range = { start: [topic, 0] as [string, number], end: [topic, upTo + 1] as [string, number] }
        if (upTo > 0) for (const key of [...this.#records.getKeys(range)]) this.#records.remove(key)
        for (const record of added) this.#records.put([topic, numberOf(record)], record)
      }
      for (const { key, text } of this.#backlog.state.values()) {
        if (text) this.#state.put(key, text)
        else this.#state.remove(key)
      }
    })
    this.#backlog.clear()
    this.#journal.clear()
    this.#nextWriteBytes = JOURNAL_BYTES
  }

  /** The state under a kind when the folder was opened: what follows the kind in each key, and the value. */
  *stateOf<T>(kind: string): Generator<[string[], T]> {
    for (const { key, value } of this.#state.getRange({ start: [kind] })) {
      if (key[0] !== kind) return
      yield [key.slice(1), JSON.parse(value.toString()) as T]
    }
  }

  /** The records of a topic after a number when the folder was opened. */
  recordsOf(topic: string, after: number): Buffer[] {
    const range = {
      start: [topic, after + 1] as [string, number],
      end: [topic, Number.MAX_SAFE_INTEGER] as [string, number],
    }
    return [...this.#records.getRange(range)].map(({ value }) => Buffer.from(value))
  }

  async close(): Promise<void> {
    this.flush()
    if (this.#journal.size > 0) this.#write()
    this.#journal.close()
    await this.#root.close()
    this.#release()
  }
}
