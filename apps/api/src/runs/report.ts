/** What a run's report says, as plain data: the estimate beside what was measured. Pure. */
import type { ConstraintResult, RunOutput, RunState, TaskState, TaskStatistics } from '@hivemind/orchestrator'
import type { Breakdown, Estimate, Placement, Tier } from '@hivemind/swarm'
import type { Constraint } from '@hivemind/workflow'

export interface ReportTask {
  task: string
  tier: Tier
  done: number
  failed: number
  /** Invocations that ended after their deadline, and that were given up because of it; absent when none. */
  missed?: number
  dropped?: number
  /** ms from ready to run to the hand-over of the output, over the invocations that succeeded. */
  measured?: { p50Ms: number; p99Ms: number; breakdown: Breakdown }
  /** Of `measured`, the invocations that waited for their function to start, and the others; absent when none waited. */
  starts?: NonNullable<TaskStatistics['starts']>
  estimated?: { p50Ms: number; p99Ms: number; breakdown: Breakdown }
}

export interface Report {
  schema: 'hivemind.report/1'
  madeAt: string
  project: { id: string; name: string }
  workflow: { name: string; version: number; constraints: { key: string; limit: string }[] }
  run: {
    id: string
    state: RunState
    message?: string
    startedAt: string
    endedAt: string
    /** From the start of the run to its end, in ms. */
    execTimeMs: number
  }
  deployment: { id: string; agents: number; placement: Placement; candidate?: string; exploration?: string }
  inputs: Record<string, unknown>
  itemsPerDevice?: number
  /** The model's estimate of this placement on this machine. */
  estimate?: Estimate
  /** Seed of the simulation that made the estimate. */
  estimateSeed: number
  tasks: ReportTask[]
  /** Of more than 5,000 the newest. */
  outputs: RunOutput[]
  losses: string[]
  /** How the run did on the workflow's constraints, where that was judged. */
  constraints?: ConstraintResult[]
  invocations: number
  machine: { processor: string; cores: number; memoryGB: number; system: string }
  versions: Record<string, string>
}

export function tasksOf(
  statistics: readonly TaskStatistics[],
  states: readonly TaskState[],
  placement: Placement,
  estimate: Estimate | undefined,
): ReportTask[] {
  const measured = new Map(statistics.map((each) => [each.task, each]))
  const stateOf = new Map(states.map((each) => [each.task, each]))
  return Object.entries(placement).map(([task, tier]) => {
    const own = measured.get(task)
    const done = own ? own.invocations - own.failed : 0
    const estimated = estimate?.perTask[task]
    const missed = own?.missed ?? 0
    const dropped = stateOf.get(task)?.dropped ?? 0
    return {
      task,
      tier,
      done,
      failed: own?.failed ?? 0,
      ...(missed > 0 ? { missed } : {}),
      ...(dropped > 0 ? { dropped } : {}),
      ...(own && done > 0
        ? { measured: { p50Ms: own.p50Ms, p99Ms: own.p99Ms, breakdown: own.breakdown } }
        : {}),
      ...(own?.starts ? { starts: own.starts } : {}),
      ...(estimated
        ? {
            estimated: {
              p50Ms: estimated.p50Ms,
              p99Ms: estimated.p99Ms,
              breakdown: estimated.breakdown,
            },
          }
        : {}),
    }
  })
}

export const constraintsOf = (constraints: readonly Constraint[]) =>
  constraints.map(({ key, limit }) => ({ key, limit: limit.text }))
