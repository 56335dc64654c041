/** Groups of tasks on the canvas, by the name that the layout has for them. They mean nothing to the workflow. Pure. */
import { entry, type Nodes } from './layout.ts'

/** In characters, as the contract has it. */
export const MAX_GROUP_NAME = 60

/** The tasks of each group, in their order. */
export function groupsOf(nodes: Nodes, tasks: Iterable<string>): ReadonlyMap<string, readonly string[]> {
  const groups = new Map<string, string[]>()
  for (const task of tasks) {
    const group = entry(nodes, task)?.group
    if (!group) continue
    const members = groups.get(group)
    if (members) members.push(task)
    else groups.set(group, [task])
  }
  return groups
}

/** A name that no group has: `Group 1`, `Group 2` and so on. */
export function freeGroupName(groups: ReadonlyMap<string, unknown>): string {
  let number = 1
  while (groups.has(`Group ${number}`)) number++
  return `Group ${number}`
}
