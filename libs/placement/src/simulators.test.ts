import { Worker } from 'node:worker_threads'
import { type Exploration, fleetByName, withDevices } from '@hivemind/swarm'
import { describe, expect, test } from 'vitest'
import { scenarioB } from '../test/workflows.ts'
import { explore } from './explore.ts'
import type { ExploreInput, FrontSoFar } from './input.ts'
import { nodeThreads, type Simulators, simulateInThreads } from './simulators.ts'

const paper = fleetByName('paper-drones')
if (!paper) throw new Error('the default fleet is missing')
const input: ExploreInput = { workflow: scenarioB(), fleet: withDevices(paper, 16), seed: 3 }

/** Threads that keep count of themselves. */
function threads(
  size: number,
  dies = false,
): { simulators: Simulators; alive: Set<Worker>; ever: () => number } {
  const alive = new Set<Worker>()
  let ever = 0
  const open = nodeThreads(() => {
    const worker = new Worker(new URL('../test/simulation.worker.ts', import.meta.url), {
      workerData: { dies },
    })
    ever++
    alive.add(worker)
    worker.on('exit', () => alive.delete(worker))
    return worker
  })
  return { simulators: simulateInThreads(open, size, 100_000), alive, ever: () => ever }
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

describe('explorations in several threads', () => {
  test('the answer is the same whatever the number of threads', async () => {
    const some = { ...input, itemsPerDevice: 300 }
    const alone = JSON.stringify(await explore(some))
    for (const size of [1, 3]) {
      const { simulators, alive, ever } = threads(size)
      expect(JSON.stringify(await explore({ ...some, simulators }))).toBe(alone)
      expect(ever()).toBe(size)
      await until(() => alive.size === 0)
    }
  })

  test('what is done at once starts no thread', async () => {
    const { simulators, ever } = threads(2)
    await explore({ ...input, itemsPerDevice: 5, simulators })
    expect(ever()).toBe(0)
  })

  test('an abort ends the threads in the midst of a simulation', async () => {
    const { simulators, alive, ever } = threads(2)
    const controller = new AbortController()
    const exploring = explore({ ...input, simulators, signal: controller.signal })
    const refused = expect(exploring).rejects.toThrow('enough')
    await until(() => ever() === 2)
    controller.abort(new Error('enough'))
    await refused
    await until(() => alive.size === 0)
  })

  test('a thread that dies is reported', async () => {
    const { simulators, alive } = threads(2, true)
    await expect(explore({ ...input, simulators })).rejects.toThrow(
      'A thread that simulates has failed: no more room',
    )
    await until(() => alive.size === 0)
  })
})

describe('the front so far', () => {
  const recorded = async (more: Partial<ExploreInput>): Promise<[Exploration, FrontSoFar[]]> => {
    const reported: FrontSoFar[] = []
    const result = await explore({
      ...input,
      itemsPerDevice: 40,
      ...more,
      onFront: (soFar) => reported.push(soFar),
    })
    return [result, reported]
  }

  test('grows into the front', async () => {
    const [result, reported] = await recorded({})
    expect(reported.map(({ done }) => done)).toEqual(result.candidates.map((_, at) => at + 1))
    expect(reported.at(-1)?.front.map(({ id }) => id)).toEqual(result.front)
    // the baselines come first
    expect(reported[1]?.front.every(({ baseline }) => baseline)).toBe(true)
  })

  test('is what is left when the exploration is ended early', async () => {
    const finish = new AbortController()
    const [whole] = await recorded({})
    const reported: FrontSoFar[] = []
    const part = await explore({
      ...input,
      itemsPerDevice: 40,
      finish: finish.signal,
      onFront: (soFar) => {
        reported.push(soFar)
        if (soFar.done === 3) finish.abort()
      },
    })
    expect(part.cancelled).toEqual({ done: 3, of: whole.candidates.length })
    expect(part.note).toMatch(/^Cancelled after 3 of \d+ candidates/)
    expect(part.candidates.length).toBe(3)
    expect(part.front).toEqual(reported.at(-1)?.front.map(({ id }) => id))
    for (const candidate of part.candidates)
      expect(candidate.estimate).toEqual(whole.candidates.find(({ id }) => id === candidate.id)?.estimate)
    expect(part.candidates.length + part.pruned.count).toBe(3 ** input.workflow.tasks.length)
    const pruned = Object.values(part.pruned.byRule).reduce((sum, each) => sum + each, 0)
    expect(pruned).toBe(part.pruned.count)
    expect(part.proof).toBeUndefined()
  })

  test('ended before it began, there is nothing', async () => {
    const finish = new AbortController()
    finish.abort()
    const [result, reported] = await recorded({ finish: finish.signal })
    expect(result.candidates).toEqual([])
    expect(result.cancelled).toEqual({ done: 0, of: 0 })
    expect(reported).toEqual([])
  })
})
