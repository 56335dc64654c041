/** What an exploration comes to, in words. */
import type { Candidate } from '../../api/types.ts'
import * as format from '../reports/format.ts'
import { type MetricId, metrics } from './metrics.ts'
import { namesOf } from './names.ts'

/** A recommendation, with the candidate it is about. */
export interface Verdict {
  candidate: Candidate
  /** The placement, as a phrase. */
  name: string
  /** What it gains and costs, as a sentence. */
  reason: string
}

/** What the recommendation balances. */
const GOALS: readonly MetricId[] = ['p99', 'energy', 'costPerHour']
/** Differences below this share are not mentioned. */
const MIN_DIFFERENCE = 0.03

/**
 * The candidate to begin with: among those that meet the constraints, and can be deployed where one of them can, the one nearest to the
 * best of each goal at once (least sum of its excess, as a share of the range of that goal), and how it compares with the baseline that
 * differs most from it. `undefined` without candidates.
 */
export function verdictOf(candidates: readonly Candidate[]): Verdict | undefined {
  const meeting = candidates.filter(({ meets }) => meets)
  const choice = balanced(meeting.length > 0 ? meeting : fewestViolations(candidates))
  if (!choice) return undefined
  const name = namesOf(candidates).get(choice.id) ?? choice.id
  if (candidates.length === 1)
    return { candidate: choice, name, reason: `The rules leave no other. ${figures(choice)}` }
  if (meeting.length === 0)
    return {
      candidate: choice,
      name,
      reason: `No placement meets every constraint; this one misses the fewest. ${choice.violations.map(({ message }) => message).join(' ')}`,
    }
  const reference = farthestBaseline(candidates, choice)
  return {
    candidate: choice,
    name,
    reason: reference ? against(choice, reference, candidates) : figures(choice),
  }
}

const figureOf = (candidate: Candidate, goal: MetricId): number => metrics[goal].of(candidate.estimate)

function balanced(candidates: readonly Candidate[]): Candidate | undefined {
  const ranges = GOALS.map((goal) => {
    const values = candidates.map((each) => figureOf(each, goal)).filter(Number.isFinite)
    return { goal, low: Math.min(...values), high: Math.max(...values) }
  })
  const excess = (candidate: Candidate): number =>
    ranges.reduce((sum, { goal, low, high }) => {
      const value = figureOf(candidate, goal)
      return sum + (high > low ? (Number.isFinite(value) ? (value - low) / (high - low) : 1) : 0)
    }, 0)
  let best: { candidate: Candidate; excess: number } | undefined
  for (const candidate of candidates) {
    const own = excess(candidate)
    if (!best || own < best.excess || (own === best.excess && candidate.id < best.candidate.id))
      best = { candidate, excess: own }
  }
  return best?.candidate
}

function fewestViolations(candidates: readonly Candidate[]): Candidate[] {
  const fewest = Math.min(...candidates.map(({ violations }) => violations.length))
  return candidates.filter(({ violations }) => violations.length === fewest)
}

function farthestBaseline(candidates: readonly Candidate[], choice: Candidate): Candidate | undefined {
  const distance = ({ placement }: Candidate): number =>
    Object.entries(placement).filter(([task, tier]) => choice.placement[task] !== tier).length
  return candidates
    .filter(({ id, baseline }) => baseline && id !== choice.id)
    .sort((a, b) => distance(b) - distance(a) || (a.id < b.id ? -1 : 1))[0]
}

const figures = (candidate: Candidate): string =>
  `Latency p99 ${metrics.p99.print(figureOf(candidate, 'p99'))}, ${metrics.energy.print(figureOf(candidate, 'energy'))} a device, ${format.cost(figureOf(candidate, 'costPerHour'))} an hour.`

/** `12 times faster for 40 J less a device than all on the devices; costs $3.44 an hour.` */
function against(choice: Candidate, reference: Candidate, candidates: readonly Candidate[]): string {
  const differences = [
    speed(figureOf(choice, 'p99'), figureOf(reference, 'p99')),
    energy(figureOf(choice, 'energy') - figureOf(reference, 'energy'), figureOf(reference, 'energy')),
  ].filter((text) => text !== null)
  const cost = `costs ${format.cost(figureOf(choice, 'costPerHour'))} an hour${
    figureOf(reference, 'costPerHour') > 0
      ? ` instead of ${format.cost(figureOf(reference, 'costPerHour'))}`
      : ''
  }`
  const than = `than ${namesOf(candidates).get(reference.id) ?? reference.id}`
  return differences.length === 0
    ? `As fast, and as much energy, as ${namesOf(candidates).get(reference.id) ?? reference.id}; ${cost}.`
    : `${capital(differences.join(', '))} ${than}; ${cost}.`
}

function speed(own: number, other: number): string | null {
  if (!(own > 0) || !(other > 0)) return null
  const ratio = other / own
  if (Math.abs(ratio - 1) < MIN_DIFFERENCE) return null
  const [factor, word] = ratio > 1 ? [ratio, 'faster'] : [1 / ratio, 'slower']
  return factor >= 2
    ? `${format.number(factor, 2)} times ${word}`
    : `${Math.round((factor - 1) * 100)}% ${word}`
}

function energy(difference: number, other: number): string | null {
  if (Math.abs(difference) < MIN_DIFFERENCE * Math.abs(other)) return null
  return `${metrics.energy.print(Math.abs(difference))} ${difference < 0 ? 'less' : 'more'} a device`
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
