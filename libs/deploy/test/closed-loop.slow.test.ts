import type { Placement } from '@hivemind/swarm'
import { describe, expect, test } from 'vitest'
import { anyDevices, type Deployment } from '../src/index.ts'
import { exampleSpec } from './example.ts'
import { freshTarget } from './fresh-target.ts'

const fresh = freshTarget()

async function deploy(example: string, devices: number, placement: Placement): Promise<Deployment> {
  return fresh.target.apply({ ...(await exampleSpec(example, placement)), devices: anyDevices(devices) })
}

interface Arrival {
  target: string
  position: { x: number; y: number }
}

interface Report {
  robots: Record<string, Arrival>
  targets: string[]
}

describe('closed-loop', () => {
  const names = ['device-1', 'device-2', 'device-3', 'device-4']

  test('one decision for all, and each robot acts once, on its part', { timeout: 180_000 }, async () => {
    const placement: Placement = { locate: 'edge', assign: 'cloud', move: 'edge', report: 'cloud' }
    const on = await deploy('closed-loop', names.length, placement)
    const { state, message, losses, outputs, spans } = await on.run({
      inputs: { field: { widthM: 20 } },
      keepSpans: true,
    })
    expect(state, message).toBe('succeeded')
    expect(losses).toEqual([])
    const of = (task: string) =>
      spans.filter((span) => span.task === task).map(({ device, worker, seq }) => ({ device, worker, seq }))
    const byDevice = (task: string) => of(task).sort((a, b) => a.device.localeCompare(b.device))
    expect(of('assign').map(({ device }) => device)).toEqual(['*'])
    for (const task of ['locate', 'move'])
      expect(byDevice(task)).toEqual(names.map((device) => ({ device, worker: device, seq: 0 })))
    expect(outputs).toHaveLength(1)
    const { robots = {}, targets } = (outputs[0]?.value ?? {}) as Partial<Report>
    expect(Object.keys(robots).sort()).toEqual(names)
    expect(new Set(targets).size).toBe(names.length)
    const positions = names.map((name) => `${robots[name]?.position.x} ${robots[name]?.position.y}`)
    expect(new Set(positions).size).toBe(names.length)
  })
})

describe('stateful-average', () => {
  /** The means of 0..3 and 4..7. */
  const row = [1.5, 5.5]
  const rows = Object.fromEntries([1, 2, 3, 4].map((number) => [`device-${number}`, row]))

  test.each([
    ['edge', 'edge', 'edge'],
    ['cloud', 'edge', 'cloud'],
    ['cloud, with its sensor', 'cloud', 'cloud'],
  ] as const)(
    'the op on the %s gives each device the row worked out by hand, five times of five',
    { timeout: 180_000 },
    async (_, count, average) => {
      const on = await deploy('test/stateful-average', 4, { count, average, collect: 'cloud' })
      for (let time = 0; time < 5; time += 1) {
        const { state, message, outputs } = await on.run()
        expect(state, message).toBe('succeeded')
        expect(outputs.map(({ value }) => value)).toEqual([{ rows }])
      }
    },
  )
})
