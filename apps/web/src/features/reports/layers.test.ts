import { randomDag } from '@hivemind/interchange'
import { edgesOf, type Workflow } from '@hivemind/workflow'
import { expect, test } from 'vitest'
import { inLayers } from './layers.ts'

const style = { width: 100, height: 40, within: 10, between: 50 }

/** Pairs of tasks that lie on each other. */
function overlaps(positions: ReadonlyMap<string, { x: number; y: number }>): number {
  const all = [...positions.values()]
  return all.flatMap((a, at) =>
    all.slice(at + 1).filter((b) => Math.abs(a.x - b.x) < style.width && Math.abs(a.y - b.y) < style.height),
  ).length
}

test.each([
  ['right', 40, 1],
  ['right', 300, 2],
  ['down', 300, 3],
  ['right', 2000, 4],
] as const)('flowing %s, %i tasks stand apart and after their parents', (flow, tasks, seed) => {
  const { workflow } = randomDag({ tasks, seed })
  const positions = inLayers(workflow, { ...style, flow })
  expect(positions.size).toBe(tasks)
  expect(overlaps(positions)).toBe(0)
  const along = flow === 'right' ? 'x' : 'y'
  for (const { from, to } of edgesOf(workflow))
    expect(positions.get(to)?.[along]).toBeGreaterThan(positions.get(from)?.[along] ?? Number.NaN)
})

test('a large workflow with a cycle is arranged all the same', () => {
  const { workflow } = randomDag({ tasks: 200, seed: 5 })
  const [first, second] = workflow.tasks.filter((task) => task.children.length > 0)
  if (!first || !second) throw new Error('There are no edges.')
  const cyclic: Workflow = {
    ...workflow,
    tasks: workflow.tasks.map((task) =>
      task === first
        ? { ...task, parents: [...task.parents, ...task.children] }
        : first.children.includes(task.name)
          ? { ...task, children: [...task.children, first.name] }
          : task,
    ),
  }
  const positions = inLayers(cyclic, { ...style, flow: 'right' })
  expect(positions.size).toBe(200)
  expect(overlaps(positions)).toBe(0)
})
