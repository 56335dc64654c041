/** Default positions of tasks on the canvas. */
import type { Workflow } from '@hivemind/workflow'
import { inLayers } from '../../reports/layers.ts'
import { GAP_X, GAP_Y, NODE_HEIGHT, NODE_WIDTH, type Point, type Points } from './card.ts'
import { entry, type Nodes } from './layout.ts'
import { wrapped } from './wrap.ts'

const layers = {
  flow: 'right',
  width: NODE_WIDTH,
  height: NODE_HEIGHT,
  within: GAP_Y,
  between: GAP_X,
} as const

/** Layered layout from left to right, in rows when it is long. Fast for large graphs too. */
export function layered(workflow: Workflow): Record<string, Point> {
  const points: Record<string, Point> = {}
  for (const [name, { x, y }] of inLayers(workflow, layers))
    points[name] = { x: Math.round(x), y: Math.round(y) }
  return wrapped(points)
}

const overlaps = (a: Point, b: Point): boolean =>
  Math.abs(a.x - b.x) < NODE_WIDTH + 16 && Math.abs(a.y - b.y) < NODE_HEIGHT + 12

/** The nearest free position below or above `wanted`. */
export function freeSpot(wanted: Point, taken: readonly Point[]): Point {
  for (let step = 0; step <= taken.length * 2 + 1; step++) {
    const rows = step % 2 === 0 ? step / 2 : -(step + 1) / 2
    const spot = { x: wanted.x, y: wanted.y + rows * (NODE_HEIGHT + GAP_Y) }
    if (!taken.some((other) => overlaps(spot, other))) return spot
  }
  return wanted
}

/**
 * Positions of the tasks that have none: in layers when no task has one, else beside their parents or children. Existing
 * positions do not change.
 */
export function placeMissing(workflow: Workflow, own: Nodes, before: Points): Record<string, Point> {
  const known = new Map<string, Point>()
  for (const { name } of workflow.tasks) {
    const at = entry(own, name) ?? (Object.hasOwn(before, name) ? before[name] : undefined)
    if (at) known.set(name, { x: at.x, y: at.y })
  }
  if (known.size === 0) return layered(workflow)
  const result: Record<string, Point> = {}
  for (const { name } of workflow.tasks) {
    const at = known.get(name)
    if (at) result[name] = at
  }
  for (const task of workflow.tasks) {
    if (known.has(task.name)) continue
    const parents = task.parents.flatMap((name) => known.get(name) ?? [])
    const children = task.children.flatMap((name) => known.get(name) ?? [])
    const all = [...known.values()]
    const wanted = parents.length
      ? {
          x: Math.max(...parents.map(({ x }) => x)) + NODE_WIDTH + GAP_X,
          y: Math.round(parents.reduce((sum, { y }) => sum + y, 0) / parents.length),
        }
      : children.length
        ? {
            x: Math.min(...children.map(({ x }) => x)) - NODE_WIDTH - GAP_X,
            y: Math.round(children.reduce((sum, { y }) => sum + y, 0) / children.length),
          }
        : {
            x: Math.min(...all.map(({ x }) => x)),
            y: Math.max(...all.map(({ y }) => y)) + NODE_HEIGHT + GAP_Y,
          }
    const spot = freeSpot(wanted, all)
    known.set(task.name, spot)
    result[task.name] = spot
  }
  return result
}
