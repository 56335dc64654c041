/** What the palette offers, and the edit of the graph that each item is. */
import type { GraphEdit, NewTask } from '@hivemind/dsl'
import { ancestorsOf, type Relation, type Workflow } from '@hivemind/workflow'
import { freeName } from './names.ts'

export type PaletteGroup = 'Tasks' | 'Network functional units'

export interface PaletteItem {
  kind: string
  label: string
  hint: string
  group: PaletteGroup
  /** Words that find it. */
  words: string
  stem: string
  make: (name: string, taken: ReadonlySet<string>) => Omit<NewTask, 'name'>
  /** Directives that make it what it is. */
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

/** All names of tasks and data: a new one must differ from them. */
export const namesOf = (workflow: Workflow | null): Set<string> =>
  new Set(workflow ? [...workflow.tasks, ...workflow.data].map(({ name }) => name) : [])

/** The edits that add an item under a free name, and that name. */
export function additionOf(
  item: PaletteItem,
  workflow: Workflow | null,
): { name: string; edits: GraphEdit[] } {
  const taken = namesOf(workflow)
  const name = freeName(item.stem, taken)
  return {
    name,
    edits: [
      { kind: 'addTask', task: { name, ...item.make(name, new Set([...taken, name])) } },
      ...(item.directives?.(name) ?? []),
    ],
  }
}

/** The edits that connect two tasks so that data flows: a parent that writes nothing yet gets data to write. */
export function connectionOf(workflow: Workflow, from: string, to: string): GraphEdit[] {
  const parent = workflow.tasks.find(({ name }) => name === from)
  if (!parent) return []
  const edits: GraphEdit[] = []
  if (parent.dataOut === null)
    edits.push({ kind: 'setDataOut', task: from, dataOut: freeName(`${from}Data`, namesOf(workflow)) })
  edits.push({ kind: 'connect', from, to, data: true })
  return edits
}

/** Why two tasks cannot be connected, as a sentence; `null` when they can. */
export function connectionFault(workflow: Workflow, from: string, to: string): string | null {
  if (from === to) return 'A task cannot be its own child.'
  const byName = new Map(workflow.tasks.map((task) => [task.name, task]))
  const seen = new Set<string>()
  const open = [to]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (next === from) return `'${to}' already runs before '${from}': this would be a cycle.`
    if (seen.has(next)) continue
    seen.add(next)
    open.push(...(byName.get(next)?.children ?? []))
  }
  if (byName.get(from)?.children.includes(to)) return `'${to}' already is a child of '${from}'.`
  return null
}

/**
 * The relation to begin with for two tasks that have none: what the graph orders takes turns (in its order), and what it
 * does not order runs together.
 */
export function likelyRelation(workflow: Workflow, task: string, other: string): Relation {
  if (ancestorsOf(workflow, task).has(other)) return { kind: 'serial', a: other, b: task }
  return { kind: ancestorsOf(workflow, other).has(task) ? 'serial' : 'parallel', a: task, b: other }
}
