/** Brings together, for each task and lane, what its parents deliver (docs/task-code.md, "How often it is called"). */
import { laneCount, type Model, type ModelTask } from '../model/model.ts'
import { ASKED_AT, LANE, MISSING, NO_ORIGIN, ORIGIN, type Origins, SEQ, TASK, type Tokens } from './tokens.ts'

/** Notified of an invocation with all its inputs: the token of the input that came last (of those from sensors). */
interface Reader {
  ready(token: number): void
}

const NONE = -1

/** The inputs of a task with several parents. */
export class TaskInputs {
  private readonly index: number
  private readonly reader: Reader
  private readonly tokens: Tokens
  private readonly origins: Origins
  private readonly invocations: number
  /** For every parent: 1 where its one item goes along with every item. */
  private readonly isObject: Uint8Array
  private readonly streams: number
  /** For every lane and invocation the token that has arrived so far, which knows how many others are missing. */
  private readonly pending: Slots
  /** For every lane the token of what is common to all invocations, and how many of these objects are missing. */
  private readonly objects: Int32Array
  private readonly objectsLeft: Int32Array
  /** Invocations complete except for an object, by lane. */
  private readonly lacking: number[][]

  constructor(model: Model, index: number, tokens: Tokens, origins: Origins, reader: Reader) {
    const task = model.tasks[index] as ModelTask
    this.index = index
    this.reader = reader
    this.tokens = tokens
    this.origins = origins
    this.invocations = task.invocations
    const hasStreams = task.parents.some((parent) => !parent.isObject)
    this.isObject = Uint8Array.from(task.parents, (parent) => (hasStreams && parent.isObject ? 1 : 0))
    this.streams = this.isObject.filter((isObject) => isObject === 0).length
    const lanes = laneCount(task) === 0 ? 0 : task.swarmWide ? 1 : model.classOf.length
    const objects = task.parents.length - this.streams
    this.pending = new Slots(lanes * task.invocations)
    this.objects = new Int32Array(lanes).fill(NONE)
    this.objectsLeft = new Int32Array(lanes).fill(objects)
    this.lacking = Array.from({ length: objects > 0 ? lanes : 0 }, () => [])
  }

  /**
   * Takes a delivery of the parent at position `from`, which came at the token's `ASKED_AT`, and the token with it; all that is
   * complete by that is ready.
   */
  offer(from: number, lane: number, seq: number, token: number): void {
    const { tokens } = this
    const { ints } = tokens
    if (this.isObject[from] === 1) {
      this.offerObject(lane, token)
      return
    }
    if (seq >= this.invocations) {
      tokens.release(token)
      return
    }
    const key = lane * this.invocations + seq
    const known = this.pending.get(key)
    const left = known === NONE ? this.streams - 1 : (ints[(known << 3) | MISSING] as number) - 1
    const merged = known === NONE ? token : this.merge(known, token)
    if (left === 0 && this.objectsLeft[lane] === 0) {
      if (known !== NONE) this.pending.set(key, NONE)
      this.complete(lane, seq, merged)
      return
    }
    this.pending.set(key, merged)
    ints[(merged << 3) | MISSING] = left
    if (left === 0) (this.lacking[lane] as number[]).push(seq)
  }

  private offerObject(lane: number, token: number): void {
    const known = this.objects[lane] as number
    this.objects[lane] = known === NONE ? token : this.merge(known, token)
    const left = (this.objectsLeft[lane] as number) - 1
    this.objectsLeft[lane] = left
    if (left > 0) return
    for (const seq of (this.lacking[lane] as number[]).splice(0)) {
      const key = lane * this.invocations + seq
      const item = this.pending.get(key)
      this.pending.set(key, NONE)
      this.complete(lane, seq, item)
    }
  }

  /** Tokens that still wait for other inputs. */
  waiting(): number[] {
    return this.pending.values()
  }

  /** One token for two: the later one, unless only the earlier one stems from sensor data. */
  private merge(known: number, token: number): number {
    const { ints } = this.tokens
    const first = ints[(known << 3) | ORIGIN] as number
    const second = ints[(token << 3) | ORIGIN] as number
    if (first === second) {
      this.tokens.release(known)
      return token
    }
    const isLater = second !== NO_ORIGIN || first === NO_ORIGIN
    const merged = isLater ? token : known
    ints[(merged << 3) | ORIGIN] = this.origins.union(first, second)
    this.tokens.release(isLater ? known : token)
    return merged
  }

  private complete(lane: number, seq: number, item: number): void {
    const { tokens } = this
    const objects = this.objects[lane] as number
    const token = objects === NONE ? item : this.withObjects(item, objects)
    const { ints } = tokens
    const row = token << 3
    ints[row | TASK] = this.index
    ints[row | LANE] = lane
    ints[row | SEQ] = seq
    this.reader.ready(token)
  }

  /** One token for an item and the objects that go with it. */
  private withObjects(item: number, objects: number): number {
    const { tokens } = this
    const both = this.origins.union(tokens.origin(item), tokens.origin(objects))
    let token = item
    if (this.prefers(objects, item)) {
      token = tokens.copy(objects)
      tokens.release(item)
    }
    tokens.ints[(token << 3) | ORIGIN] = both
    return token
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
    this.column = keys <= MAX_COLUMN_KEYS ? new Int32Array(keys).fill(NONE) : null
  }

  get(key: number): number {
    return this.column !== null ? (this.column[key] as number) : (this.sparse.get(key) ?? NONE)
  }

  /** All of at least 0. */
  values(): number[] {
    return this.column ? [...this.column].filter((value) => value >= 0) : [...this.sparse.values()]
  }

  set(key: number, value: number): void {
    if (this.column !== null) this.column[key] = value
    else if (value < 0) this.sparse.delete(key)
    else this.sparse.set(key, value)
  }
}
