/** What is known of each task: measured by `hivemind profile`, or assumed. */

/** An empirical distribution: evenly spaced quantiles from the minimum (0) to the maximum (1), at least two. */
export interface Distribution {
  mean: number
  quantiles: number[]
  samples: number
}

export interface TierProfile {
  /** Time of one invocation on the reference core, in ms. */
  serviceMs: Distribution
  /** Size of one item of output, in bytes. */
  outputBytes: Distribution
  /** Items of output for each invocation: 1 for an object; for a sensor, the items of its whole stream. */
  outputsPerInvocation: number
}

export interface TaskProfile {
  origin: 'measured' | 'assumed'
  /** Measured on the reference core; absent tiers are derived from the other one. */
  cloud?: TierProfile
  edge?: TierProfile
}

export interface Profile {
  schema: 'hivemind.profile/1'
  /** When and on what it was measured (machine, versions), for people. */
  note: string
  tasks: Record<string, TaskProfile>
}
