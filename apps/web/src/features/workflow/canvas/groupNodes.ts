/** Groups of tasks as React Flow nodes: a frame around the tasks or, when folded, one card in place of them. Pure. */
import { type Node, Position } from '@xyflow/react'
import { NODE_WIDTH, type Point } from '../model/card.ts'
import type { LinkEdge, TaskNode } from './graph.ts'
import { boundsOf } from './overviewFrame.ts'

export interface GroupData extends Record<string, unknown> {
  name: string
  tasks: readonly string[]
  folded: boolean
  selected: boolean
  /** Of all its tasks. */
  errors: number
  warnings: number
}
export type GroupNode = Node<GroupData, 'frame'>
export type CanvasNode = TaskNode | GroupNode
type Groups = ReadonlyMap<string, readonly string[]>

const PREFIX = 'group '
/** The id of a group's node. No task has it: names of tasks have no blanks. */
export const groupId = (name: string): string => PREFIX + name
/** The name of the group whose node has the id; `undefined` for a task. */
export const groupOfId = (id: string): string | undefined =>
  id.startsWith(PREFIX) ? id.slice(PREFIX.length) : undefined

const PADDING = 20
/** Height of the title of a frame. */
export const TITLE = 32
export const CARD_HEIGHT = 60

/** The tasks of folded groups, each with the id of its group's card. */
export function hiddenTasks(groups: Groups, folded: ReadonlySet<string>): ReadonlyMap<string, string> {
  return new Map(
    [...groups].flatMap(([name, tasks]) =>
      folded.has(name) ? tasks.map((task) => [task, groupId(name)] as const) : [],
    ),
  )
}

/** Labels of edges that folding has made one; many are counted. */
function joined(labels: readonly string[]): string {
  const all = [...new Set(labels.flatMap((label) => label.split(', ')).filter(Boolean))]
  return all.length > 2 ? `${all.length} data` : all.join(', ')
}

/** The edges when some tasks are hidden: to and from the card of their group, one for each pair. */
export function foldedEdges(edges: readonly LinkEdge[], hidden: ReadonlyMap<string, string>): LinkEdge[] {
  if (hidden.size === 0) return [...edges]
  const ends = (edge: LinkEdge) => [
    hidden.get(edge.source) ?? edge.source,
    hidden.get(edge.target) ?? edge.target,
  ]
  const { shown = [], led = [] } = Object.groupBy(edges, ({ source, target }) =>
    hidden.has(source) || hidden.has(target) ? 'led' : 'shown',
  )
  const others = led.filter((edge) => {
    const [source, target] = ends(edge)
    return edge.type === 'data' && source !== target
  })
  const merged = [...Map.groupBy(others, (edge) => ends(edge).join('>'))].map(([id, all]): LinkEdge => {
    const [source = '', target = ''] = ends(all[0] as LinkEdge)
    const label = joined(all.map(({ data }) => data?.label ?? ''))
    return {
      id,
      type: 'data',
      source,
      target,
      selectable: false,
      focusable: false,
      data: { label, detail: '' },
      ariaLabel: `${label || 'order only'} from ${groupOfId(source) ?? source} to ${groupOfId(target) ?? target}`,
    }
  })
  return [...shown, ...merged]
}

/** The node of each group, around its tasks or in their place. */
export function groupNodes(
  groups: Groups,
  tasks: ReadonlyMap<string, TaskNode>,
  folded: ReadonlySet<string>,
): GroupNode[] {
  return [...groups].map(([name, members]) => {
    const nodes = members.flatMap((task) => tasks.get(task) ?? [])
    const isFolded = folded.has(name)
    const sum = (of: (node: TaskNode) => number): number => nodes.reduce((total, node) => total + of(node), 0)
    const box = boundsOf(
      nodes.map(({ position: { x, y }, width = 0, height = 0 }) => ({ x, y, width, height })),
    )
    const position: Point = isFolded
      ? { x: box.x, y: box.y }
      : { x: box.x - PADDING, y: box.y - PADDING - TITLE }
    const size = isFolded
      ? { width: NODE_WIDTH, height: CARD_HEIGHT }
      : { width: box.width + 2 * PADDING, height: box.height + 2 * PADDING + TITLE }
    return {
      id: groupId(name),
      // React Flow has looks of its own for 'group'.
      type: 'frame',
      position,
      ...size,
      measured: size,
      selectable: false,
      focusable: false,
      // Only the title of a frame can be pressed, so that the canvas between its tasks can be dragged.
      ...(isFolded ? {} : { zIndex: -2, style: { pointerEvents: 'none' } }),
      handles: [
        { type: 'target', position: Position.Left, x: -6 },
        { type: 'source', position: Position.Right, x: NODE_WIDTH - 6 },
      ].map((handle) => ({ ...handle, y: CARD_HEIGHT / 2 - 6, width: 12, height: 12 })) as NonNullable<
        GroupNode['handles']
      >,
      data: {
        name,
        tasks: members,
        folded: isFolded,
        selected: nodes.length > 0 && nodes.every(({ selected }) => selected),
        errors: sum(({ data }) => data.errors),
        warnings: sum(({ data }) => data.warnings),
      },
    }
  })
}
