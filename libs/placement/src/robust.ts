/** Robust choice: judges candidates under random draws of the profile, the same draws for all candidates. */
import { completeProfile, type Fleet, type Placement, type Profile, violationsOf } from '@hivemind/swarm'
import { estimateClosedForm, modelBuilder, toEnd } from '@hivemind/swarm-sim'
import type { Workflow } from '@hivemind/workflow'
import { frontOf, OBJECTIVES, type Objective, type Objectives, objectivesOf } from './pareto.ts'
import { checkPlacement } from './rules.ts'
import { drawnProfile, knownMeans } from './uncertainty.ts'

/** Default number of draws of the profile. */
const DEFAULT_SAMPLES = 200
/** Default factor by which an assumed entry may be off: from half of it to twice. */
const DEFAULT_FACTOR = 2
/** A candidate that meets the constraints in this share of the draws counts as meeting them. */
const RELIABLE_SHARE = 0.95

/** Candidates to judge under uncertainty of the profile. */
export interface RobustInput {
  workflow: Workflow
  fleet: Fleet
  /** Completed with assumptions where it says nothing. */
  profile?: Profile
  itemsPerDevice?: number
  /** What is compared, usually the front of an exploration. */
  candidates: readonly { id: string; placement: Placement }[]
  seed: number
  /** Draws of the profile, 200 without it. */
  samples?: number
  /** An assumed entry lies between 1/`factor` and `factor` of what is assumed; 2 without it. */
  factor?: number
}

/** How much worse a candidate is than the best one of the same draw, in one objective. */
export interface Regret {
  /** In the objective's unit: ms, J, MB/s, USD an hour. */
  mean: number
  worst: number
  /** The worst as a share of the range between the best and the worst candidate of the same draw. */
  worstShare: number
}

/** How one candidate does over all draws of the profile. */
export interface RobustCandidate {
  id: string
  /** Share of the draws in which no other candidate dominates it. */
  onFront: number
  /** Share of the draws in which it meets all constraints. */
  meets: number
  regret: Record<Objective, Regret>
  /**
   * The regret of a draw as one figure: the distance to the best candidate as a share of the range between best and worst,
   * averaged over the objectives (0 to 1). Its maximum over the draws decides the choice.
   */
  meanRegret: number
  worstRegret: number
}

/** How candidates do over all draws of the profile, and which of them is the safest choice. */
export interface Robustness {
  /** In the order of the input. */
  candidates: RobustCandidate[]
  /**
   * Id of the candidate with the least worst regret among those that meet the constraints in 95 % of the draws (or, when
   * none does, in the most); `null` without candidates.
   */
  choice: string | null
  /** The same in a few sentences. */
  sentences: string[]
  /** Parameters of the draws, and how many entries of the profile were measured or assumed. */
  inputs: { seed: number; samples: number; factor: number; measured: number; assumed: number }
  method: 'closed-form'
}

/**
 * Judges candidates by closed form under draws of the profile, all candidates under the same ones; `drawnProfile` says
 * how they are drawn. The same input gives the same bytes.
 * @throws RangeError when `samples` is no whole number above 0, `factor` is below 1, or a placement is illegal
 */
export function robust(input: RobustInput): Robustness {
  return toEnd(robustSteps(input))
}

