/** The queues of one bound lambda, and what takes objects out of them. */
import type { LambdaObject, LambdaOptions, LambdaStatistics } from '../contract.ts'
import type { Runner } from './runner.ts'

interface Item {
  object: LambdaObject
  /** Nobody else has the bytes, so that they can be given away. */
  owned: boolean
}

type Limits = Required<Pick<LambdaOptions, 'queueLimit' | 'policy'>> & Pick<LambdaOptions, 'onError'>
type Counts = Omit<LambdaStatistics, 'queued' | 'running'>

/** Its reactions run as microtasks, which costs less than `queueMicrotask`. */
const READY = Promise.resolve()

/** So many items that are done with stay at the front of a queue before those behind them are moved. */
const COMPACTION_THRESHOLD = 1024

/** One queue and its runner. */
export class Upcall {
  readonly #runner: Runner
  readonly #limits: Limits
  readonly #counts: Counts
  readonly #idle: () => void
  /** Those that were taken are undefined. */
  #items: (Item | undefined)[] = []
  /** Index of the first waiting item: shifting an array would move all others. */
  #first = 0
  /** Writers whose objects wait for room, oldest first. */
  readonly #writers: { item: Item; admit: () => void }[] = []
  #running = false
  #closed = false

  constructor(runner: Runner, limits: Limits, counts: Counts, idle: () => void) {
    this.#runner = runner
    this.#limits = limits
    this.#counts = counts
    this.#idle = idle
  }

  get queued(): number {
    return this.#items.length - this.#first + this.#writers.length
  }

  get running(): boolean {
    return this.#running
  }

  /** Queues an object. Returns a promise when its writer has to wait for room. */
  add(object: LambdaObject, owned: boolean): Promise<void> | undefined {
    const item = { object, owned }
    if (this.#items.length - this.#first < this.#limits.queueLimit && this.#writers.length === 0) {
      this.#push(item)
      return undefined
    }
    if (this.#limits.policy === 'wait')
      return new Promise((admit) => {
        this.#writers.push({ item, admit })
      })
    this.#counts.dropped++
    if (this.#limits.policy === 'drop-oldest') {
      this.#shift()
      this.#push(item)
    }
    return undefined
  }

  close(): void {
    this.#closed = true
    this.#counts.dropped += this.queued
    this.#items = []
    this.#first = 0
    for (const { admit } of this.#writers.splice(0)) admit()
    this.#runner.close()
  }

  #push(item: Item): void {
    this.#items.push(item)
    if (this.#running) return
    this.#running = true
    void READY.then(this.#work)
  }

  #shift(): Item | undefined {
    const item = this.#items[this.#first]
    if (item === undefined) return undefined
    this.#items[this.#first++] = undefined
    if (this.#first === this.#items.length) {
      this.#items.length = 0
      this.#first = 0
    } else if (this.#first > COMPACTION_THRESHOLD && this.#first * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#first)
      this.#first = 0
    }
    const writer = this.#writers.shift()
    if (writer) {
      this.#items.push(writer.item)
      writer.admit()
    }
    return item
  }

  /** Runs invocations until one takes longer than its call, or none waits. */
  readonly #work = (): void => {
    for (let item = this.#shift(); item; item = this.#shift()) {
      const { object, owned } = item
      try {
        const result = this.#runner.run(object, owned)
        if (result instanceof Promise) {
          result.then(
            () => this.#ended(),
            (error) => this.#failed(error, object),
          )
          return
        }
        this.#counts.done++
      } catch (error) {
        this.#count(error, object)
      }
    }
    this.#running = false
    this.#idle()
  }

  #ended(): void {
    this.#counts.done++
    this.#work()
  }

  #failed(error: unknown, object: LambdaObject): void {
    this.#count(error, object)
    this.#work()
  }

  #count(error: unknown, object: LambdaObject): void {
    this.#counts.failed++
    if (!this.#closed)
      this.#limits.onError?.(error instanceof Error ? error : new Error(String(error)), object)
  }
}
