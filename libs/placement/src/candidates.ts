/** Lists placements, names them, and searches when there are too many to list. */
import type { Placement, Tier } from '@hivemind/swarm'
import { dominates, type Objectives } from './pareto.ts'

/** A legal choice: one index into the allowed tiers for every task. */
export type Choice = readonly number[]

/** The legal placements of a workflow: a product of the tiers allowed to each task. */
export interface Space {
  tasks: string[]
  /** Allowed tiers of each task, none empty. */
  allowed: Tier[][]
}

export function spaceOf(tiers: Record<string, Tier[]>): Space {
  return { tasks: Object.keys(tiers), allowed: Object.values(tiers) }
}

export function placementOf(space: Space, choice: Choice): Placement {
  return Object.fromEntries(
    space.tasks.map((task, index) => [task, space.allowed[index]?.[choice[index] ?? 0] as Tier]),
  )
}

/** Every choice, in lexicographic order. */
export function* allChoices(space: Space): Generator<Choice> {
  const choice = space.allowed.map(() => 0)
  for (;;) {
    yield [...choice]
    let at = choice.length - 1
    while (at >= 0 && (choice[at] as number) + 1 >= (space.allowed[at] as Tier[]).length) choice[at--] = 0
    if (at < 0) return
    choice[at] = (choice[at] as number) + 1
  }
}

/** The choice at an index in the order of `allChoices`. */
export function choiceAt(space: Space, place: number): Choice {
  const choice = space.allowed.map(() => 0)
  let rest = place
  for (let at = choice.length - 1; at >= 0; at--) {
    const tiers = (space.allowed[at] as Tier[]).length
    choice[at] = rest % tiers
    rest = Math.floor(rest / tiers)
  }
  return choice
}

/** The choice in which every task that may run on `tier` does, and every other task runs on its first tier. */
export function baselineOf(space: Space, tier: Tier): Choice {
  return space.allowed.map((tiers) => Math.max(0, tiers.indexOf(tier)))
}

/** Twelve hexadecimal digits, equal for equal placements whatever their order. */
export function idOf(placement: Placement): string {
  const text = Object.keys(placement)
    .sort()
    .map((task) => `${task}=${placement[task]}`)
    .join(';')
  const high = (fnv(text, 0x811c9dc5) >>> 0).toString(16).padStart(8, '0')
  const low = (fnv(text, 0x7ee3623b) >>> 16).toString(16).padStart(4, '0')
  return high + low
}

/** FNV-1a over UTF-16 units, with a final mix so that every bit counts. */
function fnv(text: string, basis: number): number {
  let h = basis
  for (let i = 0; i < text.length; i++) h = Math.imul(h ^ text.charCodeAt(i), 0x01000193)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  return (h ^ (h >>> 13)) >>> 0
}

interface Point {
  choice: Choice
  objectives: Objectives
  expanded: boolean
}

/**
 * Pareto local search: from the starting choices, changes one task at a time and keeps what nothing else dominates,
 * until every kept choice has been tried in all directions or `budget` choices have been judged. Deterministic.
 * Yields now and then, so that the caller can let others work; returns the choices kept.
 */
export function* paretoSearch(
  space: Space,
  starts: readonly Choice[],
  judge: (choice: Choice) => Objectives,
  budget: number,
): Generator<number, Choice[]> {
  const seen = new Set<string>()
  let kept: Point[] = []
  const consider = (choice: Choice): void => {
    const key = choice.join()
    if (seen.has(key) || seen.size >= budget) return
    seen.add(key)
    const objectives = judge(choice)
    if (kept.some((point) => dominates(point.objectives, objectives) || same(point.objectives, objectives)))
      return
    kept = kept.filter((point) => !dominates(objectives, point.objectives))
    kept.push({ choice, objectives, expanded: false })
  }
  for (const start of starts) {
    consider(start)
    yield seen.size
  }
  for (let turn = 0; seen.size < budget; turn++) {
    const next = nextToExpand(kept, turn)
    if (!next) break
    next.expanded = true
    for (const [task, tiers] of space.allowed.entries())
      for (const tier of tiers.keys())
        if (tier !== next.choice[task]) {
          consider(next.choice.map((each, index) => (index === task ? tier : each)))
          yield seen.size
        }
  }
  return kept.map((point) => point.choice)
}

/** The best unexpanded point for each objective in turn, so that no end of the front is neglected. */
function nextToExpand(points: readonly Point[], turn: number): Point | undefined {
  const objective = turn % 4
  let best: Point | undefined
  for (const point of points)
    if (
      !point.expanded &&
      (!best || (point.objectives[objective] as number) < (best.objectives[objective] as number))
    )
      best = point
  return best
}

function same(a: Objectives, b: Objectives): boolean {
  return a.every((value, index) => value === b[index])
}