/** The same in steps, one for each candidate and draw; yields the share that is done. */
export function* robustSteps(input: RobustInput): Generator<number, Robustness> {
  const { workflow, fleet, candidates, seed, samples = DEFAULT_SAMPLES, factor = DEFAULT_FACTOR } = input
  if (!(Number.isInteger(samples) && samples > 0))
    throw new RangeError(`'samples' must be a whole number of at least 1, not ${samples}.`)
  if (!(factor >= 1 && Number.isFinite(factor)))
    throw new RangeError(`'factor' must be at least 1, not ${factor}.`)
  for (const { id, placement } of candidates) {
    const problems = checkPlacement(workflow, placement, fleet)
    if (problems.length > 0) throw new RangeError(`Candidate ${id} is not possible: ${problems.join(' ')}`)
  }
  const profile = completeProfile(workflow, input.profile)
  const tallies = candidates.map(() => ({
    front: 0,
    meets: 0,
    mean: 0,
    worst: 0,
    regrets: OBJECTIVES.map((): Regret => ({ mean: 0, worst: 0, worstShare: 0 })),
  }))
  for (let n = 0; n < samples; n++) {
    const build = modelBuilder({ ...input, profile: drawnProfile(profile, { seed, n, factor }) })
    const points: Objectives[] = []
    for (const [at, { placement }] of candidates.entries()) {
      const estimate = estimateClosedForm(build(placement))
      points.push(objectivesOf(estimate))
      const tally = tallies[at]
      if (tally && violationsOf(workflow.constraints, estimate).length === 0) tally.meets++
      yield (n + (at + 1) / candidates.length) / samples
    }
    for (const at of frontOf(points)) {
      const tally = tallies[at]
      if (tally) tally.front++
    }
    const totals = candidates.map(() => 0)
    for (const objective of OBJECTIVES.keys()) {
      const values = points.map((point) => point[objective] as number)
      const best = values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
      const spread = values.reduce((a, b) => Math.max(a, b), 0) - best
      for (const [at, tally] of tallies.entries()) {
        const regret = tally.regrets[objective] as Regret
        const by = (values[at] as number) - best
        regret.mean += by / samples
        regret.worst = Math.max(regret.worst, by)
        const share = spread > 0 ? by / spread : 0
        regret.worstShare = Math.max(regret.worstShare, share)
        totals[at] = (totals[at] as number) + share / OBJECTIVES.length
      }
    }
    for (const [at, tally] of tallies.entries()) {
      tally.mean += (totals[at] as number) / samples
      tally.worst = Math.max(tally.worst, totals[at] as number)
    }
  }
  const judged = tallies.map(
    ({ front, meets, mean, worst, regrets }, at): RobustCandidate => ({
      id: candidates[at]?.id as string,
      onFront: front / samples,
      meets: meets / samples,
      regret: Object.fromEntries(
        OBJECTIVES.map((objective, index) => [objective, regrets[index]]),
      ) as RobustCandidate['regret'],
      meanRegret: mean,
      worstRegret: worst,
    }),
  )
  const inputs = { seed, samples, factor, ...knownMeans(profile) }
  const choice = choiceOf(judged)
  return {
    candidates: judged,
    choice: choice?.id ?? null,
    sentences: choice ? sentencesOf(choice, judged, inputs, workflow.constraints.length > 0) : [],
    inputs,
    method: 'closed-form',
  }
}

/** Those that meet the constraints reliably, or else in the most draws. */
function reliable(judged: readonly RobustCandidate[]): RobustCandidate[] {
  const most = Math.max(0, ...judged.map(({ meets }) => meets))
  return judged.filter(({ meets }) => meets >= Math.min(RELIABLE_SHARE, most))
}

function choiceOf(judged: readonly RobustCandidate[]): RobustCandidate | undefined {
  return reliable(judged).reduce<RobustCandidate | undefined>(
    (best, each) =>
      !best ||
      each.worstRegret < best.worstRegret ||
      (each.worstRegret === best.worstRegret && each.onFront > best.onFront)
        ? each
        : best,
    undefined,
  )
}

function sentencesOf(
  choice: RobustCandidate,
  judged: readonly RobustCandidate[],
  { samples, factor, measured, assumed }: Robustness['inputs'],
  constrained: boolean,
): string[] {
  const draws = `${samples} draws of the profile`
  const eligible = reliable(judged).length
  const among = !constrained
    ? `Of all ${judged.length} candidates`
    : choice.meets >= RELIABLE_SHARE
      ? `Of the ${eligible} candidates that meet the constraints in at least ${percent(RELIABLE_SHARE)} of ${draws}`
      : choice.meets > 0
        ? `No candidate meets the constraints in ${percent(RELIABLE_SHARE)} of ${draws}; of those that do most often`
        : `No candidate meets the constraints in any of ${draws}; of all ${judged.length}`
  const widest = OBJECTIVES.reduce((a, b) =>
    choice.regret[b].worstShare > choice.regret[a].worstShare ? b : a,
  )
  const sentences = [
    `${among}, ${choice.id} has the least worst regret: ${percent(choice.worstRegret)} of what lies between best and worst, in the mean over the objectives.`,
    choice.regret[widest].worstShare === 0
      ? 'In no draw is another one better in any objective.'
      : `It gives up most in ${widest}: at worst ${percent(choice.regret[widest].worstShare)} of what lies between best and worst.`,
    `It is on the front in ${percent(choice.onFront)} of the draws${
      constrained ? `, and meets the constraints in ${percent(choice.meets)}` : ''
    }.`,
  ]
  const shaky = judged.filter(({ onFront }) => onFront < 0.5).length
  if (shaky > 0)
    sentences.push(
      `${shaky} of the ${judged.length} candidates ${shaky === 1 ? 'is' : 'are'} on the front in less than half of the draws.`,
    )
  sentences.push(
    `Drawn were ${measured} measured means within their standard error, and ${assumed} assumed ones within a factor of ${factor}.`,
  )
  return sentences
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(3))}%`
}
