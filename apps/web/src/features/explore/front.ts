/** The two-dimensional Pareto front of a plot. Lower is better on both axes. */

export interface Point {
  id: string
  x: number
  y: number
}

/**
 * The points that no other point dominates, sorted by x. Equal points all stay. O(n log n).
 */
export function frontOf(points: readonly Point[]): Point[] {
  const sorted = points
    .filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y))
    .sort((a, b) => a.x - b.x || a.y - b.y)
  const front: Point[] = []
  for (const point of sorted) {
    const last = front.at(-1)
    if (!last || point.y < last.y || (point.y === last.y && point.x === last.x)) front.push(point)
  }
  return front
}

/**
 * Corners of the staircase through a front, from the top of the plot to its right side. Every point above and right of
 * the staircase is dominated.
 */
export function staircase(
  front: readonly { x: number; y: number }[],
  end: { x: number; y: number },
): { x: number; y: number }[] {
  const first = front[0]
  const last = front.at(-1)
  if (!first || !last) return []
  const corners = [{ x: first.x, y: end.y }]
  let height = end.y
  for (const point of front) {
    if (point.y === height && corners.length > 1) continue
    if (corners.length > 1) corners.push({ x: point.x, y: height })
    corners.push({ x: point.x, y: point.y })
    height = point.y
  }
  corners.push({ x: end.x, y: last.y })
  return corners
}

/** Points closer than this share of a value count as one. */
const SAME = 0.01

/** How many clearly different choices the front of a plot offers: neighbours within 1% on both axes count once. */
export function choicesOn(points: readonly Point[]): number {
  const near = (a: number, b: number): boolean => Math.abs(a - b) <= SAME * Math.max(Math.abs(a), Math.abs(b))
  let count = 0
  let last: Point | undefined
  for (const point of frontOf(points)) {
    if (last && near(last.x, point.x) && near(last.y, point.y)) continue
    count++
    last = point
  }
  return count
}
