/** Lines tasks up on the canvas. Pure: from positions to positions. */
import type { Workflow } from '@hivemind/workflow'
import { NODE_WIDTH, type Point, type Points } from './card.ts'
import { subworkflowOf } from './clipboard.ts'
import { layered } from './place.ts'

export type Alignment = 'left' | 'centre' | 'right' | 'top' | 'middle' | 'bottom'
export type Direction = 'left' | 'right' | 'up' | 'down'

type Placed = readonly (readonly [task: string, at: Point])[]

const placed = (points: Points, tasks: readonly string[]): Placed =>
  tasks.flatMap((task) => {
    const at = points[task]
    return at ? [[task, at] as const] : []
  })

/**
 * The tasks with one edge, or their middles, on one line: that of the outermost task, or the middle of all.
 * @param heightOf height of a task's card; all are equally wide
 */
export function aligned(
  points: Points,
  tasks: readonly string[],
  to: Alignment,
  heightOf: (task: string) => number,
): Record<string, Point> {
  const all = placed(points, tasks)
  const isColumn = to === 'left' || to === 'centre' || to === 'right'
  const starts = all.map(([, at]) => (isColumn ? at.x : at.y))
  const ends = all.map(([task, at]) => (isColumn ? at.x + NODE_WIDTH : at.y + heightOf(task)))
  const [low, high] = [Math.min(...starts), Math.max(...ends)]
  const start = (size: number): number =>
    to === 'left' || to === 'top'
      ? low
      : to === 'right' || to === 'bottom'
        ? high - size
        : Math.round((low + high - size) / 2)
  return Object.fromEntries(
    all.map(([task, at]) => [
      task,
      isColumn ? { ...at, x: start(NODE_WIDTH) } : { ...at, y: start(heightOf(task)) },
    ]),
  )
}

/** The tasks at equal distances along an axis; the outermost two stay where they are. */
export function distributed(
  points: Points,
  tasks: readonly string[],
  axis: 'x' | 'y',
): Record<string, Point> {
  const all = placed(points, tasks).toSorted(([, a], [, b]) => a[axis] - b[axis])
  const [low, high] = [all[0]?.[1][axis] ?? 0, all.at(-1)?.[1][axis] ?? 0]
  const step = all.length > 1 ? (high - low) / (all.length - 1) : 0
  return Object.fromEntries(
    all.map(([task, at], rank) => [task, { ...at, [axis]: Math.round(low + rank * step) }]),
  )
}

/** The tasks in layers by the edges among them, where the leftmost and topmost of them were. */
export function tidied(workflow: Workflow, points: Points, tasks: readonly string[]): Record<string, Point> {
  const corner = (all: readonly Point[]): Point => ({
    x: Math.min(...all.map(({ x }) => x)),
    y: Math.min(...all.map(({ y }) => y)),
  })
  const layers = layered(subworkflowOf(workflow, new Set(tasks)))
  const [from, to] = [corner(Object.values(layers)), corner(placed(points, tasks).map(([, at]) => at))]
  return Object.fromEntries(
    Object.entries(layers).map(([task, { x, y }]) => [task, { x: x - from.x + to.x, y: y - from.y + to.y }]),
  )
}

/** How much a step to the side counts against one ahead. */
const SIDEWAYS = 2

/** The task that lies nearest to another one in a direction; `undefined` when none does. */
export function nearest(points: Points, from: string, direction: Direction): string | undefined {
  const at = points[from]
  if (!at) return undefined
  const isAcross = direction === 'left' || direction === 'right'
  const sign = direction === 'left' || direction === 'up' ? -1 : 1
  let best: { task: string; distance: number } | undefined
  for (const [task, { x, y }] of Object.entries(points)) {
    const [dx, dy] = [x - at.x, y - at.y]
    const [ahead, aside] = isAcross ? [sign * dx, Math.abs(dy)] : [sign * dy, Math.abs(dx)]
    if (task === from || ahead <= 0 || aside > SIDEWAYS * ahead) continue
    const distance = ahead + SIDEWAYS * aside
    if (!best || distance < best.distance) best = { task, distance }
  }
  return best?.task
}
