/** HM510: Serial statements that, together with the graph, make tasks wait for each other. */
import type { Task } from '@hivemind/workflow'
import type { RelationDef } from '../meaning/model.ts'
import { statementRemoval } from '../syntax/layout.ts'
import type { Checked } from './context.ts'
import { findCycles } from './cycles.ts'

/** `serials` are those whose two tasks exist and that do not already contradict the graph on their own. */
export function checkSerials(checked: Checked, serials: readonly RelationDef[]) {
  if (serials.length === 0 || !checked.ordered) return
  const { cycles } = findCycles(withSerials(checked.workflow.tasks, serials))
  const byPair = new Map(serials.map((serial) => [pairOf(serial.a.name, serial.b.name), serial]))
  for (const cycle of cycles) reportCycle(checked, cycle, byPair)
}

const pairOf = (a: string, b: string) => `${a} ${b}`

/** The graph with an edge for each Serial. */
function withSerials(tasks: readonly Task[], serials: readonly RelationDef[]): Task[] {
  const byName = new Map(
    tasks.map((task) => [task.name, { ...task, parents: [...task.parents], children: [...task.children] }]),
  )
  for (const { a, b } of serials) {
    const [before, after] = [byName.get(a.name), byName.get(b.name)]
    if (!before || !after || before.children.includes(after.name)) continue
    before.children.push(after.name)
    after.parents.push(before.name)
  }
  return [...byName.values()]
}

/** Reports a cycle at the last Serial that closes it. The graph alone has none, so there is one. */
function reportCycle(
  { text, report, tasks }: Checked,
  cycle: readonly string[],
  byPair: ReadonlyMap<string, RelationDef>,
) {
  const next = (index: number) => cycle[(index + 1) % cycle.length] as string
  const serialAt = (index: number) => {
    const name = cycle[index] as string
    return tasks.get(name)?.children.includes(next(index)) ? undefined : byPair.get(pairOf(name, next(index)))
  }
  const used = cycle.flatMap((_, index) => serialAt(index) ?? [])
  const last = used.reduce((one, other) =>
    other.bound.statement.from > one.bound.statement.from ? other : one,
  )
  const { statement } = last.bound
  const start = cycle.indexOf(last.b.name)
  const path = [...cycle.slice(start), ...cycle.slice(0, start)]
  const shown = path.length > 12 ? [...path.slice(0, 11), '...', path.at(-1)] : path
  const others = used.filter((one) => one !== last).map((one) => report.where(one.bound.statement))
  report.add(
    'HM510',
    statement,
    `Serial puts '${last.a.name}' before '${last.b.name}', but '${last.b.name}' comes before it already: ${shown.join(' -> ')}${
      others.length > 0 ? ` (Serial in ${others.slice(0, 5).join(', ')})` : ''
    }. Remove one of these.`,
    {
      fixes: () => [
        { title: 'Remove this one', certain: false, changes: [statementRemoval(text, statement)] },
      ],
    },
  )
}
