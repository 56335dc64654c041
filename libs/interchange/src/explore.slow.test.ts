/** Imports of every size come out of an exploration with a front, or with a sentence. */
import { explore } from '@hivemind/placement'
import { fleetByName } from '@hivemind/swarm'
import { expect, test } from 'vitest'
import { instanceOf, ORCHARD } from '../test/instances.ts'
import { type Imported, randomDag, readStg, readWfCommons } from './index.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const SIZES = soak ? [5, 10, 20, 50, 100, 200, 500, 1000] : [5, 20, 60]

async function expectFront({ workflow, profile }: Imported): Promise<void> {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('There is no fleet.')
  const exploration = await explore({ workflow, fleet, profile, seed: 1 }).catch((error: Error) => error)
  if (exploration instanceof Error) {
    // A sentence, and no fault of the program's own.
    expect(exploration.constructor).not.toBe(TypeError)
    expect(exploration.constructor).not.toBe(RangeError)
    expect(exploration.message).toMatch(/\.$/)
    return
  }
  expect(exploration.front.length).toBeGreaterThan(0)
  const { candidates } = exploration
  for (const id of exploration.front) {
    const candidate = candidates.find((one) => one.id === id)
    expect(Object.keys(candidate?.placement ?? {}).sort()).toEqual(
      workflow.tasks.map(({ name }) => name).sort(),
    )
    expect(candidate?.estimate.execTimeMs).toBeGreaterThan(0)
  }
}

test.each(SIZES)('a random DAG of %i tasks', { timeout: 600_000 }, (tasks) =>
  expectFront(randomDag({ tasks, seed: tasks, jumps: 2 })),
)

test('an instance', { timeout: 120_000 }, () => expectFront(readWfCommons(instanceOf(ORCHARD, '1.5'))))

test('a task graph whose edges carry nothing', { timeout: 120_000 }, () =>
  expectFront(readStg('4\n0 0 0\n1 2 1 0\n2 7 1 0\n3 1 2 1 2\n4 5 1 2\n5 0 2 3 4\n')),
)
