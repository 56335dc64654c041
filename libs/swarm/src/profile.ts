/** Profiles: times and sizes of each task, measured by `hivemind profile` or assumed. */

/** An empirical distribution: evenly spaced quantiles from the minimum (0) to the maximum (1), at least two. */
export interface Distribution {
  mean: number
  quantiles: number[]
  samples: number
}

/** What is known of a task on one kind of hardware. */
export interface TierProfile {
  /** Time of one invocation on the reference core, in ms. */
  serviceMs: Distribution
  /** Size of one item of output, in bytes. */
  outputBytes: Distribution
  /** Items of output for each invocation: 1 for an object; for a sensor, the items of its whole stream. */
  outputsPerInvocation: number
}

/** The columns of a profile: the hardware on which a task is measured. Tiers name the one they read (`TierRow.profile`). */
export const PROFILE_COLUMNS = ['cloud', 'edge'] as const
/** A column of a profile. */
export type ProfileColumn = (typeof PROFILE_COLUMNS)[number]

/** What is known of one task, by column. Measured in time of the reference core; absent columns are derived from others. */
export interface TaskProfile extends Partial<Record<ProfileColumn, TierProfile>> {
  origin: 'measured' | 'assumed'
}

/** What a profile says of a task in one column, or else in the first column that says anything; `undefined` when none does. */
export function columnOf(known: TaskProfile, first: ProfileColumn): TierProfile | undefined {
  return [first, ...PROFILE_COLUMNS].map((column) => known[column]).find(Boolean)
}

/** The same profile of a task with every known column changed by `change`; `index` is the column's in `PROFILE_COLUMNS`. */
export function mapColumns(
  known: TaskProfile,
  change: (column: TierProfile, index: number) => TierProfile,
): TaskProfile {
  const changed: TaskProfile = { ...known }
  for (const [index, name] of PROFILE_COLUMNS.entries()) {
    const column = known[name]
    if (column) changed[name] = change(column, index)
  }
  return changed
}

/**
 * What is known of the tasks of a workflow: times on the reference core (a core of the paper’s servers), and sizes.
 */
export interface Profile {
  schema: 'hivemind.profile/1'
  /** When and on what it was measured (machine, versions), for people. */
  note: string
  tasks: Record<string, TaskProfile>
}
