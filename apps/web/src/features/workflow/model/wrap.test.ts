import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GAP_X, NODE_HEIGHT, NODE_WIDTH, type Point } from './card.ts'
import { wrapped } from './wrap.ts'

const STEP = NODE_WIDTH + GAP_X
const chain = (length: number): Record<string, Point> =>
  Object.fromEntries(Array.from({ length }, (_, n) => [`t${n}`, { x: n * STEP, y: 0 }]))

const rowsIn = (points: Record<string, Point>): number =>
  new Set(Object.values(points).map(({ y }) => y)).size

const sizeOf = (points: Record<string, Point>) => {
  const all = Object.values(points)
  const span = (of: (point: Point) => number) => Math.max(...all.map(of)) - Math.min(...all.map(of))
  return { width: span(({ x }) => x) + NODE_WIDTH, height: span(({ y }) => y) + NODE_HEIGHT }
}

describe('a long layout', () => {
  it('is broken into rows, so that six tasks in a chain fit a small canvas at 60 %', () => {
    const points = wrapped(chain(6))
    expect(rowsIn(points)).toBe(2)
    expect(points.t3).toEqual({ x: 0, y: expect.any(Number) })
    expect(points.t2?.y).toBe(0)
    const { width, height } = sizeOf(points)
    expect(600 / width).toBeGreaterThan(0.6)
    expect(600 / height).toBeGreaterThan(0.6)
  })

  it('stays as it is while it is short or high', () => {
    expect(wrapped(chain(3))).toEqual(chain(3))
    const high = Object.fromEntries(
      Array.from({ length: 60 }, (_, n) => [`t${n}`, { x: (n % 6) * STEP, y: Math.floor(n / 6) * 200 }]),
    )
    expect(wrapped(high)).toEqual(high)
    expect(wrapped({})).toEqual({})
  })

  it('keeps what is beside each other in a row, lays nothing over anything, and is never smaller', () => {
    const layout = fc
      .uniqueArray(fc.tuple(fc.nat(30), fc.nat(4)), {
        minLength: 1,
        maxLength: 60,
        selector: ([x, y]) => `${x} ${y}`,
      })
      .map((cells) =>
        Object.fromEntries(cells.map(([x, y], n) => [`t${n}`, { x: x * STEP, y: y * (NODE_HEIGHT + 36) }])),
      )
    fc.assert(
      fc.property(layout, (before) => {
        const after = wrapped(before)
        expect(Object.keys(after).sort()).toEqual(Object.keys(before).sort())
        const all = Object.values(after)
        for (const [at, a] of all.entries())
          for (const b of all.slice(at + 1))
            expect(Math.abs(a.x - b.x) >= NODE_WIDTH || Math.abs(a.y - b.y) >= NODE_HEIGHT).toBe(true)
        const zoomOf = (points: typeof before): number => {
          const { width, height } = sizeOf(points)
          return Math.min(1.1 / width, 1 / height)
        }
        const isBroken = JSON.stringify(after) !== JSON.stringify(before)
        if (isBroken) expect(zoomOf(after) / zoomOf(before)).toBeGreaterThanOrEqual(1.25 - 1e-9)
      }),
    )
  })

  it('of a thousand tasks takes no longer than that of a hundred, by far', () => {
    const { width, height } = sizeOf(wrapped(chain(1_000)))
    expect(width / height).toBeGreaterThan(0.4)
    expect(width / height).toBeLessThan(3)
  })
})
