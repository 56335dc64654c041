/** What a run's report says, as plain data: the estimate beside what was measured. Pure. */
import { quantile, type RunOutput, type RunResult, type RunState, type Span } from '@hivemind/orchestrator'
import type { Breakdown, Estimate, Placement, Tier } from '@hivemind/swarm'
import type { Constraint } from '@hivemind/workflow'

export interface ReportTask {
  task: string
  tier: Tier
  done: number
  failed: number
  /** ms from ready to run to the hand-over of the output, over the invocations that succeeded. */
  measured?: { p50Ms: number; p99Ms: number; breakdown: Breakdown }
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
  outputs: RunOutput[]
  losses: string[]
  invocations: number
  machine: { processor: string; cores: number; memoryGB: number; system: string }
  versions: Record<string, string>
}

const parts = ['network', 'management', 'dataExchange', 'execution'] as const

function meanBreakdown(spans: readonly Span[]): Breakdown {
  const mean: Breakdown = { network: 0, management: 0, dataExchange: 0, execution: 0 }
  for (const span of spans)
    for (const part of parts) mean[part] += span.breakdown[part] / Math.max(1, spans.length)
  return mean
}

export function tasksOf(
  result: RunResult,
  placement: Placement,
  estimate: Estimate | undefined,
): ReportTask[] {
  const byTask = Map.groupBy(result.spans, (span) => span.task)
  return Object.entries(placement).map(([task, tier]) => {
    const spans = byTask.get(task) ?? []
    const good = spans.filter((span) => span.status === 'ok')
    const times = good.map((span) => span.endedAt - span.queuedAt).sort((a, b) => a - b)
    const estimated = estimate?.perTask[task]
    return {
      task,
      tier,
      done: good.length,
      failed: spans.length - good.length,
      ...(times.length > 0
        ? {
            measured: {
              p50Ms: quantile(times, 0.5),
              p99Ms: quantile(times, 0.99),
              breakdown: meanBreakdown(good),
            },
          }
        : {}),
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
