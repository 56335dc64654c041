import { getBezierPath, getSmoothStepPath, Position } from '@xyflow/react'

/** The path of an edge and the middle of its label. One that leads back, to the next row, goes around the tasks between. */
export function linkPath(ends: {
  sourceX: number
  sourceY: number
  targetX: number
  targetY: number
}): [path: string, x: number, y: number] {
  const sides = { ...ends, sourcePosition: Position.Right, targetPosition: Position.Left }
  const [path, x, y] =
    ends.targetX < ends.sourceX
      ? getSmoothStepPath({ ...sides, borderRadius: 16, offset: 20 })
      : getBezierPath(sides)
  return [path, x, y]
}
