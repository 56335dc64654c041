/** Positions of tasks on a read-only canvas. */
import type { Workflow } from '@hivemind/workflow'
import type { Layout } from '../../api/types.ts'
import { inLayers, type LayerStyle, type Position } from './layers.ts'

export const NODE_WIDTH = 188
export const NODE_HEIGHT = 60

/** Positions of the upper left corners, in pixels at zoom 1, and the direction of the flow. */
export interface Arrangement {
  flow: LayerStyle['flow']
  positions: ReadonlyMap<string, Position>
}

/** Smallest zoom at which the states of the tasks are easy to read. */
const MIN_LEGIBLE_ZOOM = 0.8

/**
 * Arranges the tasks: as `own`, the user's layout, has them when it contains every task, else in layers from left to
 * right. When that is not legible in `box`, a compact layout is used if its zoom is clearly larger.
 */
export function arrange(
  workflow: Workflow,
  own: Layout | undefined,
  box: { width: number; height: number } | undefined,
): Arrangement {
  const across: Arrangement = {
    flow: 'right',
    positions: ownPositions(workflow, own) ?? arranged(workflow, 'right'),
  }
  if (!box || zoomOf(across, box) >= MIN_LEGIBLE_ZOOM) return across
  const close: Arrangement = { flow: 'right', positions: arranged(workflow, 'right') }
  const down: Arrangement = { flow: 'down', positions: arranged(workflow, 'down') }
  const best = zoomOf(down, box) > 1.1 * zoomOf(close, box) ? down : close
  return zoomOf(best, box) > 1.15 * zoomOf(across, box) ? best : across
}

function ownPositions(workflow: Workflow, own: Layout | undefined): Map<string, Position> | undefined {
  const positions = new Map<string, Position>()
  for (const { name } of workflow.tasks) {
    const node = own?.nodes[name]
    if (!node) return undefined
    positions.set(name, { x: node.x, y: node.y })
  }
  return positions
}

const arranged = (workflow: Workflow, flow: Arrangement['flow']): Map<string, Position> =>
  inLayers(workflow, {
    flow,
    width: NODE_WIDTH,
    height: NODE_HEIGHT,
    within: 20,
    between: flow === 'right' ? 40 : 28,
  })

/** Largest zoom at which an arrangement fits a box. */
function zoomOf({ positions }: Arrangement, box: { width: number; height: number }): number {
  if (positions.size === 0) return 1
  const all = [...positions.values()]
  const extent = (values: number[]) => Math.max(...values) - Math.min(...values)
  return Math.min(
    box.width / (extent(all.map((position) => position.x)) + NODE_WIDTH),
    box.height / (extent(all.map((position) => position.y)) + NODE_HEIGHT),
  )
}
