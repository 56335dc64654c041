/**
 * The order in which the label-setting programme takes the tasks. After every step the tasks done are cut off from
 * those to come; each edge over the cut is remembered at one end: its task is `held` (tier and finishing time) or its
 * child is `ready` (tier chosen early, time at which its inputs are there so far). A least vertex cover of those
 * edges says which, so that little has to be remembered: one finishing time for a fork, one for a join.
 */
import { type AdditiveProblem, at } from './problem.ts'

export interface Slot {
  task: number
  kind: 'held' | 'ready'
  /** Digits it takes in a key: tiers, doubled when it must be known whether the task has sent. */
  radix: number
}

export interface Layer {
  task: number
  /** The tier of the task is chosen here. */
  opens: boolean
  /** The task runs here: all its parents have. */
  runs: boolean
  before: Slot[]
  after: Slot[]
}

export interface Plan {
  layers: Layer[]
  /** Most tier combinations remembered at once. */
  widest: number
  /** Tier combinations over all layers. */
  total: number
}

/** Tasks beyond which orders are not tried out, only taken depth first. */
const TRIED_TASKS = 80
const TRIES = 24
/** The more tasks, the longer a try takes. */
const TRIED_TOTAL = 1_000
/** Tier combinations for each task with which no other order is tried. */
const NARROW = 16
/** Layers between two pauses. */
const PAUSE_EVERY = 20

