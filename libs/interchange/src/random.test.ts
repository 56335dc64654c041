import { topologicalOrder, type Workflow } from '@hivemind/workflow'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { instanceOf, type Step, VERSIONS } from '../test/instances.ts'
import { edgeTexts, expectRoundTrip } from '../test/roundtrip.ts'
import { ImportError, type RandomDagOptions, randomDag, readWfCommons } from './index.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const timeout = soak ? 600_000 : 60_000

const options = (most: number): fc.Arbitrary<RandomDagOptions> =>
  fc.record({
    tasks: fc.integer({ min: 1, max: most }),
    seed: fc.integer(),
    width: fc.double({ min: 0, max: 1, noNaN: true }),
    density: fc.double({ min: 0, max: 1, noNaN: true }),
    regularity: fc.double({ min: 0, max: 1, noNaN: true }),
    jumps: fc.integer({ min: 1, max: 5 }),
  })

/** Length of the longest path, in tasks. */
function depthOf(workflow: Workflow): number {
  const depth = new Map<string, number>()
  for (const { name, parents } of topologicalOrder(workflow))
    depth.set(name, 1 + Math.max(0, ...parents.map((parent) => depth.get(parent) ?? 0)))
  return Math.max(...depth.values())
}

test('imported, printed and read again: no error, and the same graph', { timeout }, () => {
  fc.assert(
    fc.property(options(soak ? 300 : 60), (given) => {
      const imported = randomDag(given)
      expect(imported.workflow.tasks).toHaveLength(given.tasks)
      expectRoundTrip(imported)
    }),
    { numRuns: soak ? 1000 : 100 },
  )
})

test('every version of an instance of a random DAG gives the same edges', { timeout }, () => {
  fc.assert(
    fc.property(options(40), (given) => {
      const { workflow, profile } = randomDag(given)
      const size = new Map(workflow.data.map(({ name, size }) => [name, size?.value ?? 0]))
      const steps = workflow.tasks.map(
        ({ name, parents, children, dataIn, dataOut }): Step => ({
          id: `${name}.run`,
          parents: parents.map((parent) => `${parent}.run`),
          children: children.map((child) => `${child}.run`),
          reads: dataIn,
          writes: dataOut === null ? [] : [dataOut],
          runtime: (profile.tasks[name]?.cloud?.serviceMs.mean ?? 0) / 1000,
        }),
      )
      for (const version of VERSIONS) {
        const again = readWfCommons(instanceOf({ steps, files: Object.fromEntries(size) }, version))
        expectRoundTrip(again)
        const renamed = (text: string) => text.replace(/task(\d+)/g, 'task$1_run')
        expect(edgeTexts(again.workflow)).toEqual(edgeTexts(workflow).map(renamed).sort())
        expect(again.workflow.data.map(({ size }) => size?.value)).toEqual(
          workflow.data.map(({ size }) => size?.value),
        )
      }
    }),
    { numRuns: soak ? 200 : 20 },
  )
})

test('the same seed gives the same, another one another', () => {
  const given = { tasks: 50, seed: 7, jumps: 2 }
  expect(randomDag(given)).toEqual(randomDag(given))
  expect(randomDag({ ...given, seed: 8 })).not.toEqual(randomDag(given))
})

describe('the shape follows the options', () => {
  const tasks = 400
  const edges = (workflow: Workflow) => edgeTexts(workflow).length

  test('width', () => {
    expect(depthOf(randomDag({ tasks, seed: 1, width: 0 }).workflow)).toBe(tasks)
    expect(depthOf(randomDag({ tasks, seed: 1, width: 1 }).workflow)).toBeLessThanOrEqual(3)
    const even = depthOf(randomDag({ tasks, seed: 1, width: 0.5, regularity: 1 }).workflow)
    expect(even).toBe(20)
  })

  test('density and jumps', () => {
    const sparse = randomDag({ tasks, seed: 1, density: 0 }).workflow
    const dense = randomDag({ tasks, seed: 1, density: 1 }).workflow
    expect(edges(dense)).toBeGreaterThan(3 * edges(sparse))
    expect(sparse.tasks.filter(({ parents, children }) => parents.length + children.length === 0)).toEqual([])
  })

  test('ranges of time and size', () => {
    const { profile } = randomDag({ tasks, seed: 1, serviceMs: [5, 6], outputBytes: [7, 9] })
    for (const { cloud } of Object.values(profile.tasks)) {
      expect(cloud?.serviceMs.mean).toBeGreaterThanOrEqual(5)
      expect(cloud?.serviceMs.mean).toBeLessThanOrEqual(6)
      expect([7, 8, 9]).toContain(cloud?.outputBytes.mean)
    }
  })
})

test.each<[Partial<RandomDagOptions>, RegExp]>([
  [{ tasks: 0 }, /tasks: it must be a whole number from 1 to 10000, not 0/],
  [{ tasks: 1e9 }, /tasks/],
  [{ seed: Number.NaN }, /seed/],
  [{ width: 2 }, /width: it must be from 0 to 1, not 2/],
  [{ density: Number.NaN }, /density/],
  [{ jumps: 0.5 }, /jumps/],
  [{ serviceMs: [5, 1] }, /serviceMs/],
])('%j is refused', (wrong, message) => {
  expect(() => randomDag({ tasks: 5, seed: 1, ...wrong })).toThrow(ImportError)
  expect(() => randomDag({ tasks: 5, seed: 1, ...wrong })).toThrow(message)
})
