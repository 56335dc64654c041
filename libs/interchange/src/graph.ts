/** The graph of a trace: checks that its edges exist and form no cycle, and finds edges implied by others. */
import { ImportError, quoted } from './error.ts'
import { MAX_EDGES, MAX_TASKS, type Trace, type TraceTask } from './trace.ts'

/** Tasks by index; `parents[i]` are the indices of the tasks that run before task `i`. */
export interface Graph {
  tasks: TraceTask[]
  parents: number[][]
  /** Indices with every parent before its children. */
  order: number[]
}

/**
 * The graph of a trace's tasks.
 * @throws ImportError when a task is missing or given twice, a parent is unknown, or the tasks form a cycle
 */
export function graphOf({ tasks }: Trace): Graph {
  if (tasks.length === 0) throw new ImportError('its tasks', 'there are none.')
  if (tasks.length > MAX_TASKS)
    throw new ImportError('its tasks', `there are ${tasks.length}; at most ${MAX_TASKS} are read.`)
  const index = new Map<string, number>()
  for (const [at, { id, where }] of tasks.entries()) {
    if (index.has(id)) throw new ImportError(where, `there are two tasks with the id ${quoted(id)}.`)
    index.set(id, at)
  }
  let edges = 0
  const parents = tasks.map((task) => {
    edges += task.parents.length
    if (edges > MAX_EDGES)
      throw new ImportError(task.where, `the trace has more than ${MAX_EDGES} edges up to here, the most.`)
    return task.parents.map((id) => {
      const parent = index.get(id)
      if (parent === undefined)
        throw new ImportError(task.where, `its parent ${quoted(id)} is no task of this file.`)
      return parent
    })
  })
  return { tasks, parents, order: orderOf(tasks, parents) }
}

export function childrenOf(parents: readonly (readonly number[])[]): number[][] {
  const children: number[][] = parents.map(() => [])
  for (const [child, list] of parents.entries()) for (const parent of list) children[parent]?.push(child)
  return children
}

function orderOf(tasks: readonly TraceTask[], parents: readonly (readonly number[])[]): number[] {
  const children = childrenOf(parents)
  const missing = parents.map((list) => list.length)
  const order = missing.flatMap((count, at) => (count === 0 ? [at] : []))
  for (let next = 0; next < order.length; next++)
    for (const child of children[order[next] as number] ?? []) {
      missing[child] = (missing[child] ?? 0) - 1
      if (missing[child] === 0) order.push(child)
    }
  if (order.length === tasks.length) return order
  const cycle = cycleIn(missing, parents).map((at) => tasks[at] as TraceTask)
  const names = cycle.length > 8 ? [...cycle.slice(0, 7), undefined, cycle.at(-1)] : cycle
  const path = [...names, cycle[0]].map((task) => (task ? quoted(task.id) : '...')).join(' -> ')
  throw new ImportError(
    cycle[0]?.where ?? 'its tasks',
    `the tasks form a cycle, so none of them can start: ${path}.`,
  )
}

/** A cycle among the tasks that still miss a parent, in the order of execution. */
function cycleIn(missing: readonly number[], parents: readonly (readonly number[])[]): number[] {
  const stuck = (at: number) => (missing[at] ?? 0) > 0
  const seen = new Map<number, number>()
  const path: number[] = []
  let at = missing.findIndex((count) => count > 0)
  while (!seen.has(at)) {
    seen.set(at, path.length)
    path.push(at)
    at = parents[at]?.find(stuck) ?? at
  }
  return path.slice(seen.get(at)).reverse()
}

/**
 * The edges without those that `droppable` allows to leave out and that follow from others: the order of execution
 * stays exactly the same. Time and memory grow with tasks squared over 32 and tasks times edges over 32.
 */
export function transitiveReduction(
  { parents, order }: Graph,
  droppable: (parent: number, child: number) => boolean,
): number[][] {
  const words = Math.ceil(parents.length / 32)
  const before = parents.map(() => new Uint32Array(0))
  const rank = new Uint32Array(parents.length)
  for (const [position, at] of order.entries()) rank[at] = position
  const kept: number[][] = parents.map(() => [])
  for (const at of order) {
    // Nearest parents first: whatever lies before one of them is implied.
    const own = new Uint32Array(words)
    const sorted = [...(parents[at] ?? [])].sort((a, b) => (rank[b] ?? 0) - (rank[a] ?? 0))
    const needed = new Set<number>()
    for (const parent of sorted) {
      const implied = ((own[parent >> 5] ?? 0) >>> (parent & 31)) & 1
      if (!implied || !droppable(parent, at)) needed.add(parent)
      const further = before[parent] ?? own
      for (let word = 0; word < words; word++) own[word] = (own[word] ?? 0) | (further[word] ?? 0)
      own[parent >> 5] = (own[parent >> 5] ?? 0) | (1 << (parent & 31))
    }
    before[at] = own
    kept[at] = (parents[at] ?? []).filter((parent) => needed.has(parent))
  }
  return kept
}
