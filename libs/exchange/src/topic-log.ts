/** The messages of one topic at one node: one copy of each, for all readers. */
import { numberOf } from './records.ts'

/** Bounds of what a node keeps of one topic. Beyond them, the oldest messages are dropped. */
export interface Retention {
  /** Largest number of messages. */
  messages: number
  /** Largest number of bytes. */
  bytes: number
}

/** Dropped messages at the front stay in the array until there are this many. */
const COMPACTION_THRESHOLD = 1024

/** Records in ascending order of their numbers. It holds every message after `since` up to `last`. */
export class TopicLog {
  readonly #retention: Retention
  #records: Buffer[] = []
  #start = 0
  #bytes = 0
  #since: number
  #last: number

  constructor(since: number, retention: Retention) {
    this.#since = since
    this.#last = since
    this.#retention = retention
  }

  get since(): number {
    return this.#since
  }

  get last(): number {
    return this.#last
  }

  get length(): number {
    return this.#records.length - this.#start
  }

  /** Adds records with ascending numbers. Returns those that are newer than `last`; the others are here already. */
  append(records: readonly Buffer[]): Buffer[] {
    const added = records.filter((record) => {
      const number = numberOf(record)
      if (number <= this.#last) return false
      this.#last = number
      this.#records.push(record)
      this.#bytes += record.length
      return true
    })
    this.#enforceRetention()
    return added
  }

  /**
   * Adds older records, which must hold every message after `since`. Returns those that were added, or null when messages would be missing
   * between them and what is here.
   */
  prepend(since: number, records: readonly Buffer[]): Buffer[] | null {
    const last = records.at(-1)
    if ((last ? numberOf(last) : since) < this.#since) return null
    const older = records.filter((record) => numberOf(record) <= this.#since)
    this.#records = [...older, ...this.#records.slice(this.#start)]
    this.#start = 0
    for (const record of older) this.#bytes += record.length
    this.#since = since
    this.#enforceRetention()
    return older
  }

  /** Records after a number: at most `max` of them, and no further one once there are `maxBytes`. */
  read(after: number, max: number, maxBytes: number): Buffer[] {
    const from = this.#indexAfter(after)
    let end = from
    for (let bytes = 0; end < this.#records.length && end - from < max && bytes < maxBytes; end++)
      bytes += (this.#records[end] as Buffer).length
    return this.#records.slice(from, end)
  }

  /** Drops the records up to a number. Returns whether there were any. */
  trim(upTo: number): boolean {
    if (upTo <= this.#since) return false
    const end = this.#indexAfter(upTo)
    const dropped = end > this.#start
    for (let at = this.#start; at < end; at++) this.#bytes -= (this.#records[at] as Buffer).length
    this.#start = end
    this.#since = Math.min(upTo, this.#last)
    if (this.#start > COMPACTION_THRESHOLD && this.#start * 2 > this.#records.length) {
      this.#records = this.#records.slice(this.#start)
      this.#start = 0
    }
    return dropped
  }

  #enforceRetention(): void {
    while (this.length > this.#retention.messages || (this.#bytes > this.#retention.bytes && this.length > 1))
      this.trim(numberOf(this.#records[this.#start] as Buffer))
  }

  /** Index of the first record with a larger number. */
  #indexAfter(number: number): number {
    let low = this.#start
    let high = this.#records.length
    while (low < high) {
      const middle = (low + high) >> 1
      if (numberOf(this.#records[middle] as Buffer) <= number) low = middle + 1
      else high = middle
    }
    return low
  }
}
