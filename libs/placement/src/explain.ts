/** Explains a candidate: what dominates it, what limits it, what its edges cost, and what moving a task would change. */
import {
  type Candidate,
  completeProfile,
  type Estimate,
  type Exploration,
  type Fleet,
  itemsPerDeviceOf,
  type Margin,
  marginsOf,
  type Placement,
  type Tier,
  tierRow,
} from '@hivemind/swarm'
import { estimateClosedForm, type Model, modelBuilder } from '@hivemind/swarm-sim'
import type { Workflow } from '@hivemind/workflow'
import { idOf } from './candidates.ts'
import { type EdgeCost, edgeCosts } from './edge-costs.ts'
import { dominates, OBJECTIVES, type Objective, objectivesOf } from './pareto.ts'
import { tiersOf } from './rules.ts'

/** From one figure to another; `share` is the relative change: -0.2 is a fifth less. */
export interface Change {
  from: number
  to: number
  /** `null` when `from` is 0 and `to` is not. */
  share: number | null
}
/** The change of every objective. */
export type Changes = Record<Objective, Change>

/** One task moved to another tier, with what that changes. */
export interface Move {
  task: string
  from: Tier
  to: Tier
  /** Id of the placement after the move; it need not be listed. */
  id: string
  changes: Changes
  /** How both sides were estimated. */
  method: 'simulated' | 'closed-form'
}

/** Why a candidate stands where it stands. */
export interface Explanation {
  id: string
  /** `not-compared`: estimated by closed form only, so its figures are not comparable with simulated ones. */
  standing: 'front' | 'dominated' | 'not-compared'
  /** The candidate that dominates it by the largest sum of relative changes, and the changes from this candidate to that one. */
  dominatedBy: { id: string; changes: Changes } | null
  /** How many candidates dominate it. */
  dominators: number
  /** Objectives in which no compared candidate is better. */
  bestIn: Objective[]
  /** The constraint missed by the largest margin, or else the one nearest to its limit; `null` without constraints. */
  binding: Margin | null
  /** Edges of the workflow by the time they take an item, longest first. */
  edges: EdgeCost[]
  /** The legal moves of single tasks, largest change first. */
  moves: Move[]
  /** Tasks whose moves were tried, and tasks of the workflow. */
  tried: { tasks: number; of: number }
  /** The same in a few sentences. */
  sentences: string[]
}

/** A candidate of an exploration, and what the exploration was made from. */
export interface ExplainInput {
  workflow: Workflow
  fleet: Fleet
  exploration: Exploration
  id: string
  /** Tasks whose moves are tried, each by a closed form; all when absent. */
  tasks?: readonly string[]
}

/** The `most` tasks that take an item longest by an estimate, longest first. */
export function longestTasks({ perTask }: Estimate, most: number): string[] {
  const time = (task: string): number => {
    const { network = 0, management = 0, dataExchange = 0, execution = 0 } = perTask[task]?.breakdown ?? {}
    return network + management + dataExchange + execution
  }
  return Object.keys(perTask)
    .sort((a, b) => time(b) - time(a) || (a < b ? -1 : 1))
    .slice(0, most)
}

/**
 * Explains one candidate of an exploration of this workflow on this fleet.
 * @throws RangeError when the exploration lists no candidate with this id
 */
export function explain(input: ExplainInput): Explanation {
  const { workflow, fleet, exploration, id } = input
  const candidate = exploration.candidates.find((each) => each.id === id)
  if (!candidate) throw new RangeError(`The exploration lists no candidate '${id}'.`)
  const compared = exploration.candidates.filter((each) => each.method === candidate.method)
  const isCompared =
    candidate.method !== 'closed-form' ||
    exploration.candidates.every((each) => each.method === 'closed-form')
  const own = objectivesOf(candidate.estimate)
  const above = compared.filter((each) => dominates(objectivesOf(each.estimate), own))
  const best = above.reduce<Candidate | undefined>(
    (known, each) => (!known || gain(candidate, each) > gain(candidate, known) ? each : known),
    undefined,
  )
  const profile = completeProfile(workflow, exploration.inputs.profile)
  const { itemsPerDevice } = exploration.inputs
  // a number that follows from the profile need not be the same for every sensor
  const assumed = itemsPerDevice === itemsPerDeviceOf(workflow, profile)
  const build = modelBuilder({ workflow, fleet, profile, ...(assumed ? {} : { itemsPerDevice }) })
  const explanation: Omit<Explanation, 'sentences'> = {
    id,
    standing: candidate.pareto ? 'front' : isCompared ? 'dominated' : 'not-compared',
    dominatedBy: best ? { id: best.id, changes: changesOf(candidate.estimate, best.estimate) } : null,
    dominators: above.length,
    bestIn: OBJECTIVES.filter((_, at) =>
      compared.every((each) => (objectivesOf(each.estimate)[at] as number) >= (own[at] as number)),
    ),
    binding: marginsOf(workflow.constraints, candidate.estimate)[0] ?? null,
    edges: edgeCosts(build(candidate.placement), candidate.estimate),
    moves: movesOf(input, candidate, build),
    tried: { tasks: input.tasks?.length ?? workflow.tasks.length, of: workflow.tasks.length },
  }
  return { ...explanation, sentences: sentencesOf(explanation) }
}

