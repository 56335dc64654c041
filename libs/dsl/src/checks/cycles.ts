/** Cycles of a graph, found without recursion, so that a chain of any length is safe. */
import type { Task } from '@hivemind/workflow'

/** Cycles beyond this number are not reported: fixing the first ones changes the rest. */
const MAX_CYCLES = 20

/** Some cycles (each a path whose end leads to its start), and the tasks that are in none of them but behind one. */
export function findCycles(tasks: readonly Task[]): { cycles: string[][]; stuck: string[] } {
  const byName = new Map(tasks.map((task) => [task.name, task]))
  const rest = new Set(byName.keys())
  peel(rest, byName, 'parents', 'children')
  if (rest.size === 0) return { cycles: [], stuck: [] }
  const behind = new Set(rest)
  const cycles: string[][] = []
  peel(rest, byName, 'children', 'parents')
  while (rest.size > 0 && cycles.length < MAX_CYCLES) {
    const cycle = cycleFrom(rest, byName)
    cycles.push(cycle)
    for (const name of cycle) {
      rest.delete(name)
      behind.delete(name)
    }
    peel(rest, byName, 'children', 'parents')
    peel(rest, byName, 'parents', 'children')
  }
  return { cycles, stuck: [...behind] }
}

/** Takes away, again and again, what has no more neighbours on one side. */
function peel(
  rest: Set<string>,
  byName: ReadonlyMap<string, Task>,
  side: 'parents' | 'children',
  other: 'parents' | 'children',
) {
  const count = new Map<string, number>()
  for (const name of rest)
    count.set(name, (byName.get(name)?.[side] ?? []).filter((one) => rest.has(one)).length)
  const free = [...rest].filter((name) => count.get(name) === 0)
  for (let name = free.pop(); name !== undefined; name = free.pop()) {
    rest.delete(name)
    for (const next of byName.get(name)?.[other] ?? []) {
      if (!rest.has(next)) continue
      const left = (count.get(next) ?? 0) - 1
      count.set(next, left)
      if (left === 0) free.push(next)
    }
  }
}

/** Every task left has a child that is left: following them comes back. */
function cycleFrom(rest: ReadonlySet<string>, byName: ReadonlyMap<string, Task>): string[] {
  const path: string[] = []
  const at = new Map<string, number>()
  let name = [...rest][0] as string
  while (!at.has(name)) {
    at.set(name, path.length)
    path.push(name)
    name = byName.get(name)?.children.find((child) => rest.has(child)) as string
  }
  return path.slice(at.get(name))
}
