/**
 * The cores of one computer on which devices and cloud all run: egalitarian processor sharing. Each of n jobs works at
 * the rate min(1, cores / (n + others)), where others is the number of jobs of somebody else that are always there.
 */

import { doubled } from '../arrays.ts'
import type { Agenda } from './agenda.ts'

/**
 * Time is told in the work that a job has got since the beginning (virtual time): a job that comes at virtual time v
 * with work w ends at v + w, however many come and go, so the one that ends next is the head of a heap. One event is
 * pending for it; an event that comes too early, as jobs have come since, is put off.
 */
export class Host {
  readonly #agenda: Agenda
  /** Kind of its events. */
  readonly #kind: number
  /** What comes with its events. */
  readonly #number: number
  readonly #cores: number
  readonly #others: number
  /** Work that each job has got by `#at`. */
  #virtual = 0
  #at = 0
  /** When the head of the heap ends if nothing changes, and the event that is pending. */
  #dueAt = Number.POSITIVE_INFINITY
  #pendingAt = Number.POSITIVE_INFINITY
  /** A heap of jobs by virtual end; of equal ends the one that came first. */
  #ends = new Float64Array(64)
  #numbers = new Float64Array(64)
  #jobs = new Int32Array(64)
  #count = 0
  #came = 0

  constructor(agenda: Agenda, kind: number, cores: number, others = 0, number = 0) {
    this.#agenda = agenda
    this.#kind = kind
    this.#cores = cores
    this.#others = others
    this.#number = number
  }

  /** A job begins now; `workMs` is what it would take alone. */
  begin(job: number, workMs: number): void {
    this.#catchUp()
    if (this.#count === this.#jobs.length) this.#grow()
    this.#rise(this.#count++, this.#virtual + workMs, this.#came++, job)
    this.#schedule()
  }

  /** At an event: the job that ends now, which is over by that; -1 when none does. */
  ended(): number {
    const { now } = this.#agenda
    // one that was pushed before another that came earlier
    if (now !== this.#pendingAt) return -1
    this.#pendingAt = Number.POSITIVE_INFINITY
    if (now < this.#dueAt) {
      this.#push(this.#dueAt)
      return -1
    }
    const job = this.#jobs[0] as number
    this.#virtual = this.#ends[0] as number
    this.#at = now
    this.#count--
    if (this.#count > 0)
      this.#sink(
        this.#ends[this.#count] as number,
        this.#numbers[this.#count] as number,
        this.#jobs[this.#count] as number,
      )
    this.#schedule()
    return job
  }

  #catchUp(): void {
    const { now } = this.#agenda
    if (this.#count > 0) this.#virtual += (now - this.#at) * this.#rate()
    this.#at = now
  }

  #rate(): number {
    const jobs = this.#count + this.#others
    return jobs > this.#cores ? this.#cores / jobs : 1
  }

  #schedule(): void {
    if (this.#count === 0) {
      this.#dueAt = Number.POSITIVE_INFINITY
      return
    }
    const left = Math.max(0, (this.#ends[0] as number) - this.#virtual)
    this.#dueAt = this.#at + left / this.#rate()
    if (this.#dueAt < this.#pendingAt) this.#push(this.#dueAt)
  }

  #push(at: number): void {
    this.#pendingAt = at
    this.#agenda.push(this.#kind, at, this.#number)
  }

  /** Moves a hole up from `at` to where an entry belongs. */
  #rise(at: number, end: number, number: number, job: number): void {
    let hole = at
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (!this.#isBefore(end, number, parent)) break
      this.#move(parent, hole)
      hole = parent
    }
    this.#put(hole, end, number, job)
  }

  /** Moves the hole at the top down to where an entry belongs. */
  #sink(end: number, number: number, job: number): void {
    let hole = 0
    for (;;) {
      let child = 2 * hole + 1
      if (child >= this.#count) break
      const other = child + 1
      if (
        other < this.#count &&
        this.#isBefore(this.#ends[other] as number, this.#numbers[other] as number, child)
      )
        child = other
      if (this.#isBefore(end, number, child)) break
      this.#move(child, hole)
      hole = child
    }
    this.#put(hole, end, number, job)
  }

  #isBefore(end: number, number: number, at: number): boolean {
    const other = this.#ends[at] as number
    return end < other || (end === other && number < (this.#numbers[at] as number))
  }

  #move(from: number, to: number): void {
    this.#put(to, this.#ends[from] as number, this.#numbers[from] as number, this.#jobs[from] as number)
  }

  #put(at: number, end: number, number: number, job: number): void {
    this.#ends[at] = end
    this.#numbers[at] = number
    this.#jobs[at] = job
  }

  #grow(): void {
    this.#ends = doubled(this.#ends)
    this.#numbers = doubled(this.#numbers)
    this.#jobs = doubled(this.#jobs)
  }
}