/** The change of every objective from one estimate to another. */
export function changesOf(from: Estimate, to: Estimate): Changes {
  const before = objectivesOf(from)
  const after = objectivesOf(to)
  const changes = OBJECTIVES.map((objective, at) => {
    const [a, b] = [before[at] as number, after[at] as number]
    return [objective, { from: a, to: b, share: a > 0 ? b / a - 1 : b === 0 ? 0 : null }]
  })
  return Object.fromEntries(changes) as Changes
}

/** How much better another candidate is: the sum of its relative savings. */
function gain(candidate: Candidate, other: Candidate): number {
  return -Object.values(changesOf(candidate.estimate, other.estimate)).reduce(
    (sum, change) => sum + (change.share ?? 0),
    0,
  )
}

/** The largest change of a move in any objective: doubling counts as much as halving. */
function weightOf(move: Move): number {
  return Math.max(
    ...Object.values(move.changes).map(({ from, to }) =>
      from === to ? 0 : from > 0 && to > 0 ? Math.abs(Math.log(to / from)) : 20,
    ),
  )
}

function movesOf(
  { workflow, fleet, exploration, tasks }: ExplainInput,
  candidate: Candidate,
  build: (placement: Placement) => Model,
): Move[] {
  const listed = new Map(exploration.candidates.map((each) => [each.id, each]))
  const closedForm = estimateClosedForm(build(candidate.placement))
  const legal = tiersOf(workflow, fleet)
  const moves = (tasks ?? Object.keys(legal)).flatMap((task) =>
    (legal[task] ?? [])
      .filter((tier) => tier !== candidate.placement[task])
      .map((to): Move => {
        const placement: Placement = { ...candidate.placement, [task]: to }
        const id = idOf(placement)
        const known = listed.get(id)
        const alike = known !== undefined && known.method === candidate.method
        return {
          task,
          from: candidate.placement[task] as Tier,
          to,
          id,
          changes: alike
            ? changesOf(candidate.estimate, known.estimate)
            : changesOf(closedForm, estimateClosedForm(build(placement))),
          method: alike ? (candidate.method ?? 'simulated') : 'closed-form',
        }
      }),
  )
  return moves.sort((a, b) => weightOf(b) - weightOf(a) || (a.task < b.task ? -1 : 1))
}

function sentencesOf(of: Omit<Explanation, 'sentences'>): string[] {
  const sentences: string[] = []
  if (of.standing === 'front')
    sentences.push(
      of.bestIn.length > 0
        ? `It is on the front: nothing listed is better in ${of.bestIn.join(' or ')}.`
        : 'It is on the front: whatever is better in one objective is worse in another.',
    )
  else if (of.standing === 'not-compared')
    sentences.push('It was estimated by closed form only; the front is decided among simulated candidates.')
  if (of.dominatedBy) {
    const better = OBJECTIVES.flatMap((objective) => {
      const change = of.dominatedBy?.changes[objective]
      return change?.share && change.share < 0 ? [`${percent(-change.share)} less ${objective}`] : []
    })
    const others = of.dominators > 1 ? ` (and ${of.dominators - 1} more do too)` : ''
    sentences.push(`${of.dominatedBy.id} beats it: ${better.join(', ')}, and nothing worse${others}.`)
  }
  if (of.binding)
    sentences.push(
      of.binding.met
        ? `Nearest to its limit is the constraint ${of.binding.key}: ${percent(of.binding.slack)} is left.`
        : `It misses the constraint ${of.binding.key} by ${percent(-of.binding.slack)}.`,
    )
  const edge = of.edges[0]
  if (edge && edge.timeMs > 0) {
    const crossing =
      edge.bytes > 0 ? `; ${round(edge.bytes / 1e6)} MB go to or from the cloud there in a run` : ''
    sentences.push(
      `The edge from ${edge.from} to ${edge.to} costs an item most: ${round(edge.timeMs)} ms${crossing}.`,
    )
  }
  const move = of.moves[0]
  if (move) {
    const changes = OBJECTIVES.flatMap((objective) => {
      const { share } = move.changes[objective]
      return share === null || Math.abs(share) < 0.005 ? [] : [`${objective} ${changeOf(share)}`]
    })
    sentences.push(
      `The move${of.tried.tasks < of.tried.of ? ', of those tried,' : ''} that changes most is ${move.task} to the ${tierRow(move.to).label.toLowerCase()}: ${changes.join(', ') || 'hardly anything'}.`,
    )
  }
  return sentences
}

/** A relative change: `+12%`, `−12%`, and from twice as much on `×3`. */
function changeOf(share: number): string {
  if (share >= 1) return `×${Number((1 + share).toPrecision(2))}`
  return `${share > 0 ? '+' : '−'}${percent(Math.abs(share))}`
}

function round(value: number): string {
  return String(Number(value.toPrecision(3)))
}

function percent(share: number): string {
  return `${Number((100 * share).toPrecision(2))}%`
}
