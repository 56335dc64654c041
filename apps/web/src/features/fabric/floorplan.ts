/** The picture of a placement, and the histogram of the ends of its paths, as numbers and paths of SVG. Pure. */
import type { FabricFloorplan } from '../../api/types.ts'

/** The outlines of each part's tiles, one path for each, in the units of tiles; the fuller a tile, the larger its square. */
export function partPaths({ parts, tiles }: FabricFloorplan): string[] {
  const paths = parts.map(() => '')
  for (const { x, y, part, cells } of tiles) {
    const side = Math.round(10 * Math.sqrt(Math.min(1, cells / CELLS_OF_A_TILE))) / 10
    const at = (low: number) => Math.round(100 * (low + (1 - side) / 2)) / 100
    paths[part] += `M${at(x)} ${at(y)}h${side}v${side}h${-side}z`
  }
  return paths
}

/** Logic cells of a tile: four slices of two. */
const CELLS_OF_A_TILE = 8

/** The block RAMs of each part: a bar over the two tiles that each takes. */
export function memoryPaths({ parts, memories }: FabricFloorplan): string[] {
  const paths = parts.map(() => '')
  for (const { x, y, part } of memories) paths[part] += `M${x} ${y}h2v1h-2z`
  return paths
}

/** A bar of the histogram. */
export interface Bar {
  /** From and to so many ns after the edge of the clock. */
  fromNs: number
  toNs: number
  count: number
  /** Later than the clock allows. */
  isLate: boolean
}

/** The bars of a clock up to the last one that has a path, or to the period. */
export function barsOf({ binNs, requiredNs, counts }: FabricFloorplan['arrivals'][number]): Bar[] {
  return counts.map((count, n) => ({
    fromNs: n * binNs,
    toNs: (n + 1) * binNs,
    count,
    isLate: n * binNs >= requiredNs - 1e-9,
  }))
}

/** How many ends of paths there are, how many of them are late, and until when the slowest bin lasts, in ns. */
export function summaryOf(arrivals: FabricFloorplan['arrivals'][number]): {
  ends: number
  late: number
  slowestNs: number
} {
  const bars = barsOf(arrivals)
  const sum = (some: readonly Bar[]): number => some.reduce((total, { count }) => total + count, 0)
  return {
    ends: sum(bars),
    late: sum(bars.filter(({ isLate }) => isLate)),
    slowestNs: bars.findLast(({ count }) => count > 0)?.toNs ?? 0,
  }
}
