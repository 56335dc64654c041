/** Brings together, for each task and lane, what its parents deliver (docs/task-code.md, "How often it is called"). */
import { laneCount, type Model } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import { ASKED_AT, LANE, MISSING, NO_ORIGIN, ORIGIN, type Origins, SEQ, TASK, type Tokens } from './tokens.ts'

/** Notified of an invocation with all its inputs: the token of the input that came last (of those from sensors). */
interface Reader {
  ready(token: number): void
}

const NONE = -1
/** It will never be complete, since one of its inputs was filtered or given up: less by the inputs that may come yet. */
const SKIPPED = -2

/** The inputs of a task with several parents. */
export class TaskInputs {
  private readonly index: number
  private readonly reader: Reader
  private readonly tokens: Tokens
  private readonly origins: Origins
  private readonly numbers: number
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

  constructor(
    model: Model,
    index: number,
    { task, numbers }: TaskWiring,
    tokens: Tokens,
    origins: Origins,
    reader: Reader,
  ) {
    this.index = index
    this.reader = reader
    this.tokens = tokens
    this.origins = origins
    this.numbers = numbers
    const hasStreams = task.parents.some((parent) => !parent.isObject)
    this.isObject = Uint8Array.from(task.parents, (parent) => (hasStreams && parent.isObject ? 1 : 0))
    this.streams = this.isObject.filter((isObject) => isObject === 0).length
    const lanes = laneCount(task) === 0 ? 0 : task.swarmWide ? 1 : model.classOf.length
    const objects = task.parents.length - this.streams
    this.pending = new Slots(lanes * numbers)
    this.objects = new Int32Array(lanes).fill(NONE)
    this.objectsLeft = new Int32Array(lanes).fill(objects)
    this.lacking = Array.from({ length: objects > 0 ? lanes : 0 }, () => [])
  }

  /**
   * Takes a delivery of the parent at position `from`, which came at the token's `ASKED_AT`, and the token with it; all that is
   * complete by that is ready. Returns whether the item is over, although it is not complete.
   */
  offer(from: number, lane: number, seq: number, token: number): boolean {
    const { tokens } = this
    const { ints } = tokens
    if (this.isObject[from] === 1) {
      this.offerObject(lane, token)
      return false
    }
    if (seq >= this.numbers) {
      tokens.release(token)
      return false
    }
    const key = lane * this.numbers + seq
    const known = this.pending.get(key)
    if (known <= SKIPPED) {
      tokens.release(token)
      return this.isOver(lane, seq, 1)
    }
    const left = known === NONE ? this.streams - 1 : (ints[(known << 3) | MISSING] as number) - 1
    const merged = known === NONE ? token : this.merge(known, token)
    if (left === 0 && this.objectsLeft[lane] === 0) {
      if (known !== NONE) this.pending.set(key, NONE)
      this.complete(lane, seq, merged)
      return false
    }
    this.pending.set(key, merged)
    ints[(merged << 3) | MISSING] = left
    if (left === 0) (this.lacking[lane] as number[]).push(seq)
    return false
  }

  private offerObject(lane: number, token: number): void {
    const known = this.objects[lane] as number
    this.objects[lane] = known === NONE ? token : this.merge(known, token)
    const left = (this.objectsLeft[lane] as number) - 1
    this.objectsLeft[lane] = left
    if (left > 0) return
    for (const seq of (this.lacking[lane] as number[]).splice(0)) {
      const key = lane * this.numbers + seq
      const item = this.pending.get(key)
      this.pending.set(key, NONE)
      this.complete(lane, seq, item)
    }
  }

  /**
   * One input of an item, or an object for all of them, will never come. Returns the items that are over by that: all their
   * inputs have come, or will not.
   */
  skip(from: number, lane: number, seq: number): number[] {
    if (this.isObject[from] === 0) return seq < this.numbers && this.isOver(lane, seq, 1) ? [seq] : []
    const over: number[] = []
    for (let number = 0; number < this.numbers; number++)
      if (this.pending.get(lane * this.numbers + number) > SKIPPED && this.isOver(lane, number, 0))
        over.push(number)
    return over
  }

  /** An item that will not be complete has `settled` inputs less to wait for: whether it is over. */
  private isOver(lane: number, seq: number, settled: number): boolean {
    const key = lane * this.numbers + seq
    const known = this.pending.get(key)
    const missing =
      known === NONE
        ? this.streams
        : known <= SKIPPED
          ? SKIPPED - known
          : (this.tokens.ints[(known << 3) | MISSING] as number)
    if (known >= 0) this.tokens.release(known)
    this.pending.set(key, SKIPPED - missing + settled)
    return missing === settled
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

/** A number for some of so many keys, -1 for the others. */
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
    return [...(this.column ?? this.sparse.values())].filter((value) => value >= 0)
  }

  set(key: number, value: number): void {
    if (this.column !== null) this.column[key] = value
    else if (value === NONE) this.sparse.delete(key)
    else this.sparse.set(key, value)
  }
}
