/** `hivemind explore`: every candidate with its figures. */
import { afterAll, expect, it } from 'vitest'
import { helloSwarm, hivemind, json, killRunning } from './command.ts'

afterAll(killRunning)

it('gives every candidate with its figures, and the same bytes for the same seed', async () => {
  const args = ['explore', helloSwarm, '--seed', '7', '--devices', '4', '--items', '20', '--json']
  const [first, second] = [await hivemind(...args), await hivemind(...args)]
  expect(second.stdout).toBe(first.stdout)
  const { candidates, front, pruned } = json<{
    candidates: { id: string; placement: Record<string, string>; pareto: boolean }[]
    front: string[]
    pruned: unknown
  }>(first)
  expect(candidates.length).toBeGreaterThan(1)
  for (const candidate of candidates) {
    expect(candidate).toMatchObject({
      id: expect.any(String),
      placement: {
        readSensor: 'edge',
        judge: expect.stringMatching(/^(edge|cloud|fabric)$/),
        summary: 'cloud',
      },
      latencyMs: { p50: expect.any(Number), p99: expect.any(Number) },
      energyJ: expect.any(Number),
      bandwidthMBps: expect.any(Number),
      costPerHour: expect.any(Number),
      pareto: expect.any(Boolean),
      meets: expect.any(Boolean),
    })
  }
  expect([...front].sort()).toEqual(
    candidates
      .filter(({ pareto }) => pareto)
      .map(({ id }) => id)
      .sort(),
  )
  expect(pruned).toEqual({ count: expect.any(Number), byRule: expect.any(Object) })
})

it('gives other figures for another seed', async () => {
  const of = (seed: string) => hivemind('explore', helloSwarm, '--seed', seed, '--devices', '4', '--json')
  expect((await of('1')).stdout).not.toBe((await of('2')).stdout)
})
