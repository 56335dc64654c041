/** Group commit: everything asked for while one commit is under way goes to the disk in the next. */
import type { Database, RootDatabase } from 'lmdb'
import { StorageError } from '../errors.ts'

interface Job {
  work: () => unknown
  /** It reads nothing that a job before it in the same transaction may have changed on disk. */
  blind: boolean
  /** Runs when the commit is on disk, in the order of the jobs, before any of them is acknowledged. */
  committed: (result: never) => void
  resolve: (result: never) => void
  reject: (error: unknown) => void
  /** What the work gave, or what it threw. */
  outcome: unknown
  threw: boolean
}

/** Runs work in transactions that are on disk when its promise resolves. */
export class Commits {
  readonly #root: RootDatabase | Database
  #queue: Job[] = []
  #running: Promise<void> | null = null
  #working = false
  #ends: ((written: boolean) => void)[] = []

  constructor(root: RootDatabase | Database) {
    this.#root = root
  }

  /**
   * Runs `work` in the next transaction. It must refuse before its first change: what throws changes nothing. Rejects with
   * what it throws, and with `StorageError` when the transaction cannot be written.
   * @param blind `work` sees the disk as of the last commit. A transaction of such work alone is written by the thread of the
   * database while this one goes on; otherwise that thread waits for each row.
   */
  run<T>(work: () => T, committed: (result: T) => void = () => {}, blind = false): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const job = { work, committed, blind, resolve, reject, outcome: undefined, threw: false }
      this.#queue.push(job as Job)
      this.#running ??= this.#drain()
    })
  }

  /** Whether the work of a transaction is being done. */
  get working(): boolean {
    return this.#working
  }

  /** Calls `end` before anybody learns that the transaction whose work is being done has been written, or has failed. */
  atEnd(end: (written: boolean) => void): void {
    this.#ends.push(end)
  }

  /** Resolves when all that was asked for until now is on disk or refused. */
  async settled(): Promise<void> {
    if (this.#running) await this.run(() => {})
  }

  async #drain(): Promise<void> {
    // A turn later, so that what is asked for together is committed together.
    await Promise.resolve()
    while (this.#queue.length > 0) {
      const jobs = this.#queue
      this.#queue = []
      await this.#commit(jobs)
    }
    this.#running = null
  }

  #end(written: boolean): void {
    for (const end of this.#ends.splice(0)) end(written)
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    try {
      const write = (): void => {
        this.#working = true
        for (const job of jobs)
          try {
            job.outcome = job.work()
          } catch (error) {
            job.outcome = error
            job.threw = true
          }
        this.#working = false
      }
      await (jobs.every(({ blind }) => blind) ? this.#root.batch(write) : this.#root.transaction(write))
    } catch (error) {
      this.#root.resetReadTxn()
      this.#end(false)
      const refusal = new StorageError((await causeOf(error as Error)).message)
      for (const job of jobs) job.reject(refusal)
      return
    }
    // Reads in this process see the commit from here on.
    this.#root.resetReadTxn()
    this.#end(true)
    for (const { outcome, threw, committed } of jobs) if (!threw) committed(outcome as never)
    for (const { outcome, threw, resolve, reject } of jobs)
      if (threw) reject(outcome)
      else resolve(outcome as never)
  }
}

/** Why a commit failed, as the system says it: the database says it in a promise. */
function causeOf(error: Error & { commitError?: Promise<unknown> }): Promise<Error> {
  return Promise.resolve(error.commitError).then(
    () => error,
    (cause: Error) => cause,
  )
}
