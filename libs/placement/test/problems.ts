/** Random additive problems for the tests of this room, of several shapes. */
import { type AdditiveProblem, additiveProblem } from '../src/exact/problem.ts'
import { randomOf } from './workflows.ts'

export type Shape = 'chain' | 'fork-join' | 'branches' | 'sparse' | 'dense' | 'complete'
/** Those that labels can do, whatever the number of tasks. */
export const SHAPES: readonly Shape[] = ['chain', 'fork-join', 'branches', 'sparse', 'dense']

function edgesOf(shape: Shape, tasks: number, random: () => number): [number, number][] {
  const edges: [number, number][] = []
  for (let t = 1; t < tasks; t++) {
    if (shape === 'chain') edges.push([t - 1, t])
    else if (shape === 'fork-join') {
      if (t < tasks - 1) edges.push([0, t], [t, tasks - 1])
    } else if (shape === 'branches') {
      if (t < tasks - 1) edges.push([t <= 3 ? 0 : t - 3, t])
      else for (let last = Math.max(0, t - 3); last < t; last++) edges.push([last, t])
    } else {
      const share = (shape === 'sparse' ? 1.5 : shape === 'dense' ? 4 : tasks) / tasks
      for (let parent = 0; parent < t; parent++) if (random() < share) edges.push([parent, t])
    }
  }
  return edges
}

/** Whole numbers, small enough that many placements tie. With `stays`, edges within a tier take time and figures as well. */
export function randomProblem(
  seed: number,
  tasks: number,
  shape: Shape,
  options: { tiers?: number; figures?: number; most?: number; stays?: boolean } = {},
): AdditiveProblem {
  const random = randomOf(seed * 7919 + 13)
  for (let i = 0; i < 5; i++) random()
  const { tiers = 2, figures = 2, most = 60, stays = false } = options
  const some = (limit = most) => Math.floor(random() * (limit + 1))
  const list = <T>(count: number, make: (index: number) => T): T[] =>
    Array.from({ length: count }, (_, i) => make(i))
  const sends = random() < 0.5
  return additiveProblem(
    list(tasks, () => ({
      time: list(tiers, () => some()),
      figures: list(tiers, () => list(figures, () => some())),
      ...(sends ? { send: list(tiers, () => list(figures, () => some(most / 2))) } : {}),
    })),
    edgesOf(shape, tasks, random).map(([from, to]) => ({
      from,
      to,
      time: list(tiers, (a) => list(tiers, (b) => (a === b && !stays ? 0 : some()))),
      figures: list(tiers, (a) =>
        list(tiers, (b) => list(figures, () => (a === b && !stays ? 0 : some(most / 3)))),
      ),
      crosses: list(tiers, (a) => list(tiers, (b) => a !== b)),
    })),
  )
}
