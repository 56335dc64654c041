/** Brings together, for each task and lane, what its parents deliver (docs/task-code.md, "How often it is called"). */
import { itemsOf, laneCount, type Model, type ModelTask } from './model.ts'
import { NO_ORIGIN, type Origins, type Tokens } from './tokens.ts'

/** Told of an invocation with all its inputs: the token is the input that came last, at `askedAt`, as far as it stems from sensors. */
export type Ready = (seq: number, token: number) => void

/** The inputs of a task with several parents. */
export class TaskInputs {
  readonly #tokens: Tokens
  readonly #origins: Origins
  readonly #invocations: number
  /** For every parent: whether its one item goes along with every item. */
  readonly #isObject: boolean[]
  readonly #streams: number
  /** For every lane and invocation the token that has arrived so far, which knows how many others are missing. */
  readonly #pending = new Map<number, number>()
  /** For every lane what is common to all invocations. */
  readonly #objects: (number | undefined)[]
  readonly #objectsLeft: Int32Array
  /** Invocations complete but for an object, by lane. */
  readonly #waiting: number[][]

  constructor(model: Model, task: ModelTask, tokens: Tokens, origins: Origins) {
    this.#tokens = tokens
    this.#origins = origins
    this.#invocations = task.invocations
    const counts = task.parents.map((parent) => itemsOf(model.tasks[parent.task] as ModelTask))
    const streams = counts.some((count) => count !== 1)
    this.#isObject = counts.map((count) => streams && count === 1)
    this.#streams = this.#isObject.filter((isObject) => !isObject).length
    const lanes = laneCount(task) === 0 ? 0 : task.swarmWide ? 1 : model.classOf.length
    const objects = task.parents.length - this.#streams
    this.#objects = Array.from({ length: lanes }, () => undefined)
    this.#objectsLeft = new Int32Array(lanes).fill(objects)
    this.#waiting = Array.from({ length: objects > 0 ? lanes : 0 }, () => [])
  }

  /** Takes a delivery of the parent at position `from`, and the token with it; calls `ready` for all that is now complete. */
  offer(from: number, lane: number, seq: number, token: number, now: number, ready: Ready): void {
    this.#tokens.askedAt[token] = now
    if (this.#isObject[from]) {
      this.#objects[lane] = this.#merge(this.#objects[lane], token)
      const left = (this.#objectsLeft[lane] as number) - 1
      this.#objectsLeft[lane] = left
      if (left > 0) return
      for (const each of (this.#waiting[lane] as number[]).splice(0)) this.#complete(lane, each, ready)
      return
    }
    if (seq >= this.#invocations) {
      this.#tokens.release(token)
      return
    }
    const key = lane * this.#invocations + seq
    const known = this.#pending.get(key)
    const left = (known === undefined ? this.#streams : (this.#tokens.missing[known] as number)) - 1
    const merged = this.#merge(known, token)
    if (merged !== known) this.#pending.set(key, merged)
    this.#tokens.missing[merged] = left
    if (left > 0) return
    if ((this.#objectsLeft[lane] as number) > 0) (this.#waiting[lane] as number[]).push(seq)
    else this.#complete(lane, seq, ready)
  }

  /** One token for two: the later one, unless only the earlier one stems from sensor data. */
  #merge(known: number | undefined, token: number): number {
    if (known === undefined) return token
    const { origin } = this.#tokens
    const first = origin[known] as number
    const second = origin[token] as number
    const isLater = second !== NO_ORIGIN || first === NO_ORIGIN
    const merged = isLater ? token : known
    origin[merged] = this.#origins.union(first, second)
    this.#tokens.release(isLater ? known : token)
    return merged
  }

  #complete(lane: number, seq: number, ready: Ready): void {
    const key = lane * this.#invocations + seq
    const item = this.#pending.get(key)
    if (item === undefined) return
    this.#pending.delete(key)
    const objects = this.#objects[lane]
    let token = item
    if (objects !== undefined) {
      const { origin } = this.#tokens
      const both = this.#origins.union(origin[item] as number, origin[objects] as number)
      if (this.#prefers(objects, item)) {
        token = this.#tokens.copy(objects)
        this.#tokens.release(item)
      }
      this.#tokens.origin[token] = both
    }
    ready(seq, token)
  }

  /** Whether an object rather than the item is what the invocation's latency is counted from. */
  #prefers(object: number, item: number): boolean {
    const { origin, askedAt } = this.#tokens
    const objectStems = origin[object] !== NO_ORIGIN
    const itemStems = origin[item] !== NO_ORIGIN
    return objectStems === itemStems ? (askedAt[object] as number) > (askedAt[item] as number) : objectStems
  }
}
