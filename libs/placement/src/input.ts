/** Inputs of `evaluate` and `explore`. */
import type { Candidate, Fleet, Placement, Profile, TierRow } from '@hivemind/swarm'
import type { Workflow } from '@hivemind/workflow'
import type { Simulators } from './simulators.ts'

/** What one placement is evaluated with. */
export interface EvaluateInput {
  workflow: Workflow
  placement: Placement
  fleet: Fleet
  /** Completed with assumptions where it says nothing. */
  profile?: Profile
  /** Items each stream sensor emits on each device; without it, what the profile says. */
  itemsPerDevice?: number
  seed: number
  /** The table of tiers; `TIERS` when absent. */
  tiers?: readonly TierRow[]
}

/** The part of an AbortSignal that is used; this library knows no platform. */
export interface Cancellation {
  readonly aborted: boolean
  throwIfAborted(): void
  addEventListener(type: 'abort', listener: () => void): void
}

/** Intermediate result of a running exploration. */
export interface FrontSoFar {
  /** The simulated candidates that no other simulated one dominates, sorted as candidates are. */
  front: Candidate[]
  /** Number of simulated candidates. */
  done: number
  /** Number of candidates to simulate in all. */
  of: number
}

/** What an exploration runs on. */
export interface ExploreInput extends Omit<EvaluateInput, 'placement'> {
  /** Called now and then with the share that is done, from 0 to 1. */
  onProgress?: (fraction: number) => void
  /** Called whenever a candidate has been simulated. */
  onFront?: (soFar: FrontSoFar) => void
  /** An AbortSignal; aborting it rejects the exploration with its reason. */
  signal?: Cancellation
  /** An AbortSignal; aborting it ends the exploration with the candidates simulated so far (`cancelled`). */
  finish?: Cancellation
  /** Worker threads to simulate on, used when there is enough work. Without it this thread simulates; the result is the same. */
  simulators?: Simulators
}
