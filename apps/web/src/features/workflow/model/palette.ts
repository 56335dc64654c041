/** The items of the palette, and the graph edits that add and connect tasks. */
import type { GraphEdit, NewTask } from '@hivemind/dsl'
import { ancestorsOf, type Relation, type Task, type Workflow } from '@hivemind/workflow'
import { freeName } from './names.ts'

export type PaletteGroup = 'Tasks' | 'Network functional units'

export interface PaletteItem {
  kind: string
  label: string
  hint: string
  group: PaletteGroup
  /** Words that the search finds it by. */
  words: string
  /** The name of a new task starts with it. */
  stem: string
  make: (name: string, taken: ReadonlySet<string>) => Omit<NewTask, 'name'>
  /** Edits that set the directives of the item. */
  directives?: (name: string) => GraphEdit[]
}

const nfu = (op: string, hint: string, args = ''): PaletteItem => ({
  kind: `nfu-${op}`,
  label: op.charAt(0).toUpperCase() + op.slice(1),
  hint,
  group: 'Network functional units',
  words: `nfu op network fabric ${op}`,
  stem: op,
  make: () => ({ dataIn: [], dataOut: null, code: `nfu:${op}${args}` }),
})

export const paletteItems: readonly PaletteItem[] = [
  {
    kind: 'sensor',
    label: 'Sensor',
    hint: 'Reads the physical world; runs on every device',
    group: 'Tasks',
    words: 'camera input source collect',
    stem: 'sensor',
    make: (name, taken) => ({
      dataIn: [],
      dataOut: freeName(`${name}Data`, taken),
      code: `tasks/${name}.js`,
    }),
  },
  {
    kind: 'compute-js',
    label: 'Compute (JavaScript)',
    hint: 'Turns data into data; runs where the placement says',
    group: 'Tasks',
    words: 'function js node',
    stem: 'compute',
    make: (name) => ({ dataIn: [], dataOut: null, code: `tasks/${name}.js` }),
  },
  {
    kind: 'compute-py',
    label: 'Compute (Python)',
    hint: 'Turns data into data; runs where the placement says',
    group: 'Tasks',
    words: 'function py',
    stem: 'compute',
    make: (name) => ({ dataIn: [], dataOut: null, code: `tasks/${name}.py` }),
  },
  {
    kind: 'actuator',
    label: 'Actuator',
    hint: 'Acts on the physical world, on the devices; behind a barrier each gets its part',
    group: 'Tasks',
    words: 'motor move drive output',
    stem: 'actuator',
    make: (name) => ({ dataIn: [], dataOut: null, code: `tasks/${name}.js`, args: { role: 'actuator' } }),
  },
  {
    kind: 'barrier',
    label: 'Barrier',
    hint: 'Waits for all devices, then runs once for the swarm',
    group: 'Tasks',
    words: 'synchronize join aggregate all',
    stem: 'barrier',
    make: (name) => ({ dataIn: [], dataOut: null, code: `tasks/${name}.js` }),
    directives: (name) => [
      { kind: 'setDirective', task: name, directive: 'synchronize', value: { kind: 'all' } },
    ],
  },
  nfu('average', 'Mean of a window of values', '?window=8'),
  nfu('counter', 'Counts what passes'),
  nfu('min', 'Smallest of a window', '?window=8'),
  nfu('max', 'Largest of a window', '?window=8'),
  nfu('filter', 'Lets through what meets a condition', '?above=0'),
  nfu('forward', 'Passes data on unchanged'),
]

export const paletteItem = (kind: string): PaletteItem | undefined =>
  paletteItems.find((item) => item.kind === kind)

/** Names of all tasks and data. A new name must differ from them. */
export const takenNames = (workflow: Workflow | null): Set<string> =>
  new Set(workflow ? [...workflow.tasks, ...workflow.data].map(({ name }) => name) : [])

/** Whether an item can be added below another task: a sensor reads the world, not the data of a parent. */
export const canFollow = (item: PaletteItem): boolean => item.kind !== 'sensor'

/**
 * Edits that add an item under a free name, and that name. With `after`, the new task becomes a child of that task and reads
 * its data.
 */
export function addItemEdits(
  item: PaletteItem,
  workflow: Workflow | null,
  after?: string,
): { name: string; edits: GraphEdit[] } {
  const taken = takenNames(workflow)
  const name = freeName(item.stem, taken)
  taken.add(name)
  const parent = workflow?.tasks.find((task) => task.name === after)
  return {
    name,
    edits: [
      { kind: 'addTask', task: { name, ...item.make(name, taken) } },
      ...(item.directives?.(name) ?? []),
      ...(parent ? linkEdits(parent, name, taken) : []),
    ],
  }
}

/** Edits that connect a task to a child by data. A parent without output gets one. */
function linkEdits(parent: Task, child: string, taken: ReadonlySet<string>): GraphEdit[] {
  const from = parent.name
  return [
    ...(parent.dataOut === null
      ? [{ kind: 'setDataOut' as const, task: from, dataOut: freeName(`${from}Data`, taken) }]
      : []),
    { kind: 'connect', from, to: child, data: true },
  ]
}

/** Edits that connect two tasks by data. A parent without output gets one. */
export function connectEdits(workflow: Workflow, from: string, to: string): GraphEdit[] {
  const parent = workflow.tasks.find(({ name }) => name === from)
  return parent ? linkEdits(parent, to, takenNames(workflow)) : []
}

/** Why two tasks cannot be connected, as a sentence; `null` if they can. */
export function connectionRefusal(workflow: Workflow, from: string, to: string): string | null {
  if (from === to) return 'A task cannot be its own child.'
  const byName = new Map(workflow.tasks.map((task) => [task.name, task]))
  const visited = new Set<string>()
  const pending = [to]
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    if (next === from) return `'${to}' already runs before '${from}': this would be a cycle.`
    if (visited.has(next)) continue
    visited.add(next)
    pending.push(...(byName.get(next)?.children ?? []))
  }
  if (byName.get(from)?.children.includes(to)) return `'${to}' already is a child of '${from}'.`
  return null
}

/** Default relation of two tasks: `serial`, in their order, if the graph orders them, else `parallel`. */
export function defaultRelation(workflow: Workflow, task: string, other: string): Relation {
  if (ancestorsOf(workflow, task).has(other)) return { kind: 'serial', a: other, b: task }
  return { kind: ancestorsOf(workflow, other).has(task) ? 'serial' : 'parallel', a: task, b: other }
}
