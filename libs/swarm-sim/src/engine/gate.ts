/**
 * Holds invocations back until others have ended: those of a task that keeps state go one at a time and in order; of a
 * `Serial` pair, the second waits item by item for the first, and the two never overlap.
 */
import type { ModelSerial } from '../model/model.ts'
import type { TaskWiring } from '../model/wiring.ts'
import { LANE, SEQ, TASK, type Tokens } from './tokens.ts'

interface Waiting {
  token: number
  number: number
}

/** What the gate knows of one task. */
interface Gated {
  /** Tasks that end before this one starts, for the same item. */
  after: number[]
  /** Whether others wait for it item by item. */
  isAwaited: boolean
  /** Tasks it may not overlap, and where. */
  partners: { task: number; isSwarm: boolean }[]
  /** Whether it takes turns over the whole swarm: so does any task of its pairs when one of these is for the swarm. */
  isSwarm: boolean
  /** Tasks with which it takes turns, itself among them. */
  group: readonly number[]
  isStateful: boolean
}

export class Gate {
  readonly #tokens: Tokens
  readonly #wiring: readonly TaskWiring[]
  /** Starts an invocation that was held back. */
  readonly #start: (token: number) => void
  readonly #tasks = new Map<number, Gated>()
  /** By task and lane: invocations under way; by task alone: over all lanes. */
  readonly #active = new Map<string, number>()
  /** Invocations under way, by task, lane and number: a token may be replaced by a copy when its device fails. */
  readonly #inside = new Set<string>()
  /** Items of awaited tasks that have ended or never will. */
  readonly #ended = new Set<string>()
  /** By item of an awaited task: tokens that wait for its end. */
  readonly #awaiting = new Map<string, number[]>()
  /** By stateful task and lane: the number of the next item, later ones that are over already, and those that wait. */
  readonly #order = new Map<string, { next: number; past: Set<number>; early: Map<number, number> }>()
  /** By task and where it takes turns: tokens whose turn it is not, in the order they came. */
  readonly #turns = new Map<string, Waiting[]>()
  #came = 0
  /** Whether nothing else is left to happen: what is waited for will not come. */
  #isLast = false

  /** `null` for a model in which no invocation waits for another. */
  static of(
    serial: readonly ModelSerial[],
    wiring: readonly TaskWiring[],
    tokens: Tokens,
    start: (token: number) => void,
  ): Gate | null {
    return wiring.some(({ isGated }) => isGated) ? new Gate(serial, wiring, tokens, start) : null
  }

