/** Converts a workflow to React Flow nodes and edges. Unchanged ones keep their identity, so React does not render them again. */
import type { Diagnostic } from '@hivemind/dsl'
import type { Tier } from '@hivemind/swarm'
import { edgesOf, pinsToDevices, roleOf, stateKeyOf, type Task, type Workflow } from '@hivemind/workflow'
import { type Edge, type Node, Position } from '@xyflow/react'
import { tierLabel } from '../../reports/tiers.ts'
import { NODE_WIDTH, type Point, type Points } from '../model/card.ts'
import type { Selection } from '../model/document.ts'
import { entry, type Nodes } from '../model/layout.ts'
import { roleNames, type ShownRole } from './roles.ts'

export interface Chip {
  label: string
  title: string
}

export interface TaskData extends Record<string, unknown> {
  name: string
  code: string
  role: ShownRole
  pin: { tier: Tier; label: string } | null
  chips: Chip[]
  errors: number
  warnings: number
  /** Message of the first error or warning, for the badge. */
  fault: string
  colour: string
  note: string
}
export type TaskNode = Node<TaskData, 'task'>

export interface LinkData extends Record<string, unknown> {
  label: string
  detail: string
}
export type LinkEdge = Edge<LinkData, 'data' | 'relation'>

export function taskChips(task: Task): Chip[] {
  const { synchronize, schedule, isolate, restore, learn, persist } = task.directives
  const chips: Chip[] = []
  if (synchronize) {
    const count = synchronize.kind === 'count' ? String(synchronize.count) : synchronize.kind
    chips.push({ label: `sync ${count}`, title: `Barrier: waits for ${count}` })
  }
  if (schedule) {
    const label = [
      schedule.priority === undefined ? '' : `priority ${schedule.priority}`,
      schedule.deadline ? `within ${schedule.deadline.text}` : '',
      schedule.onMiss === 'drop' ? 'or dropped' : '',
    ]
      .filter(Boolean)
      .join(', ')
    chips.push({ label: label || 'schedule', title: 'Schedule' })
  }
  if (isolate)
    chips.push({ label: 'isolated', title: 'Runs in a process, and on a core, that it shares with nobody' })
  const state = stateKeyOf(task)
  if (state !== null) chips.push({ label: 'state', title: stateTitle(state) })
  if (persist) chips.push({ label: 'persistent', title: 'Its output is kept' })
  if (restore) chips.push({ label: restore, title: `On failure: ${restore}` })
  if (learn) chips.push({ label: `learns: ${learn.toLowerCase()}`, title: `Online retraining: ${learn}` })
  return chips
}

const stateTitle = (key: string): string =>
  key === 'device'
    ? 'Keeps state between items, one for each device'
    : `Keeps state between items, one for each value of '${key}'`

export const nodeHeight = (data: Pick<TaskData, 'chips'>): number => (data.chips.length > 0 ? 82 : 60)

function taskData(
  task: Task,
  diagnostics: readonly Diagnostic[],
  nodes: Nodes,
  edgeNodes: readonly string[],
): TaskData {
  const { place, synchronize } = task.directives
  const placed = entry(nodes, task.name)
  return {
    name: task.name,
    code: task.code,
    role: synchronize ? 'barrier' : task.code.startsWith('nfu:') ? 'nfu' : roleOf(task),
    pin: place
      ? {
          tier: pinsToDevices(place) && edgeNodes.includes(place.target) ? 'edge-node' : place.tier,
          label: pinsToDevices(place) && place.target !== 'all' ? place.target : tierLabel[place.tier],
        }
      : null,
    chips: taskChips(task),
    errors: diagnostics.filter(({ severity }) => severity === 'error').length,
    warnings: diagnostics.filter(({ severity }) => severity === 'warning').length,
    fault: diagnostics.find(({ severity }) => severity !== 'hint')?.message ?? '',
    colour: placed?.colour ?? '',
    note: placed?.note ?? '',
  }
}

const handles = (height: number) =>
  [
    { type: 'target', position: Position.Left, x: -6 },
    { type: 'source', position: Position.Right, x: NODE_WIDTH - 6 },
  ].map((handle) => ({ ...handle, y: height / 2 - 6, width: 12, height: 12 })) as TaskNode['handles']

/** What a screen reader says of a task: name, role, where it is pinned, its note and its problems. */
export function spoken({ name, role, pin, note, errors, warnings }: TaskData): string {
  const counted = (count: number, word: string): string[] =>
    count === 0 ? [] : [`${count} ${word}${count === 1 ? '' : 's'}`]
  return [
    `Task ${name}`,
    roleNames[role].toLowerCase(),
    ...(pin ? [`pinned to ${pin.label}`] : []),
    ...(note ? [`note: ${note}`] : []),
    ...counted(errors, 'error'),
    ...counted(warnings, 'warning'),
  ].join(', ')
}

