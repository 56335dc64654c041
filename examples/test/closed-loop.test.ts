import { scopesOf } from '@hivemind/workflow'
import { describe, expect, it } from 'vitest'
import { type Item, only, readJson, readWorkflow, runExample } from './harness.ts'

interface Point {
  x: number
  y: number
}
interface Target extends Point {
  name: string
}
interface Order {
  from: Point
  target: Target
}
interface Arrival {
  target: string
  position: Point
  distanceM: number
  seconds: number
}
interface Summary {
  robots: Record<string, Arrival>
  targets: string[]
  totalM: number
  lastArrivalS: number
}

const targets = readJson('closed-loop', 'data/targets.json') as Target[]
const distance = (a: Point, b: Point) => Math.hypot(a.x - b.x, a.y - b.y)

/** The least total distance of any assignment, by trying all of them. */
function leastTotal(robots: readonly Point[], free: readonly Target[]): number {
  const [first, ...others] = robots
  if (!first) return 0
  if (robots.length > free.length)
    return Math.min(
      ...robots.map((_, at) =>
        leastTotal(
          robots.filter((__, index) => index !== at),
          free,
        ),
      ),
    )
  return Math.min(
    ...free.map(
      (target) =>
        distance(first, target) +
        leastTotal(
          others,
          free.filter((one) => one !== target),
        ),
    ),
  )
}

describe('closed-loop', () => {
  it('senses on each device, decides once, scatters, and reports once', () => {
    expect(Object.fromEntries(scopesOf(readWorkflow('closed-loop')))).toEqual({
      locate: 'device',
      assign: 'swarm',
      move: 'scatter',
      report: 'swarm',
    })
  })

  it.each([1, 2, 4, 8, 9])(
    '%i robots go as little as they can, each to a target of its own',
    async (devices) => {
      const outputs = await runExample('closed-loop', { devices })
      const positions = (outputs.get('locate') ?? []).map(({ value }) => value as Point)
      expect(positions).toHaveLength(devices)
      const orders = only<Record<string, Order>>(outputs, 'assign')
      const count = Math.min(devices, targets.length)
      expect(new Set(Object.values(orders).map(({ target }) => target.name)).size).toBe(count)
      const arrivals = (outputs.get('move') ?? []) as (Item & { value: Arrival })[]
      expect(arrivals.map(({ device }) => device).sort()).toEqual(Object.keys(orders).sort())
      for (const { device, value } of arrivals) {
        expect(value.target).toBe(orders[device]?.target.name)
        expect(distance(value.position, orders[device]?.target as Point)).toBeLessThan(1e-6)
        expect(value.seconds).toBeCloseTo(Math.ceil(value.distanceM / 0.15 - 1e-9) / 10, 1)
      }
      const summary = only<Summary>(outputs, 'report')
      expect(Object.keys(summary.robots)).toHaveLength(count)
      expect(summary.totalM).toBeCloseTo(leastTotal(positions, targets), 6)
    },
  )
})
