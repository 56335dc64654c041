/** `hivemind explore`: every candidate with its figures. */
import { fleetByName } from '@hivemind/swarm'
import { afterAll, expect, it } from 'vitest'
import { helloSwarm, hivemind, json, killRunning, scratchProject } from './command.ts'

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

it('explores on a fleet of a file, and on an own one of the project by its name', async () => {
  const drones = fleetByName('paper-drones')
  if (!drones) throw new Error('There is no fleet.')
  const slow = { ...drones, name: 'slow', uplink: { ...drones.uplink, bandwidthMbps: 1, delayMs: 900 } }
  const { project, write, remove } = await scratchProject()
  const file = await write('hello-swarm/slow.fleet.json', JSON.stringify(slow))
  const p99 = async (...args: string[]) => {
    const { candidates } = json<{
      candidates: { placement: Record<string, string>; latencyMs: { p99: number } }[]
    }>(await hivemind('explore', project, '--devices', '2', '--items', '5', '--json', ...args))
    return candidates.find(({ placement }) => placement.judge === 'cloud')?.latencyMs.p99 ?? 0
  }
  const [named, ofFile, shipped] = [await p99('--fleet', 'slow'), await p99('--fleet', file), await p99()]
  await remove()
  expect(named).toBe(ofFile)
  expect(named).toBeGreaterThan(shipped + 500)
})