const origin: Point = { x: 0, y: 0 }

function taskNode(
  name: string,
  data: TaskData,
  { x, y }: Point,
  { selected, far }: { selected: boolean; far: boolean },
): TaskNode {
  const height = nodeHeight(data)
  return {
    id: name,
    type: 'task',
    position: { x, y },
    data,
    selected,
    width: NODE_WIDTH,
    height,
    measured: { width: NODE_WIDTH, height },
    // React Flow draws edges to these, and looks for others only when the size of a task changes.
    ...(far ? {} : { handles: handles(height) }),
    ariaLabel: spoken(data),
  }
}

/** Creates a builder for one canvas. It reuses unchanged nodes and edges of its last call. */
export function graphBuilder() {
  let lastNodes = new Map<string, TaskNode>()
  let lastData = new Map<string, { key: string; data: TaskData }>()
  let lastEdges = new Map<string, LinkEdge>()

  /** What each task shows. */
  function dataOf(
    workflow: Workflow,
    diagnostics: readonly Diagnostic[],
    placed: Nodes,
    /** Names that stand for edge nodes in `Place`. */
    edgeNodes: readonly string[] = [],
  ): ReadonlyMap<string, TaskData> {
    const ofTask = Map.groupBy(diagnostics, ({ task }) => task)
    const next: typeof lastData = new Map()
    for (const task of workflow.tasks) {
      const data = taskData(task, ofTask.get(task.name) ?? [], placed, edgeNodes)
      const key = JSON.stringify(data)
      const known = lastData.get(task.name)
      next.set(task.name, known?.key === key ? known : { key, data })
    }
    lastData = next
    return new Map([...next].map(([name, { data }]) => [name, data]))
  }

  function nodesOf(
    data: ReadonlyMap<string, TaskData>,
    view: {
      points: Points
      selection: Selection
      /** Positions of the tasks being dragged. */
      dragged: Points
      /** Whether tasks are plain boxes, without handles. */
      far: boolean
    },
  ): ReadonlyMap<string, TaskNode> {
    const selected = new Set(view.selection.tasks)
    const next = new Map<string, TaskNode>()
    for (const [name, shown] of data) {
      const position = view.dragged[name] ?? view.points[name] ?? origin
      const old = lastNodes.get(name)
      const same =
        old?.data === shown &&
        old.position.x === position.x &&
        old.position.y === position.y &&
        old.selected === selected.has(name) &&
        (old.handles === undefined) === view.far
      next.set(
        name,
        same ? old : taskNode(name, shown, position, { selected: selected.has(name), far: view.far }),
      )
    }
    lastNodes = next
    return next
  }

  function edges(workflow: Workflow, selection: Selection): LinkEdge[] {
    const selected = new Set(selection.edges)
    const items = new Map(workflow.data.map((data) => [data.name, data]))
    const next = new Map<string, LinkEdge>()
    const add = (edge: LinkEdge): void => {
      const old = lastEdges.get(edge.id)
      const same =
        old &&
        old.selected === edge.selected &&
        old.data?.label === edge.data?.label &&
        old.data?.detail === edge.data?.detail
      next.set(edge.id, same ? old : edge)
    }
    for (const { from, to, data } of edgesOf(workflow)) {
      const id = `${from}>${to}`
      const detail = data
        .flatMap((name) => {
          const item = items.get(name)
          return item
            ? [
                item.type?.replace(/^application\//, ''),
                item.rate?.text,
                item.rate ? undefined : item.size?.text,
              ]
            : []
        })
        .filter((part) => part !== undefined)
        .join(' · ')
      add({
        id,
        type: 'data',
        source: from,
        target: to,
        selected: selected.has(id),
        data: { label: data.join(', '), detail },
        ariaLabel: data.length
          ? `${data.join(', ')} from ${from} to ${to}`
          : `${from} runs before ${to}, without data`,
      })
    }
    const names = new Set(workflow.tasks.map(({ name }) => name))
    // A relation between parent and child has no edge of its own; the inspector shows it.
    for (const { a, b, kind, scope } of workflow.relations)
      if (names.has(a) && names.has(b) && !next.has(`${a}>${b}`) && !next.has(`${b}>${a}`))
        add({
          id: `${a} ${kind} ${b}`,
          type: 'relation',
          zIndex: -1,
          source: a,
          target: b,
          selectable: false,
          focusable: false,
          data: { label: scope ? `${kind} in the swarm` : kind, detail: '' },
          ariaLabel: `${a} and ${b}: ${kind}${scope ? ' in the swarm' : ''}`,
        })
    lastEdges = next
    return [...next.values()]
  }

  return { dataOf, nodesOf, edges }
}
