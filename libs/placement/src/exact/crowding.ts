/** How sparse a front is around each of its points. */
import { at } from './problem.ts'

/**
 * The crowding distance of each of `points`, which are numbers of rows (Deb et al. 2002, NSGA-II): how far its neighbours in
 * each objective are apart, as a share of the extent of all, added up. For an end the neighbour it lacks is itself, and of equal
 * values the one that comes first in `points` is the lesser.
 */
export function crowdingOf(rows: Float64Array, points: Int32Array, stride: number): Float64Array {
  const crowding = new Float64Array(points.length)
  const values = new Float64Array(points.length)
  const equals = new Int32Array(points.length)
  const last = points.length - 1
  for (let d = 0; d < stride; d++) {
    for (let i = 0; i <= last; i++) values[i] = at(rows, at(points, i) * stride + d)
    values.sort()
    const extent = at(values, last) - at(values, 0)
    if (!(extent > 0)) continue
    equals.fill(0)
    for (let i = 0; i <= last; i++) {
      const first = placeOf(values, at(rows, at(points, i) * stride + d))
      const place = first + at(equals, first)
      equals[first] = at(equals, first) + 1
      const gap = at(values, Math.min(last, place + 1)) - at(values, Math.max(0, place - 1))
      crowding[i] = at(crowding, i) + gap / extent
    }
  }
  return crowding
}

/** Where a value that is there comes first among sorted ones. */
function placeOf(sorted: Float64Array, value: number): number {
  let low = 0
  let high = sorted.length - 1
  while (low < high) {
    const middle = (low + high) >> 1
    if (at(sorted, middle) < value) low = middle + 1
    else high = middle
  }
  return low
}
