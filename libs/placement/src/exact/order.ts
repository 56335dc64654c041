/**
 * The order in which the label-setting programme handles the tasks. After every step a cut separates the tasks done from the
 * later ones. Each edge over the cut is remembered at one end: its task is `held` (tier and end time) or its child is `ready`
 * (tier chosen early, time at which its inputs are ready so far). A minimum vertex cover of those edges decides which, so that
 * a fork and a join each cost one time.
 */
import type { AdditiveProblem } from './problem.ts'

/** One end time or ready time that a label remembers. */
export interface Slot {
  task: number
  kind: 'held' | 'ready'
  /** Values of its digit in a key: the tiers, doubled when it must be known whether the task has sent. */
  radix: number
}

/** One step of a plan: a task's tier is chosen, or it runs, or both. */
export interface Layer {
  task: number
  /** The tier of the task is chosen here. */
  opens: boolean
  /** The task runs here: all its parents have. */
  runs: boolean
  before: Slot[]
  after: Slot[]
}

/** The order of the label-setting programme. */
export interface Plan {
  layers: Layer[]
  /** Maximum number of tier combinations remembered at once. */
  widest: number
  /** Tier combinations over all layers. */
  total: number
}

/** With more tasks only the depth-first order is used. */
const MAX_TRIED_TASKS = 80
const MAX_TRIES = 24
/** Limit of tasks times tries, since a try takes longer with more tasks. */
const MAX_TRIED_TASKS_TOTAL = 1_000
/** A plan with at most this many tier combinations for each task is taken without trying other orders. */
const NARROW_WIDTH_PER_TASK = 24
/** Layers handled between two pauses. */
const LAYERS_PER_PAUSE = 20

/** The cheapest plan of those tried; deterministic. */
export function planOf(problem: AdditiveProblem): Plan {
  const steps = planSteps(problem, Number.POSITIVE_INFINITY)
  let step = steps.next()
  while (!step.done) step = steps.next()
  return step.value
}

/**
 * `planOf` in steps. Abandons an order that needs more than `maxWidth` tier combinations, and stops altogether when the first
 * `maxVainTries` orders do.
 */
export function* planSteps(
  problem: AdditiveProblem,
  maxWidth: number,
  maxVainTries = Number.POSITIVE_INFINITY,
): Generator<undefined, Plan> {
  const graph = graphOf(problem)
  let best = yield* layersOf(graph, depthFirst(problem), maxWidth)
  if (problem.tasks > MAX_TRIED_TASKS) return best
  const tries = Math.max(2, Math.min(MAX_TRIES, Math.floor(MAX_TRIED_TASKS_TOTAL / problem.tasks)))
  for (let attempt = 0; attempt < tries && best.total > NARROW_WIDTH_PER_TASK * problem.tasks; attempt++) {
    if (attempt + 1 >= maxVainTries && best.widest > maxWidth) return best
    yield
    const order = greedy(graph, attempt, best.total)
    if (order) best = yield* layersOf(graph, order, maxWidth)
  }
  return best
}

/** Whether it must be remembered that a task has sent: it charges for it, and has several children. */
export function sends(problem: AdditiveProblem, task: number): boolean {
  if ((problem.outOf[task] as Int32Array).length < 2) return false
  const m = problem.figures
  for (let i = (problem.first[task] as number) * m; i < (problem.first[task + 1] as number) * m; i++)
    if ((problem.send[i] as number) > 0) return true
  return false
}

/** The graph, reduced to what matters to a cut. */
interface Graph {
  tasks: number
  tiers: Uint8Array
  /** Digits that a task takes in a key once it has run. */
  held: Int32Array
  /** Tasks at the other ends of the edges out of and into each task, none twice. */
  children: Int32Array[]
  parents: Int32Array[]
}

function graphOf(problem: AdditiveProblem): Graph {
  const { tasks, tiers, from, to } = problem
  const ends = (edges: Int32Array[], side: Int32Array) =>
    edges.map((each) => Int32Array.from(new Set(each.map((e) => side[e] as number))))
  return {
    tasks,
    tiers,
    held: Int32Array.from(tiers, (count, task) => count * (sends(problem, task) ? 2 : 1)),
    children: ends(problem.outOf, to),
    parents: ends(problem.into, from),
  }
}

/** The cut between tasks done and later tasks, and how much must be remembered at it. */
class Cut {
  private readonly graph: Graph
  private readonly state: Int32Array
  readonly ran: Int32Array
  private readonly opened: Int32Array
  /** For every task: parents that have not run, and children that are not open. */
  readonly missing: Int32Array
  private readonly unopened: Int32Array
  /** A matching of tasks that have run with children that are not open: the number of the other one plus 1, or 0. */
  private readonly child: Int32Array
  private readonly parent: Int32Array
  /** Children visited by the search for a matching. */
  private readonly seen: number[] = []
  /** Slots, and combinations of their digits. */
  slots = 0
  size = 1

  constructor(graph: Graph) {
    const { tasks } = graph
    this.graph = graph
    this.state = new Int32Array(6 * tasks)
    const part = (index: number) => this.state.subarray(index * tasks, (index + 1) * tasks)
    this.ran = part(0)
    this.opened = part(1)
    this.missing = part(2)
    this.unopened = part(3)
    this.child = part(4)
    this.parent = part(5)
    for (let task = 0; task < tasks; task++) {
      this.missing[task] = (graph.parents[task] as Int32Array).length
      this.unopened[task] = (graph.children[task] as Int32Array).length
    }
  }

  become(other: Cut): void {
    this.state.set(other.state)
    this.slots = other.slots
    this.size = other.size
  }

