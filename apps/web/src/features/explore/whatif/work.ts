/** Requests to the exploration worker, and how the page sends them. */
import type { Crossover, Explanation, Knob, Objective, Robustness, Swing } from '@hivemind/placement'
import type { Candidate, Exploration, Placement } from '@hivemind/swarm'
import type { Trial } from '../trial/trial.ts'
import type { Distribution } from './detail.ts'
import type { Scenario } from './knobs.ts'
import { LatestWorker } from './latest.ts'
import type { Curve, CurveGoal, Named } from './screen.ts'

/** A request to the worker. */
export type Work =
  | { kind: 'screen'; scenario: Scenario; placements: readonly Named[] }
  | { kind: 'curves'; scenario: Scenario; placements: readonly Named[]; counts: readonly number[] }
  | { kind: 'trial'; scenario: Scenario; before: Placement; placement: Placement }
  | { kind: 'explore'; scenario: Scenario }
  | { kind: 'distributions'; scenario: Scenario; placements: readonly Named[]; batteries: boolean }
  | { kind: 'robust'; scenario: Scenario; placements: readonly Named[]; factor: number }
  | { kind: 'why'; scenario: Scenario; exploration: Exploration; id: string; placement: Placement }

/** Explanation of a candidate's position. */
export interface Why {
  explanation: Explanation
  /** Values of the settings at which the candidate starts or stops to meet the constraints. */
  limits: { knob: Knob; crossovers: Crossover[] }[]
  tornado: Record<Objective, Swing[]>
}

interface Answers {
  screen: Candidate[]
  curves: Record<CurveGoal, Curve>
  trial: Trial
  explore: Exploration
  distributions: Distribution[]
  robust: Robustness
  why: Why
}
export type AnswerTo<Kind extends Work['kind']> = Answers[Kind]
export type Ask<Kind extends Work['kind']> = Extract<Work, { kind: Kind }>

/** Opens a worker for one kind of request. */
export function openWorker<Kind extends Work['kind']>(): LatestWorker<Ask<Kind>, AnswerTo<Kind>> {
  return new LatestWorker(
    () => new Worker(new URL('./explore.worker.ts', import.meta.url), { type: 'module', name: 'explore' }),
  )
}

/** Sends one request to a new worker. Rejects with an error that says why it failed. */
export function askOnce<Kind extends Work['kind']>(work: Ask<Kind>): Promise<AnswerTo<Kind>> {
  const worker = openWorker<Kind>()
  return new Promise<AnswerTo<Kind>>((resolve, reject) => {
    worker.ask(work, { onAnswer: resolve, onFailure: (message) => reject(new Error(message)) })
  }).finally(() => worker.close())
}
