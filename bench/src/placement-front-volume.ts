/** Hypervolume of a front of three objectives: the volume that it dominates below a reference point. */

type Point = readonly number[]

/** Area dominated in the plane of the last two coordinates; `points` sorted by the second of them. */
function areaOf(points: readonly Point[], reference: Point): number {
  let area = 0
  let low = reference[2] as number
  for (const [, y, z] of points as [number, number, number][]) {
    if (y >= (reference[1] as number) || z >= low) continue
    area += ((reference[1] as number) - y) * (low - z)
    low = z
  }
  return area
}

/** Sweeps the first coordinate and adds up slices. */
export function volumeOf(points: readonly Point[], reference: Point): number {
  const sorted = [...points].sort((a, b) => (a[0] as number) - (b[0] as number))
  const active: Point[] = []
  let volume = 0
  for (const [index, point] of sorted.entries()) {
    // what the new point covers adds nothing to any later slice
    for (let i = active.length - 1; i >= 0; i--)
      if (
        (active[i]?.[1] as number) >= (point[1] as number) &&
        (active[i]?.[2] as number) >= (point[2] as number)
      )
        active.splice(i, 1)
    const covered = active.some(
      (each) => (each[1] as number) <= (point[1] as number) && (each[2] as number) <= (point[2] as number),
    )
    if (!covered) {
      const at = active.findIndex((each) => (each[1] as number) > (point[1] as number))
      active.splice(at < 0 ? active.length : at, 0, point)
    }
    const next = Math.min(sorted[index + 1]?.[0] ?? (reference[0] as number), reference[0] as number)
    const depth = next - (point[0] as number)
    if (depth > 0) volume += depth * areaOf(active, reference)
  }
  return volume
}

/** A point a tenth of the front's extent behind its worst values. */
export function referenceOf(front: readonly Point[]): number[] {
  return [0, 1, 2].map((d) => {
    const values = front.map((point) => point[d] as number)
    const worst = values.reduce((a, b) => Math.max(a, b), 0)
    const best = values.reduce((a, b) => Math.min(a, b), worst)
    return worst + 0.1 * (worst - best) + 1
  })
}