  /** Runs a task and opens children so that little has to be remembered; calls `visit` after each change. */
  take(task: number, visit: (task: number, opens: boolean, runs: boolean) => void): void {
    const opens = this.opened[task] === 0
    if (opens) this.open(task)
    else this.count(-1, this.graph.tiers[task] as number)
    this.ran[task] = 1
    if ((this.unopened[task] as number) > 0) this.count(1, this.graph.held[task] as number)
    const children = this.graph.children[task] as Int32Array
    for (let i = 0; i < children.length; i++)
      this.missing[children[i] as number] = (this.missing[children[i] as number] as number) - 1
    visit(task, opens, true)
    for (const child of this.toOpen()) {
      this.open(child)
      this.count(1, this.graph.tiers[child] as number)
      visit(child, true, false)
    }
  }

  private count(slots: 1 | -1, radix: number): void {
    this.slots += slots
    this.size = slots > 0 ? this.size * radix : this.size / radix
  }

  private open(task: number): void {
    this.opened[task] = 1
    const parents = this.graph.parents[task] as Int32Array
    for (let i = 0; i < parents.length; i++) {
      const parent = parents[i] as number
      this.unopened[parent] = (this.unopened[parent] as number) - 1
      if (this.unopened[parent] === 0 && this.ran[parent] === 1)
        this.count(-1, this.graph.held[parent] as number)
    }
    const matched = this.parent[task] as number
    if (matched === 0) return
    this.parent[task] = 0
    this.child[matched - 1] = 0
  }

  /** Children to open now: those in a minimum vertex cover of the edges over the cut (König), as few as possible. */
  private toOpen(): number[] {
    const seen = this.seen
    seen.length = 0
    for (let task = 0; task < this.graph.tasks; task++) {
      if (this.ran[task] === 0 || this.unopened[task] === 0 || (this.child[task] as number) > 0) continue
      // children visited by a failed search are in the cover, and no other search can use them
      const before = seen.length
      if (this.match(task)) seen.length = before
    }
    return seen.sort((a, b) => a - b)
  }

  /** Matches a task with a child, moving others to other children where needed. */
  private match(task: number): boolean {
    const children = this.graph.children[task] as Int32Array
    for (let i = 0; i < children.length; i++) {
      const child = children[i] as number
      if (this.opened[child] === 1 || this.seen.includes(child)) continue
      this.seen.push(child)
      const other = this.parent[child] as number
      if (other > 0 && !this.match(other - 1)) continue
      this.parent[child] = task + 1
      this.child[task] = child + 1
      return true
    }
    return false
  }

  list(): Slot[] {
    const { tasks, tiers, held } = this.graph
    const slots: Slot[] = []
    for (let task = 0; task < tasks; task++) {
      if (this.opened[task] === 1 && this.ran[task] === 0)
        slots.push({ task, kind: 'ready', radix: tiers[task] as number })
      else if (this.ran[task] === 1 && (this.unopened[task] as number) > 0)
        slots.push({ task, kind: 'held', radix: held[task] as number })
    }
    return slots
  }
}

function* layersOf(graph: Graph, order: readonly number[], maxWidth: number): Generator<undefined, Plan> {
  const plan: Plan = { layers: [], widest: 1, total: 0 }
  const cut = new Cut(graph)
  for (const task of order) {
    cut.take(task, (which, opens, runs) => {
      const before = plan.layers.at(-1)?.after ?? []
      plan.layers.push({ task: which, opens, runs, before, after: cut.list() })
      plan.widest = Math.max(plan.widest, cut.size)
      plan.total += weightOf(cut)
    })
    if (plan.layers.length % LAYERS_PER_PAUSE === 0) yield
    if (plan.widest > Math.min(maxWidth, 2 ** 40))
      return { layers: [], widest: plan.widest, total: Number.POSITIVE_INFINITY }
  }
  return plan
}

/** Cost of a cut: with more to remember, fewer labels dominate one another. */
function weightOf(cut: Cut): number {
  return cut.size * (1 + cut.slots)
}

/**
 * Always runs the task after which least must be remembered; attempts break ties differently. `undefined` once an order reaches
 * `maxWidth`.
 */
function greedy(graph: Graph, attempt: number, maxWidth: number): number[] | undefined {
  const order: number[] = []
  const cut = new Cut(graph)
  const next = new Cut(graph)
  let state = Math.imul(attempt, 0x9e3779b9) | 0
  let total = 0
  const count = () => {
    total += weightOf(cut)
  }
  const ignore = () => {}
  while (order.length < graph.tasks) {
    let best = -1
    let bestSize = 0
    let bestTie = 0
    for (let task = 0; task < graph.tasks; task++) {
      if (cut.ran[task] === 1 || (cut.missing[task] as number) > 0) continue
      next.become(cut)
      next.take(task, ignore)
      state = (Math.imul(state, 1664525) + 1013904223) | 0
      const tie = attempt === 0 ? -task : attempt === 1 ? task : state >>> 0
      if (best >= 0 && (next.size > bestSize || (next.size === bestSize && tie <= bestTie))) continue
      best = task
      bestSize = next.size
      bestTie = tie
    }
    cut.take(best, count)
    if (total >= maxWidth) return undefined
    order.push(best)
  }
  return order
}

function depthFirst(problem: AdditiveProblem): number[] {
  const missing = Int32Array.from(problem.into, (edges) => edges.length)
  const stack: number[] = []
  for (let task = problem.tasks - 1; task >= 0; task--) if (missing[task] === 0) stack.push(task)
  const order: number[] = []
  for (let task = stack.pop(); task !== undefined; task = stack.pop()) {
    order.push(task)
    for (const e of (problem.outOf[task] as Int32Array).toReversed()) {
      const child = problem.to[e] as number
      missing[child] = (missing[child] as number) - 1
      if (missing[child] === 0) stack.push(child)
    }
  }
  return order
}
