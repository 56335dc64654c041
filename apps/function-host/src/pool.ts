/** The processes behind one function: warm ones are used again, and none is shared by two calls at once. */
import { type Invocation, type InvocationResult, TaskError, type TaskRunner } from '@hivemind/task-runner'

interface Slot {
  name: string
  runner: TaskRunner
  busy: boolean
  lastUsed: number
}

interface Waiting {
  /** Index of the only slot that may serve it. */
  slot: number | undefined
  start(slot: Slot): void
}

/** How a call went. Times in ms since 1970. */
export interface PoolResult extends InvocationResult {
  worker: string
  startedAt: number
  endedAt: number
}

/** Up to `size` processes; calls wait for one in the order in which they came. */
export class ProcessPool {
  readonly #task: string
  readonly #create: () => TaskRunner
  readonly #slots: (Slot | undefined)[]
  readonly #waiting: Waiting[] = []
  #uses = 0
  #closed = false

  /**
   * @param task names its processes
   * @param size most processes at once
   * @param create makes the runner of one
   */
  constructor(task: string, size: number, create: () => TaskRunner) {
    this.#task = task
    this.#create = create
    this.#slots = new Array<Slot | undefined>(size).fill(undefined)
  }

  /** Calls that are being served. */
  get running(): number {
    return this.#slots.filter((slot) => slot?.busy).length
  }

  /** Calls that wait for a process. */
  get waiting(): number {
    return this.#waiting.length
  }

  /** Resident memory of all processes, in MB. */
  memoryMB(): number {
    return this.#slots.reduce((sum, slot) => sum + (slot?.runner.memoryMB() ?? 0), 0)
  }

  /** Starts one process ahead of need. Rejects with `TaskError` when the code cannot be loaded. */
  warm(): Promise<void> {
    return this.#with(undefined, ({ runner }) => runner.warm())
  }

  /**
   * Waits for a process and invokes it. Calls of one key go to one process, in the order in which they came.
   * @param beforeStart called when a process is free; what it throws is what the call rejects with
   */
  invoke(key: string | undefined, invocation: Invocation, beforeStart: () => void): Promise<PoolResult> {
    return this.#with(key, async ({ name, runner }) => {
      beforeStart()
      const startedAt = now()
      const result = await runner.invoke(invocation)
      return { ...result, worker: name, startedAt, endedAt: now() }
    })
  }

  /** Ends every process; none is started any more. */
  async close(): Promise<void> {
    this.#closed = true
    await Promise.all(this.#slots.map((slot) => slot?.runner.close()))
  }

  async #with<T>(key: string | undefined, work: (slot: Slot) => Promise<T>): Promise<T> {
    if (this.#closed) throw new TaskError('cancelled', 'The function was stopped.')
    const slot = await this.#take(key === undefined ? undefined : hashOf(key) % this.#slots.length)
    try {
      return await work(slot)
    } finally {
      this.#give(slot)
    }
  }

  #take(index: number | undefined): Promise<Slot> | Slot {
    const free = index === undefined ? this.#freeSlot() : this.#slotAt(index)
    if (free && !free.busy) {
      free.busy = true
      return free
    }
    return new Promise((start) => this.#waiting.push({ slot: index, start }))
  }

  /** A free process, the most recently used first, else a new one while there may be more. */
  #freeSlot(): Slot | undefined {
    const idle = this.#slots.filter((slot) => slot !== undefined && !slot.busy) as Slot[]
    if (idle.length > 0) return idle.reduce((a, b) => (b.lastUsed > a.lastUsed ? b : a))
    const index = this.#slots.indexOf(undefined)
    return index < 0 ? undefined : this.#slotAt(index)
  }

  #slotAt(index: number): Slot {
    const known = this.#slots[index]
    if (known) return known
    const name = `${this.#task}-${index + 1}`
    const slot = { name, runner: this.#create(), busy: false, lastUsed: 0 }
    this.#slots[index] = slot
    return slot
  }

  #give(slot: Slot): void {
    this.#uses += 1
    slot.lastUsed = this.#uses
    const index = this.#slots.indexOf(slot)
    const next = this.#waiting.findIndex((each) => each.slot === undefined || each.slot === index)
    if (next < 0) slot.busy = false
    else this.#waiting.splice(next, 1)[0]?.start(slot)
  }
}

/** Wall clock, ms since 1970 with fraction. */
export const now = (): number => performance.timeOrigin + performance.now()

/** FNV-1a. */
function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  return hash
}