/** The cheapest plan of those tried; deterministic. */
export function planOf(problem: AdditiveProblem): Plan {
  const steps = planSteps(problem, Number.POSITIVE_INFINITY)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/** The same with pauses. Gives up early on a plan that must remember more than `most` tier combinations. */
export function* planSteps(problem: AdditiveProblem, most: number): Generator<undefined, Plan> {
  let best = yield* layersOf(problem, depthFirst(problem), most)
  if (problem.tasks > TRIED_TASKS) return best
  const tries = Math.max(2, Math.min(TRIES, Math.floor(TRIED_TOTAL / problem.tasks)))
  for (let attempt = 0; attempt < tries && best.total > NARROW * problem.tasks; attempt++) {
    yield
    const plan = greedy(problem, attempt, best.total)
    if (plan.total < best.total) best = plan
  }
  return best
}

/** Whether it must be remembered that a task has sent: it charges for it, and has several children. */
export function sends(problem: AdditiveProblem, task: number): boolean {
  if ((problem.outOf[task] as Int32Array).length < 2) return false
  const m = problem.figures
  for (let i = at(problem.first, task) * m; i < at(problem.first, task + 1) * m; i++)
    if (at(problem.send, i) > 0) return true
  return false
}

/** What is done, and what is remembered of it. */
class Cut {
  readonly problem: AdditiveProblem
  readonly ran: Uint8Array
  readonly opened: Uint8Array
  readonly missing: Int32Array

  constructor(problem: AdditiveProblem, from?: Cut) {
    this.problem = problem
    this.ran = from ? from.ran.slice() : new Uint8Array(problem.tasks)
    this.opened = from ? from.opened.slice() : new Uint8Array(problem.tasks)
    this.missing = from ? from.missing.slice() : Int32Array.from(problem.into, (edges) => edges.length)
  }

  slots(): Slot[] {
    const { problem } = this
    const slots: Slot[] = []
    for (let task = 0; task < problem.tasks; task++) {
      const tiers = at(problem.tiers, task)
      if (this.opened[task] === 1 && this.ran[task] === 0) slots.push({ task, kind: 'ready', radix: tiers })
      else if (this.ran[task] === 1 && this.#unopened(task).length > 0)
        slots.push({ task, kind: 'held', radix: tiers * (sends(problem, task) ? 2 : 1) })
    }
    return slots
  }

  #unopened(task: number): number[] {
    const children: number[] = []
    for (const e of this.problem.outOf[task] as Int32Array) {
      const child = at(this.problem.to, e)
      if (this.opened[child] === 0 && !children.includes(child)) children.push(child)
    }
    return children
  }

  run(task: number): void {
    this.opened[task] = 1
    this.ran[task] = 1
    for (const e of this.problem.outOf[task] as Int32Array) {
      const child = at(this.problem.to, e)
      this.missing[child] = at(this.missing, child) - 1
    }
  }

  /** Children to open now: those in a least vertex cover of the edges over the cut, as few as possible (König). */
  toOpen(): number[] {
    const left: number[] = []
    const edges = new Map<number, number[]>()
    for (let task = 0; task < this.problem.tasks; task++) {
      if (this.ran[task] === 0) continue
      const children = this.#unopened(task)
      if (children.length === 0) continue
      left.push(task)
      edges.set(task, children)
    }
    const matched = new Map<number, number>()
    const augment = (task: number, seen: Set<number>): boolean => {
      for (const child of edges.get(task) ?? []) {
        if (seen.has(child)) continue
        seen.add(child)
        const other = matched.get(child)
        if (other !== undefined && !augment(other, seen)) continue
        matched.set(child, task)
        return true
      }
      return false
    }
    const free = left.filter((task) => !augment(task, new Set()))
    const alone = new Set(free.filter((task) => ![...matched.values()].includes(task)))
    const reached = new Set<number>()
    const queue = [...alone]
    for (let task = queue.pop(); task !== undefined; task = queue.pop())
      for (const child of edges.get(task) ?? []) {
        if (reached.has(child)) continue
        reached.add(child)
        const next = matched.get(child)
        if (next !== undefined) queue.push(next)
      }
    return [...reached].sort((a, b) => a - b)
  }
}

function combinations(slots: readonly Slot[]): number {
  return slots.reduce((product, slot) => product * slot.radix, 1)
}

/** Adds the layers of one task to a plan. */
function take(plan: Plan, cut: Cut, task: number): void {
  const layer = (which: number, opens: boolean, runs: boolean) => {
    const before = plan.layers.at(-1)?.after ?? []
    if (opens) cut.opened[which] = 1
    if (runs) cut.run(which)
    const after = cut.slots()
    const size = combinations(after)
    plan.layers.push({ task: which, opens, runs, before, after })
    plan.widest = Math.max(plan.widest, size)
    // more to remember also means that fewer labels dominate one another
    plan.total += size * (1 + after.length)
  }
  layer(task, cut.opened[task] === 0, true)
  for (const child of cut.toOpen()) layer(child, true, false)
}

function* layersOf(
  problem: AdditiveProblem,
  order: readonly number[],
  most: number,
): Generator<undefined, Plan> {
  const plan: Plan = { layers: [], widest: 1, total: 0 }
  const cut = new Cut(problem)
  for (const task of order) {
    take(plan, cut, task)
    if (plan.layers.length % PAUSE_EVERY === 0) yield
    if (plan.widest > Math.min(most, 2 ** 40))
      return { layers: [], widest: plan.widest, total: Number.POSITIVE_INFINITY }
  }
  return plan
}

/**
 * Always the task after which least is remembered; attempts differ in how equals are told apart. Ends early when a plan
 * comes to `most`.
 */
function greedy(problem: AdditiveProblem, attempt: number, most: number): Plan {
  const plan: Plan = { layers: [], widest: 1, total: 0 }
  let cut = new Cut(problem)
  let state = Math.imul(attempt, 0x9e3779b9) | 0
  for (let step = 0; step < problem.tasks && plan.total < most; step++) {
    let best: { cut: Cut; plan: Plan; score: number; tie: number } | undefined
    for (let task = 0; task < problem.tasks; task++) {
      if (cut.ran[task] === 1 || at(cut.missing, task) > 0) continue
      const next = new Cut(problem, cut)
      const part: Plan = { layers: plan.layers.slice(-1), widest: 1, total: 0 }
      take(part, next, task)
      const score = combinations(part.layers.at(-1)?.after ?? [])
      state = (Math.imul(state, 1664525) + 1013904223) | 0
      const tie = attempt === 0 ? -task : attempt === 1 ? task : state >>> 0
      if (!best || score < best.score || (score === best.score && tie > best.tie))
        best = { cut: next, plan: part, score, tie }
    }
    if (!best) break
    plan.layers.push(...best.plan.layers.slice(plan.layers.length > 0 ? 1 : 0))
    plan.widest = Math.max(plan.widest, best.plan.widest)
    plan.total += best.plan.total
    cut = best.cut
  }
  return plan
}

function depthFirst(problem: AdditiveProblem): number[] {
  const missing = Int32Array.from(problem.into, (edges) => edges.length)
  const stack: number[] = []
  for (let task = problem.tasks - 1; task >= 0; task--) if (missing[task] === 0) stack.push(task)
  const order: number[] = []
  for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
    order.push(task)
    for (const e of (problem.outOf[task] as Int32Array).toReversed()) {
      const child = at(problem.to, e)
      missing[child] = at(missing, child) - 1
      if (missing[child] === 0) stack.push(child)
    }
  }
  return order
}
