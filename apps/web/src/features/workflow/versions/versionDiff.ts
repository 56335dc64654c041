/** What differs between two versions of a workflow, by the names of its tasks. Pure. */
import { canonical, edgesOf, type Task, type Workflow } from '@hivemind/workflow'
import type { Change } from '../../reports/change.ts'

/** A task that differs. */
export interface TaskChange {
  change: Change
  /** What of it changed, in words; empty for one that was added or removed. */
  what: string[]
}

/** Two versions laid over each other. */
export interface VersionDiff {
  /** Tasks and edges of both, for one picture; those of the newer version as it has them. */
  union: Workflow
  tasks: ReadonlyMap<string, TaskChange>
  /** By `from>to`. */
  edges: ReadonlyMap<string, Change>
}

const same = (a: unknown, b: unknown): boolean => canonical(a) === canonical(b)
const dataOf = (workflow: Workflow, name: string | null) => workflow.data.find((data) => data.name === name)

/**
 * Compares two versions. `files` are the paths whose contents differ: a task whose code is among them has changed. A renamed task
 * counts as one that was removed and one that was added.
 */
export function diffOf(before: Workflow, after: Workflow, files: ReadonlySet<string>): VersionDiff {
  const old = new Map(before.tasks.map((task) => [task.name, task]))
  const now = new Map(after.tasks.map((task) => [task.name, task]))
  const tasks = new Map<string, TaskChange>()
  for (const task of after.tasks) {
    const was = old.get(task.name)
    if (!was) tasks.set(task.name, { change: 'added', what: [] })
    else {
      const what = changesOf({ workflow: before, task: was }, { workflow: after, task }, files)
      if (what.length > 0) tasks.set(task.name, { change: 'changed', what })
    }
  }
  const removed = before.tasks.filter(({ name }) => !now.has(name))
  for (const { name } of removed) tasks.set(name, { change: 'removed', what: [] })
  const [oldEdges, newEdges] = [before, after].map(
    (workflow) => new Map(edgesOf(workflow).map((edge) => [`${edge.from}>${edge.to}`, edge])),
  )
  const edges = new Map<string, Change>()
  for (const [id, edge] of newEdges ?? []) {
    const was = oldEdges?.get(id)
    if (!was) edges.set(id, 'added')
    else if (!same(was.data, edge.data)) edges.set(id, 'changed')
  }
  for (const id of oldEdges?.keys() ?? []) if (!newEdges?.has(id)) edges.set(id, 'removed')
  return { union: unionOf(before, after, removed), tasks, edges }
}

interface Own {
  workflow: Workflow
  task: Task
}

/** What of a task differs, in the order in which the inspector shows it. */
function changesOf(was: Own, is: Own, files: ReadonlySet<string>): string[] {
  const [old, now] = [was.task, is.task]
  const code = now.code.replace(/^\.\//, '')
  const written = dataOf(is.workflow, now.dataOut)
  return [
    ...(old.code !== now.code
      ? [`code ${old.code} → ${now.code}`]
      : files.has(code)
        ? [`code in ${code}`]
        : []),
    ...(same(old.dataIn, now.dataIn) ? [] : ['what it reads']),
    ...(old.dataOut === now.dataOut ? [] : ['what it writes']),
    ...(old.dataOut !== now.dataOut || same(dataOf(was.workflow, old.dataOut), written)
      ? []
      : [`data ${now.dataOut}`]),
    ...(same(old.args, now.args) ? [] : ['arguments']),
    ...[...new Set([...Object.keys(old.directives), ...Object.keys(now.directives)])].flatMap((name) =>
      same(old.directives[name as keyof Task['directives']], now.directives[name as keyof Task['directives']])
        ? []
        : [name],
    ),
  ]
}

/** The newer version with the removed tasks and edges of the older one, for drawing only. */
function unionOf(before: Workflow, after: Workflow, removed: readonly Task[]): Workflow {
  const old = new Map(before.tasks.map((task) => [task.name, task]))
  const known = new Set([...old.keys(), ...after.tasks.map(({ name }) => name)])
  const both = (a: readonly string[], b: readonly string[] = []) =>
    [...new Set([...a, ...b])].filter((name) => known.has(name))
  return {
    ...after,
    tasks: [...after.tasks, ...removed].map((task) => {
      const was = old.get(task.name)
      return {
        ...task,
        parents: both(task.parents, was?.parents),
        children: both(task.children, was?.children),
      }
    }),
    data: [
      ...after.data,
      ...before.data.filter(({ name }) => !after.data.some((data) => data.name === name)),
    ],
  }
}

/** `2 tasks added, 1 changed; 1 edge removed`. */
export function summaryOf({ tasks, edges }: VersionDiff): string {
  const counted = (all: Iterable<Change>, one: string): string => {
    const counts = new Map<Change, number>()
    for (const change of all) counts.set(change, (counts.get(change) ?? 0) + 1)
    return [...counts]
      .map(([change, count], at) => `${count}${at === 0 ? ` ${one}${count === 1 ? '' : 's'}` : ''} ${change}`)
      .join(', ')
  }
  const said = [
    counted(
      [...tasks.values()].map(({ change }) => change),
      'task',
    ),
    counted(edges.values(), 'edge'),
  ].filter((text) => text !== '')
  return said.length === 0 ? 'No task and no edge differs.' : `${said.join('; ')}.`
}