  private constructor(
    serial: readonly ModelSerial[],
    wiring: readonly TaskWiring[],
    tokens: Tokens,
    start: (token: number) => void,
  ) {
    this.#tokens = tokens
    this.#wiring = wiring
    this.#start = start
    for (const [index, { task, isGated }] of wiring.entries()) {
      if (!isGated) continue
      const own = serial.filter(({ a, b }) => a === index || b === index)
      const group = groupOf(index, serial)
      this.#tasks.set(index, {
        after: own.flatMap(({ a, b, inOrder }) => (inOrder && b === index && runsWith(wiring, a) ? [a] : [])),
        isAwaited: own.some(({ a, inOrder }) => inOrder && a === index),
        partners: own.map(({ a, b, scope }) => ({
          task: a === index ? b : a,
          isSwarm: scope === 'swarm' || task.swarmWide,
        })),
        isSwarm: serial.some(({ a, scope }) => group.includes(a) && scope === 'swarm'),
        group,
        isStateful: task.isStateful,
      })
    }
  }

  /** An invocation has all its inputs: whether it may start now; else it is started when it may. */
  enter(token: number): boolean {
    const task = this.#tokens.task(token)
    const gated = this.#tasks.get(task)
    if (!gated) return true
    if (!this.#isDue(token, gated) || this.#mustTakeTurn(token, gated)) return false
    this.#letIn(token)
    return true
  }

  /** An invocation has ended, or was given up: what waited for it may start. */
  leave(token: number): void {
    const task = this.#tokens.task(token)
    const lane = this.#tokens.lane(token)
    const seq = this.#tokens.seq(token)
    const gated = this.#tasks.get(task)
    if (!gated) return
    if (this.#inside.delete(`${task} ${lane} ${seq}`)) this.#count(token, -1)
    this.#skip(task, lane, seq)
    this.#giveTurns(gated, lane)
  }

  /** An item of a lane is lost: no gated task needs to wait for it. */
  lost(lane: number, seq: number): void {
    for (const task of this.#tasks.keys())
      if (!this.#wiring[task]?.task.swarmWide) this.#skip(task, lane, seq)
  }

  /** An item will never come to a task. */
  skip(task: number, lane: number, seq: number): void {
    if (this.#tasks.has(task)) this.#skip(task, lane, seq)
  }

  /** When nothing else is left to happen: starts what waits for items that will not come; whether there was any. */
  release(): boolean {
    const held = [...this.#awaiting.values()].flat()
    this.#awaiting.clear()
    for (const { early, past } of this.#order.values()) {
      const [first] = [...early].sort(([a], [b]) => a - b)
      if (!first) continue
      early.delete(first[0])
      past.add(first[0])
      held.push(first[1])
    }
    this.#isLast = true
    for (const token of held) this.#retry(token)
    this.#isLast = false
    return held.length > 0
  }

  /** One item of a task is over, or will never come. */
  #skip(task: number, lane: number, seq: number): void {
    const gated = this.#tasks.get(task)
    if (gated?.isAwaited) {
      const key = `${task} ${lane} ${seq}`
      this.#ended.add(key)
      const waiting = this.#awaiting.get(key) ?? []
      this.#awaiting.delete(key)
      for (const token of waiting) this.#retry(token)
    }
    if (!gated?.isStateful) return
    const order = this.#orderOf(task, lane)
    if (seq >= order.next) order.past.add(seq)
    while (order.past.delete(order.next)) order.next++
    for (const [next, token] of order.early) {
      if (next > order.next) continue
      order.early.delete(next)
      this.#retry(token)
      return
    }
  }

  #retry(token: number): void {
    if (this.enter(token)) this.#start(token)
  }

  /** Whether all that must end before has; else the token is remembered. */
  #isDue(token: number, gated: Gated): boolean {
    if (this.#isLast) return true
    const { ints } = this.#tokens
    const task = ints[(token << 3) | TASK] as number
    const lane = ints[(token << 3) | LANE] as number
    const seq = ints[(token << 3) | SEQ] as number
    for (const before of gated.after) {
      const key = `${before} ${lane} ${seq}`
      if (this.#ended.has(key) || !this.#isExpected(before, lane, seq)) continue
      this.#awaiting.set(key, [...(this.#awaiting.get(key) ?? []), token])
      return false
    }
    if (!gated.isStateful) return true
    const order = this.#orderOf(task, lane)
    // an item that comes after all goes at once, but never beside another
    if (seq > order.next || (this.#active.get(`${task} ${lane}`) ?? 0) > 0) {
      order.early.set(seq, token)
      return false
    }
    return true
  }

  /** Whether a task has an invocation for an item. */
  #isExpected(task: number, lane: number, seq: number): boolean {
    const { numbers, runsOn } = this.#wiring[task] as TaskWiring
    return seq < numbers && (runsOn === null || runsOn[lane] === 1)
  }

  /** Whether a partner is under way, or waits already; the token is remembered then. */
  #mustTakeTurn(token: number, gated: Gated): boolean {
    if (gated.partners.length === 0) return false
    const task = this.#tokens.task(token)
    const lane = this.#tokens.lane(token)
    const turnsOf = (each: number) => this.#turnsOf(each, gated.isSwarm ? 0 : lane)
    const others = gated.partners.some(({ task: partner }) => turnsOf(partner).length > 0)
    if (!others && turnsOf(task).length === 0 && !this.#isBarred(gated, lane)) return false
    turnsOf(task).push({ token, number: this.#came++ })
    return true
  }

  #isBarred({ partners }: Gated, lane: number): boolean {
    return partners.some(
      ({ task, isSwarm }) => (this.#active.get(isSwarm ? `${task}` : `${task} ${lane}`) ?? 0) > 0,
    )
  }

  /** Starts those whose turn it is now, the ones that came first before others. */
  #giveTurns({ group, isSwarm }: Gated, lane: number): void {
    const turnsOf = (task: number) => this.#turnsOf(task, isSwarm ? 0 : lane)
    for (let goesOn = true; goesOn; ) {
      goesOn = false
      for (const task of group) {
        const gated = this.#tasks.get(task) as Gated
        const [head] = turnsOf(task)
        if (!head || this.#isBarred(gated, this.#tokens.lane(head.token))) continue
        const isFirst = gated.partners.every(
          (partner) => (turnsOf(partner.task)[0]?.number ?? Number.POSITIVE_INFINITY) > head.number,
        )
        if (!isFirst) continue
        turnsOf(task).shift()
        this.#letIn(head.token)
        this.#start(head.token)
        goesOn = true
      }
    }
  }

  #turnsOf(task: number, lane: number): Waiting[] {
    const key = `${task} ${lane}`
    let waiting = this.#turns.get(key)
    if (!waiting) {
      waiting = []
      this.#turns.set(key, waiting)
    }
    return waiting
  }

  #orderOf(task: number, lane: number) {
    const key = `${task} ${lane}`
    let order = this.#order.get(key)
    if (!order) {
      order = { next: 0, past: new Set(), early: new Map() }
      this.#order.set(key, order)
    }
    return order
  }

  #letIn(token: number): void {
    const { ints } = this.#tokens
    const row = token << 3
    this.#inside.add(`${ints[row | TASK]} ${ints[row | LANE]} ${ints[row | SEQ]}`)
    this.#count(token, 1)
  }

  #count(token: number, by: number): void {
    const task = this.#tokens.task(token)
    for (const key of [`${task}`, `${task} ${this.#tokens.lane(token)}`])
      this.#active.set(key, (this.#active.get(key) ?? 0) + by)
  }
}

/** Whether a task is called at all. */
function runsWith(wiring: readonly TaskWiring[], task: number): boolean {
  return (wiring[task]?.numbers ?? 0) > 0
}

/** All tasks that a task takes turns with, directly or through others. */
function groupOf(task: number, serial: readonly ModelSerial[]): number[] {
  const group = [task]
  for (const each of group)
    for (const { a, b } of serial)
      for (const [one, other] of [
        [a, b],
        [b, a],
      ] as const)
        if (one === each && !group.includes(other)) group.push(other)
  return group.sort((one, other) => one - other)
}
