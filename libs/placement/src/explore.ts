/** From a workflow and a fleet to every meaningful candidate, its estimate, and the front (paper section 4.2, Fig. 8). */
import {
  type Candidate,
  completeProfile,
  deviceCount,
  type Estimate,
  type Exploration,
  type HandOverKind,
  isDeployable,
  itemsPerDeviceOf,
  type Proof,
} from '@hivemind/swarm'
import { buildModel, type Model, toEnd } from '@hivemind/swarm-sim'
import { allChoices, spaceOf } from './candidates.ts'
import type { EvaluateInput, ExploreInput } from './input.ts'
import { replications } from './replications.ts'
import { checkPlacement, countPlacements, dilemmas, tiersOf } from './rules.ts'
import { type Chosen, Finished, MAX_ITEMS, Work } from './work.ts'

/** Up to this many legal placements are all listed. */
export const MAX_LISTED = 4096
/** Up to this many are all estimated by closed form, and the best of them listed. */
const MAX_ENUMERATED = 32_768

/**
 * Simulates one placement, five times with seeds one after the other, and returns the mean of each figure; longer runs are
 * shortened and scaled as `simulateScaled` says.
 * @throws RangeError when the placement is illegal, saying why
 */
export function evaluate(input: EvaluateInput): Estimate {
  const problems = checkPlacement(input.workflow, input.placement, input.fleet, input.tiers)
  if (problems.length > 0) throw new RangeError(`This placement is not possible: ${problems.join(' ')}`)
  return evaluateModel(buildModel(input), input.seed)
}

/** `evaluate` for a model already built, as by `onThisMachine` of the local target. */
export function evaluateModel(model: Model, seed: number): Estimate {
  return toEnd(replications(model, { seed, maxItems: MAX_ITEMS })).estimate
}

/**
 * Estimates every legal placement, up to 4,096; of up to 32,768 all by closed form and the best by simulation; of more,
 * those found by a search from the front of the model without contention. `note` and `proof` say which. The same input gives
 * the same bytes. Yields to the event loop every few milliseconds. Without any legal placement there are no candidates, and
 * `note` says why.
 */
export async function explore(input: ExploreInput): Promise<Exploration> {
  const { workflow, fleet, seed } = input
  const profile = completeProfile(workflow, input.profile)
  const counts = countPlacements(workflow, fleet, input.tiers)
  const handOver = fleet.cloud.handOver.kind ?? 'store'
  const result = (
    candidates: Candidate[],
    { proof, note: baseNote, cancelled }: Pick<Exploration, 'proof' | 'note' | 'cancelled'>,
  ): Exploration => {
    const note = [baseNote, deployedAs(handOver)].filter(Boolean).join(' ') || undefined
    return {
      schema: 'hivemind.exploration/1',
      candidates,
      front: candidates.filter((candidate) => candidate.pareto).map((candidate) => candidate.id),
      pruned: prunedOf(counts, candidates.length, cancelled),
      ...(cancelled === undefined ? {} : { cancelled }),
      ...(note === undefined ? {} : { note }),
      ...(proof === undefined ? {} : { proof }),
      inputs: {
        seed,
        fleet: fleet.name,
        devices: deviceCount(fleet),
        profile,
        itemsPerDevice: input.itemsPerDevice ?? itemsPerDeviceOf(workflow, profile),
        handOver,
        fleetUsed: fleet,
      },
    }
  }
  if (counts.legal === 0n) return result([], { note: dilemmas(workflow, fleet, input.tiers).join(' ') })
  try {
    const work = new Work({ ...input, profile }, spaceOf(tiersOf(workflow, fleet, input.tiers)))
    const { choices, proof } = await chosen(work, counts.legal)
    const { candidates, simulated, of } = await work.candidates(choices)
    if (simulated < of)
      return result(candidates, {
        cancelled: { done: simulated, of },
        note: `Cancelled after ${simulated} of ${of} candidates: only these were simulated, the most promising first.`,
      })
    const listed = counts.legal > BigInt(MAX_LISTED)
    return result(
      candidates,
      listed ? { proof, note: noteOf(counts.legal, candidates.length, proof) } : { proof },
    )
  } catch (error) {
    if (!(error instanceof Finished)) throw error
    return result([], {
      cancelled: { done: 0, of: 0 },
      note: 'Cancelled before the first candidate was simulated.',
    })
  }
}

/** The placements to list, and how they were found. */
function chosen(work: Work, legal: bigint): Chosen | Promise<Chosen> {
  if (legal > BigInt(MAX_ENUMERATED)) return work.search()
  if (legal > BigInt(MAX_LISTED)) return work.judgeAll(Number(legal))
  const choices = [...allChoices(work.space)]
  return { choices, proof: { kind: 'enumerated', judged: choices.length } }
}

/** How what is estimated differs from what a deployment does. */
function deployedAs(handOver: HandOverKind): string | undefined {
  if (handOver === 'store') return undefined
  if (isDeployable(handOver))
    return 'Every cloud function is taken to run in the container of those before it. A deployment puts it there when their outputs are all it reads and nothing else decides when it starts.'
  return `Cloud functions hand data over by '${handOver}', which no target can deploy yet: a deployment hands it over through a store.`
}

function noteOf(legal: bigint, listed: number, proof: Proof): string {
  const how =
    proof.kind === 'enumerated'
      ? `the closed form judged all of them, and shown are the baselines and the best: its front and what comes next`
      : proof.kind === 'exact-filter'
        ? `shown are the baselines and the best of ${proof.judged} that the closed form judged: those on the ${
            proof.epsilon ? `front (to within ${percent(proof.epsilon)}) ` : 'exact front '
          }of the model without contention, and their neighbours`
        : `shown are the baselines and the best of ${proof.judged} that a search judged by closed form; how far better ones may be is not known`
  return `There are ${countOf(legal)} legal placements, more than the ${MAX_LISTED} that are listed: ${how} (${listed} in all).`
}

/** In full up to 15 digits. */
function countOf(count: bigint): string {
  const digits = String(count)
  return digits.length <= 15 ? digits : `about ${digits[0]}.${digits[1]} x 10^${digits.length - 1}`
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))}%`
}

/** The nearest finite number: JSON has no infinity. */
const finite = (count: bigint): number => Math.min(Number(count), Number.MAX_VALUE)

function prunedOf(
  counts: ReturnType<typeof countPlacements>,
  listed: number,
  cancelled: Exploration['cancelled'],
) {
  const byRule = Object.fromEntries(
    Object.entries(counts.byRule).map(([rule, count]) => [rule, finite(count)]),
  )
  const unlisted = counts.legal - BigInt(listed)
  if (unlisted > 0n) byRule[cancelled ? 'cancelled' : 'search-limit'] = finite(unlisted)
  return { count: finite(counts.product - BigInt(listed)), byRule }
}
