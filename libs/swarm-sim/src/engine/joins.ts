/** Brings together, for each task and lane, what its parents deliver (docs/task-code.md, "How often it is called"). */
import { laneCount, type Model, type ModelTask } from '../model/model.ts'
import { ASKED_AT, LANE, MISSING, NO_ORIGIN, ORIGIN, type Origins, SEQ, TASK, type Tokens } from './tokens.ts'

/** Notified of an invocation with all its inputs: the token of the input that came last (of those from sensors), and when. */
type Ready = (token: number, arrivedAt: number) => void

/** The inputs of a task with several parents. */
export class TaskInputs {
  private readonly index: number
  private readonly ready: Ready
  private readonly tokens: Tokens
  private readonly origins: Origins
  private readonly invocations: number
  /** For every parent: whether its one item goes along with every item. */
  private readonly isObject: boolean[]
  private readonly streams: number
  /** For every lane and invocation the token that has arrived so far, which knows how many others are missing. */
  private readonly pending: Slots
  /** For every lane what is common to all invocations. */
  private readonly objects: (number | undefined)[]
  private readonly objectsLeft: Int32Array
  /** Invocations complete but for an object, by lane. */
  private readonly lacking: number[][]

  constructor(model: Model, index: number, tokens: Tokens, origins: Origins, ready: Ready) {
    const task = model.tasks[index] as ModelTask
    this.index = index
    this.ready = ready
    this.tokens = tokens
    this.origins = origins
    this.invocations = task.invocations
    const hasStreams = task.parents.some((parent) => !parent.isObject)
    this.isObject = task.parents.map((parent) => hasStreams && parent.isObject)
    this.streams = this.isObject.filter((isObject) => !isObject).length
    const lanes = laneCount(task) === 0 ? 0 : task.swarmWide ? 1 : model.classOf.length
    const objects = task.parents.length - this.streams
    this.pending = new Slots(lanes * task.invocations)
    this.objects = Array.from({ length: lanes }, () => undefined)
    this.objectsLeft = new Int32Array(lanes).fill(objects)
    this.lacking = Array.from({ length: objects > 0 ? lanes : 0 }, () => [])
  }

  /** Takes a delivery of the parent at position `from`, and the token with it; tells of all that is now complete. */
  offer(from: number, lane: number, seq: number, token: number, now: number): void {
    const { tokens } = this
    tokens.times[(token << 3) | ASKED_AT] = now
    if (this.isObject[from]) {
      this.objects[lane] = this.merge(this.objects[lane], token)
      const left = (this.objectsLeft[lane] as number) - 1
      this.objectsLeft[lane] = left
      if (left > 0) return
      for (const each of (this.lacking[lane] as number[]).splice(0)) this.complete(lane, each)
      return
    }
    if (seq >= this.invocations) {
      tokens.release(token)
      return
    }
    const key = lane * this.invocations + seq
    const held = this.pending.get(key)
    const known = held < 0 ? undefined : held
    const left = (known === undefined ? this.streams : (tokens.ints[(known << 3) | MISSING] as number)) - 1
    const merged = this.merge(known, token)
    if (merged !== known) this.pending.set(key, merged)
    tokens.ints[(merged << 3) | MISSING] = left
    if (left > 0) return
    if ((this.objectsLeft[lane] as number) > 0) (this.lacking[lane] as number[]).push(seq)
    else this.complete(lane, seq)
  }

  /** Tokens that still wait for other inputs. */
  waiting(): number[] {
    return this.pending.values()
  }

  /** One token for two: the later one, unless only the earlier one stems from sensor data. */
  private merge(known: number | undefined, token: number): number {
    if (known === undefined) return token
    const { ints } = this.tokens
    const first = ints[(known << 3) | ORIGIN] as number
    const second = ints[(token << 3) | ORIGIN] as number
    const isLater = second !== NO_ORIGIN || first === NO_ORIGIN
    const merged = isLater ? token : known
    ints[(merged << 3) | ORIGIN] = this.origins.union(first, second)
    this.tokens.release(isLater ? known : token)
    return merged
  }

  private complete(lane: number, seq: number): void {
    const key = lane * this.invocations + seq
    const item = this.pending.get(key)
    if (item < 0) return
    this.pending.set(key, -1)
    const objects = this.objects[lane]
    let token = item
    const { tokens } = this
    if (objects !== undefined) {
      const both = this.origins.union(tokens.origin(item), tokens.origin(objects))
      if (this.prefers(objects, item)) {
        token = tokens.copy(objects)
        tokens.release(item)
      }
      tokens.ints[(token << 3) | ORIGIN] = both
    }
    const { ints } = tokens
    const row = token << 3
    ints[row | TASK] = this.index
    ints[row | LANE] = lane
    ints[row | SEQ] = seq
    this.ready(token, tokens.times[row | ASKED_AT] as number)
  }

  /** Whether an object rather than the item is what the invocation's latency is counted from. */
  private prefers(object: number, item: number): boolean {
    const { tokens } = this
    const objectStems = tokens.origin(object) !== NO_ORIGIN
    const itemStems = tokens.origin(item) !== NO_ORIGIN
    if (objectStems !== itemStems) return objectStems
    return tokens.time(object, ASKED_AT) > tokens.time(item, ASKED_AT)
  }
}

/** Most keys that are kept in an array; more are kept in a map. */
const MAX_COLUMN_KEYS = 1 << 22

/** A number of at least 0 for some of so many keys, else -1. */
class Slots {
  private readonly column: Int32Array | null
  private readonly sparse = new Map<number, number>()

  constructor(keys: number) {
    this.column = keys <= MAX_COLUMN_KEYS ? new Int32Array(keys).fill(-1) : null
  }

  get(key: number): number {
    return this.column ? (this.column[key] as number) : (this.sparse.get(key) ?? -1)
  }

  /** All of at least 0. */
  values(): number[] {
    return this.column ? [...this.column].filter((value) => value >= 0) : [...this.sparse.values()]
  }

  set(key: number, value: number): void {
    if (this.column) this.column[key] = value
    else if (value < 0) this.sparse.delete(key)
    else this.sparse.set(key, value)
  }
}
