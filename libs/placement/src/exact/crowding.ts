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
    for (let i = 0; i <= last; i++) values[i] = rows[(points[i] as number) * stride + d] as number
    values.sort()
    const extent = (values[last] as number) - (values[0] as number)
    if (!(extent > 0)) continue
    equals.fill(0)
    for (let i = 0; i <= last; i++) {
      const first = placeOf(values, rows[(points[i] as number) * stride + d] as number)
      const place = first + (equals[first] as number)
      equals[first] = (equals[first] as number) + 1
      const gap = (values[Math.min(last, place + 1)] as number) - (values[Math.max(0, place - 1)] as number)
      crowding[i] = (crowding[i] as number) + gap / extent
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
    if ((sorted[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low
}
