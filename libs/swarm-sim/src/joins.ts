/** Brings together, for each task and lane, what its parents deliver (docs/task-code.md, "How often it is called"). */
import { itemsOf, laneCount, type Model, type ModelTask } from './model.ts'

/** What has happened to one item on its way: the longest chain of events that led to where it is. */
export interface Chain {
  /** Numbers of the items of sensor data it was made from; shared, never changed. */
  origins: readonly number[]
  network: number
  management: number
  dataExchange: number
  execution: number
}

/** An output on its way to a child. */
export interface Message extends Chain {
  /** When its producer finished it. */
  producedAt: number
  /** How it came, which says what the time since then was spent on. */
  hop: 'uplink' | 'handOver'
}

/** All inputs of an invocation are there. */
export interface Ready {
  /** The input that arrived last among those that stem from sensor data (else among all). */
  message: Message
  origins: readonly number[]
  /** When that input arrived. */
  arrivedAt: number
}

interface Pending {
  left: number
  message: Message | undefined
  arrivedAt: number
  origins: readonly number[]
}

export class TaskInputs {
  readonly #task: ModelTask
  /** For every parent: whether its one item goes along with every item. */
  readonly #object: boolean[]
  readonly #items: number
  readonly #single: boolean
  readonly #pending = new Map<number, Pending>()
  readonly #objects: Pending[]
  /** Items complete but for an object, by lane. */
  readonly #waiting: number[][]

  constructor(model: Model, task: ModelTask) {
    this.#task = task
    const counts = task.parents.map((parent) => itemsOf(model.tasks[parent.task] as ModelTask))
    const streams = counts.some((count) => count !== 1)
    this.#object = counts.map((count) => streams && count === 1)
    this.#single = task.parents.length === 1
    this.#items = this.#object.filter((object) => !object).length
    const lanes = laneCount(task) === 0 ? 0 : task.swarmWide ? 1 : model.classOf.length
    const objects = this.#object.filter(Boolean).length
    this.#objects = Array.from({ length: lanes }, () => pending(objects))
    this.#waiting = Array.from({ length: lanes }, () => [])
  }

  /** Takes a delivery; calls `ready` for every item that is complete by it. */
  offer(
    parent: number,
    lane: number,
    seq: number,
    message: Message,
    now: number,
    ready: (seq: number, ready: Ready) => void,
  ): void {
    if (this.#single) {
      if (seq < this.#task.invocations) ready(seq, { message, origins: message.origins, arrivedAt: now })
      return
    }
    const at = this.#task.parents.findIndex((each) => each.task === parent)
    const objects = this.#objects[lane] as Pending
    if (this.#object[at]) {
      take(objects, message, now)
      if (objects.left > 0) return
      const waiting = this.#waiting[lane] as number[]
      for (const each of waiting.splice(0)) this.#complete(lane, each, objects, ready)
      return
    }
    if (seq >= this.#task.invocations) return
    const key = lane * this.#task.invocations + seq
    let item = this.#pending.get(key)
    if (!item) {
      item = pending(this.#items)
      this.#pending.set(key, item)
    }
    take(item, message, now)
    if (item.left > 0) return
    if (objects.left > 0) (this.#waiting[lane] as number[]).push(seq)
    else this.#complete(lane, seq, objects, ready)
  }

  #complete(lane: number, seq: number, objects: Pending, ready: (seq: number, ready: Ready) => void): void {
    const key = lane * this.#task.invocations + seq
    const item = this.#pending.get(key)
    this.#pending.delete(key)
    if (!item?.message) return
    const later = objects.message && prefers(objects, item) ? objects : item
    ready(seq, {
      message: later.message ?? item.message,
      arrivedAt: later.arrivedAt,
      origins: union(item.origins, objects.origins),
    })
  }
}

function pending(left: number): Pending {
  return { left, message: undefined, arrivedAt: 0, origins: [] }
}

function take(into: Pending, message: Message, now: number): void {
  into.left--
  const known = into.message
  if (!known || message.origins.length > 0 || known.origins.length === 0) {
    into.message = message
    into.arrivedAt = now
  }
  into.origins = union(into.origins, message.origins)
}

/** Whether an object rather than the item is what the invocation's latency is counted from. */
function prefers(object: Pending, item: Pending): boolean {
  const objectStems = (object.message?.origins.length ?? 0) > 0
  const itemStems = (item.message?.origins.length ?? 0) > 0
  return objectStems === itemStems ? object.arrivedAt > item.arrivedAt : objectStems
}

function union(a: readonly number[], b: readonly number[]): readonly number[] {
  if (a.length === 0 || a === b) return b
  if (b.length === 0 || b.every((each) => a.includes(each))) return a
  return [...a, ...b.filter((each) => !a.includes(each))]
}
