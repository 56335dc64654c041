import { expect, test } from 'vitest'
import type { FabricFloorplan } from '../../api/types.ts'
import { barsOf, memoryPaths, partPaths, summaryOf } from './floorplan.ts'

const plan: FabricFloorplan = {
  columns: 9,
  rows: 5,
  parts: [
    { name: 'shell', cells: 8, memories: 0 },
    { name: 'distil', cells: 2, memories: 1 },
  ],
  tiles: [
    { x: 1, y: 2, part: 0, cells: 8 },
    { x: 3, y: 4, part: 1, cells: 2 },
  ],
  memories: [{ x: 5, y: 0, part: 1 }],
  arrivals: [],
}

test('a full tile is a whole square, a quarter of one a square of half its side', () => {
  expect(partPaths(plan)).toEqual(['M1 2h1v1h-1z', 'M3.25 4.25h0.5v0.5h-0.5z'])
  expect(memoryPaths(plan)).toEqual(['', 'M5 0h2v1h-2z'])
})

test('ends of paths after the period are late', () => {
  const arrivals = { clock: 'clk', requiredNs: 8, binNs: 2, counts: [0, 5, 7, 1, 2, 0] }
  expect(barsOf(arrivals).map(({ isLate }) => isLate)).toEqual([false, false, false, false, true, true])
  expect(summaryOf(arrivals)).toEqual({ ends: 15, late: 2, slowestNs: 10 })
  expect(summaryOf({ ...arrivals, counts: [0, 0] })).toEqual({ ends: 0, late: 0, slowestNs: 0 })
})
