/** Waiting lines in front of servers. */
import type { TaskWiring } from '../model/wiring.ts'
import { DUE_AT, NEXT, type Tokens } from './tokens.ts'

const NONE = -1

interface Ranked {
  token: number
  priority: number
  dueAt: number
  /** How many came before it. */
  number: number
}

/**
 * Lines of tokens. Of each line the one of the highest priority goes first, then the one with the nearest deadline, then the
 * one that came first. Where no task has a priority or a deadline, lines are linked through the tokens themselves.
 */
export class WaitingLines {
  private readonly tokens: Tokens
  private readonly wiring: readonly TaskWiring[]
  private readonly first: Int32Array
  private readonly last: Int32Array
  /** How many wait in each line. */
  readonly lengths: Int32Array
  /** For every line a heap; `null` where all go in the order they came. */
  private readonly heaps: Ranked[][] | null
  private came = 0

  constructor(lines: number, tokens: Tokens, wiring: readonly TaskWiring[]) {
    this.tokens = tokens
    this.wiring = wiring
    this.first = new Int32Array(lines).fill(NONE)
    this.last = new Int32Array(lines).fill(NONE)
    this.lengths = new Int32Array(lines)
    const priority = wiring[0]?.task.priority
    const isRanked = wiring.some(({ task }) => task.priority !== priority || task.deadlineMs !== null)
    this.heaps = isRanked ? Array.from({ length: lines }, () => []) : null
  }

  isEmpty(line: number): boolean {
    return this.lengths[line] === 0
  }

  push(line: number, token: number): void {
    this.lengths[line] = (this.lengths[line] as number) + 1
    if (this.heaps !== null) {
      this.rank(this.heaps[line] as Ranked[], token)
      return
    }
    const { ints } = this.tokens
    ints[(token << 3) | NEXT] = NONE
    if (this.first[line] === NONE) this.first[line] = token
    else ints[((this.last[line] as number) << 3) | NEXT] = token
    this.last[line] = token
  }

  /** Takes the token that goes next; -1 when none waits. */
  shift(line: number): number {
    const length = this.lengths[line] as number
    if (length === 0) return NONE
    this.lengths[line] = length - 1
    if (this.heaps !== null) return takeFirst(this.heaps[line] as Ranked[])
    const token = this.first[line] as number
    this.first[line] = this.tokens.ints[(token << 3) | NEXT] as number
    return token
  }

  /** The token that goes next; -1 when none waits. */
  head(line: number): number {
    return this.heaps === null ? (this.first[line] as number) : (this.heaps[line]?.[0]?.token ?? NONE)
  }

  private rank(heap: Ranked[], token: number): void {
    const { task, deadlineMs } = this.wiring[this.tokens.task(token)] as TaskWiring
    const dueAt = deadlineMs === Number.POSITIVE_INFINITY ? deadlineMs : this.tokens.time(token, DUE_AT)
    const ranked = { token, priority: task.priority, dueAt, number: this.came++ }
    let hole = heap.push(ranked) - 1
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      if (!isBefore(ranked, heap[parent] as Ranked)) break
      heap[hole] = heap[parent] as Ranked
      hole = parent
    }
    heap[hole] = ranked
  }
}

function takeFirst(heap: Ranked[]): number {
  const [first] = heap
  const last = heap.pop()
  if (!first || !last) return NONE
  if (first === last) return first.token
  let hole = 0
  for (;;) {
    let child = 2 * hole + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1] as Ranked, heap[child] as Ranked)) child++
    if (!isBefore(heap[child] as Ranked, last)) break
    heap[hole] = heap[child] as Ranked
    hole = child
  }
  heap[hole] = last
  return first.token
}

function isBefore(a: Ranked, b: Ranked): boolean {
  if (a.priority !== b.priority) return a.priority > b.priority
  return a.dueAt === b.dueAt ? a.number < b.number : a.dueAt < b.dueAt
}
