/** What the exploration worker can be asked, and how the page asks it. */
import type { Crossover, Explanation, Knob, Objective, Robustness, Swing } from '@hivemind/placement'
import type { Candidate, Exploration, Placement } from '@hivemind/swarm'
import type { Distribution } from './detail.ts'
import type { Scenario } from './knobs.ts'
import { LatestWorker } from './latest.ts'
import type { Curve, CurveGoal, Named } from './screen.ts'

export type Work =
  | { kind: 'screen'; scenario: Scenario; placements: readonly Named[] }
  | { kind: 'curves'; scenario: Scenario; placements: readonly Named[]; counts: readonly number[] }
  | { kind: 'explore'; scenario: Scenario }
  | { kind: 'distributions'; scenario: Scenario; placements: readonly Named[]; batteries: boolean }
  | { kind: 'robust'; scenario: Scenario; placements: readonly Named[]; factor: number }
  | { kind: 'why'; scenario: Scenario; exploration: Exploration; id: string; placement: Placement }

export interface Why {
  explanation: Explanation
  /** Where the candidate stops or starts to meet the constraints. */
  limits: { knob: Knob; crossovers: Crossover[] }[]
  tornado: Record<Objective, Swing[]>
}

interface Answers {
  screen: Candidate[]
  curves: Record<CurveGoal, Curve>
  explore: Exploration
  distributions: Distribution[]
  robust: Robustness
  why: Why
}
export type AnswerTo<Kind extends Work['kind']> = Answers[Kind]
export type Ask<Kind extends Work['kind']> = Extract<Work, { kind: Kind }>

/** A worker of its own for one kind of question. */
export function openWorker<Kind extends Work['kind']>(): LatestWorker<Ask<Kind>, AnswerTo<Kind>> {
  return new LatestWorker(
    () => new Worker(new URL('./explore.worker.ts', import.meta.url), { type: 'module', name: 'explore' }),
  )
}

/** One question to a worker of its own; rejects with what it failed at. */
export function askOnce<Kind extends Work['kind']>(work: Ask<Kind>): Promise<AnswerTo<Kind>> {
  const worker = openWorker<Kind>()
  return new Promise<AnswerTo<Kind>>((resolve, reject) => {
    worker.ask(work, { onAnswer: resolve, onFailure: (message) => reject(new Error(message)) })
  }).finally(() => worker.close())
}
