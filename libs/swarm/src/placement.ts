import type { Fleet, HandOverKind } from './fleet.ts'
import type { Profile } from './profile.ts'
import type { breakdownSchema } from './run-records.ts'
import type { TypeOf } from './schema.ts'
import type { Tier } from './tiers.ts'

/** A tier for every task of the workflow. */
export type Placement = Record<string, Tier>

/** Latency split as in the paper's Fig. 3a and 12, in ms. */
export type Breakdown = TypeOf<typeof breakdownSchema>

/** What a placement is estimated to do in one run. Times in ms, energy in J, costs in USD. */
export interface Estimate {
  /** One item of sensor data, from its capture to the end of its last per-item task. */
  latencyMs: { p50: number; p99: number; mean: number }
  breakdown: Breakdown
  /** Per task: time in queue and service, in ms, and its share of the breakdown. */
  perTask: Record<string, { p50Ms: number; p99Ms: number; breakdown: Breakdown; tier: Tier }>
  /** From the start of the run to the end of the last task, in ms. */
  execTimeMs: number
  /** Items finished per second over the whole swarm. */
  throughput: number
  /** Mean energy per device over the run, in J, and as a share (0..1) of its battery. */
  energyJ: number
  energyShare: number
  /** The same of the device that uses most; constraints are about it. Absent in estimates of earlier versions. */
  maxEnergyJ?: number
  maxEnergyShare?: number
  /** Mean bandwidth to and from the cloud, of devices and edge nodes, in MB/s. */
  bandwidthMBps: number
  costPerHour: number
  costPerRun: number
  /** For every task with a deadline: the share (0..1) of its invocations that missed it. Simulations only. */
  missedDeadlines?: Record<string, number>
  /** Of the edge nodes: the share (0..1) of their cores that is busy, and the mean energy of a node over the run, in J. Absent where the fleet has none. */
  edgeNodes?: { busyShare: number; energyJ: number }
  /** Tasks whose times and sizes were assumed, not measured. Only in estimates of deployments; absent when there is none. */
  assumed?: string[]
}

/**
 * A constraint that an estimate misses. `limit` and `value` are in base units: ms, items/s, USD, J, W, or a share from 0
 * to 1.
 */
export interface Violation {
  key: string
  limit: number
  value: number
  message: string
}

/** A placement that an exploration lists, with its estimate. */
export interface Candidate {
  /** Stable and readable: a short hash of the placement, equal for equal placements. */
  id: string
  placement: Placement
  /** `all-TIER`: every task that may run on the tier does. */
  baseline?: `all-${Tier}`
  estimate: Estimate
  /** How the estimate was made; see docs/placement.md, "Which candidates are simulated". */
  method?: 'simulated' | 'closed-form'
  pareto: boolean
  meets: boolean
  violations: Violation[]
  /** 95 % confidence interval of the p99 latency over the replications, in ms; of simulated candidates. */
  p99IntervalMs?: { low: number; high: number }
  /** Others on the front whose p99 latency the replications cannot tell from this one's. */
  tiedWith?: string[]
}

/** The placements that an exploration does not list. */
export interface Pruned {
  /** Placements of the full product that no candidate stands for; exact up to 2^53, rounded beyond, and never above `Number.MAX_VALUE`. */
  count: number
  /** Number of placements each rule removed first, by rule name. */
  byRule: Record<string, number>
}

/** How far the listed candidates can be trusted to be the best; docs/placement.md, "Candidates". */
export interface Proof {
  /**
   * `enumerated`: every legal placement was judged. `exact-filter`: those on the front of the model without contention
   * (whole, or within `epsilon`) and around it were. `heuristic`: a search without any bound chose them.
   */
  kind: 'enumerated' | 'exact-filter' | 'heuristic'
  /** Without contention, every placement is matched within the factor 1 + epsilon on every figure; 0 when exact. */
  epsilon?: number
  /** Placements judged by closed form or simulation. */
  judged: number
}

/** The answer of an exploration: candidates, front, and all that they depend on. */
export interface Exploration {
  schema: 'hivemind.exploration/1'
  candidates: Candidate[]
  /** Ids of the Pareto front over latency p99, energy, bandwidth and cost. */
  front: string[]
  pruned: Pruned
  /** Present when there were too many legal placements to list: how the listed ones were found. */
  note?: string
  proof?: Proof
  /** Ended before it was done: only so many of the candidates to simulate were, and the others are not listed. */
  cancelled?: { done: number; of: number }
  /** All that the answer depends on beside the workflow. */
  inputs: {
    seed: number
    fleet: string
    devices: number
    profile: Profile
    itemsPerDevice: number
    /** How cloud functions hand data over. */
    handOver?: HandOverKind
    /** The fleet as it was explored, with this number of devices and hand-over. Absent in results of before it was kept. */
    fleetUsed?: Fleet
  }
}
