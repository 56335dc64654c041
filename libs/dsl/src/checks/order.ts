/** Which task runs before which. */
import { topologicalOrder, type Workflow } from '@hivemind/workflow'

/**
 * For a graph without cycles: whether the first task is an ancestor of the second. It looks only at tasks that can lie
 * between the two, so that asking for every pair of neighbours of a long chain stays cheap.
 */
export function orderOf(workflow: Workflow): (name: string, other: string) => boolean {
  const places = new Map(topologicalOrder(workflow).map((task, index) => [task.name, index]))
  const byName = new Map(workflow.tasks.map((task) => [task.name, task]))
  return (name, other) => {
    const place = places.get(name)
    if (place === undefined || place >= (places.get(other) ?? 0)) return false
    const seen = new Set<string>()
    const open = [...(byName.get(other)?.parents ?? [])]
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      if (next === name) return true
      if (seen.has(next) || (places.get(next) ?? 0) < place) continue
      seen.add(next)
      open.push(...(byName.get(next)?.parents ?? []))
    }
    return false
  }
}
