/** Names of candidates by what distinguishes their placements. */
import { tierRow } from '@hivemind/swarm'
import type { Candidate, Tier } from '../../api/types.ts'

/** Names of tasks that are written out before the rest is counted. */
const MAX_TASKS = 3

/** Where a tier is, after a list of tasks: `in the cloud`. */
export const placeOf = (tier: Tier): string =>
  tierRow(tier).perDevice
    ? 'on the devices'
    : tier === 'cloud'
      ? 'in the cloud'
      : tier === 'edge-node'
        ? 'on the edge nodes'
        : `on the ${tierRow(tier).label.toLowerCase()}`

const listOf = (tasks: readonly string[]): string => {
  const named = tasks.length > MAX_TASKS ? tasks.slice(0, MAX_TASKS - 1) : tasks
  const rest = tasks.length - named.length
  const all = rest > 0 ? [...named, `${rest} others`] : named
  return all.length < 2 ? (all[0] ?? '') : `${all.slice(0, -1).join(', ')} and ${all.at(-1)}`
}

/**
 * The name of each candidate by id: `detect in the cloud` when all else that can be moved is on the devices, `all on the devices`,
 * `detect on the devices, the rest in the cloud`. Tasks that are at the same place in all candidates are not mentioned. Names are
 * unique: where they would be equal the id is added.
 */
export function namesOf(candidates: readonly Candidate[]): ReadonlyMap<string, string> {
  const tiersOfTask = new Map<string, Set<Tier>>()
  for (const { placement } of candidates)
    for (const [task, tier] of Object.entries(placement)) {
      const tiers = tiersOfTask.get(task) ?? new Set()
      tiersOfTask.set(task, tiers.add(tier))
    }
  const movable = [...tiersOfTask].flatMap(([task, tiers]) => (tiers.size > 1 ? [task] : []))
  const names = candidates.map(({ id, placement }) => [id, nameOf(placement, movable)] as const)
  const counts = new Map<string, number>()
  for (const [, name] of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return new Map(names.map(([id, name]) => [id, counts.get(name) === 1 ? name : `${name} (${id})`]))
}

function nameOf(placement: Candidate['placement'], movable: readonly string[]): string {
  const groups = [...Map.groupBy(movable, (task) => placement[task] as Tier)].sort(
    ([a, tasks], [b, others]) => others.length - tasks.length || rank(a) - rank(b),
  )
  const [main, ...others] = groups
  if (!main) return 'the only placement'
  if (others.length === 0) return `all ${placeOf(main[0])}`
  const listed = others.map(([tier, tasks]) => `${listOf(tasks)} ${placeOf(tier)}`).join(', ')
  return tierRow(main[0]).perDevice ? listed : `${listed}, the rest ${placeOf(main[0])}`
}

/** A name at the beginning of a sentence. Names of tasks stay as they are written. */
export const capitalised = (name: string): string =>
  name.replace(/^(?:all|the) /, (word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)

/** Of two groups of equal size the one on the devices is not listed. */
const rank = (tier: Tier): number => (tierRow(tier).perDevice ? 0 : 1)
