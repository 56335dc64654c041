/** Figures of each task over the spans of a run, kept up to date span by span in bounded memory. */
import { QuantileSketch } from './sketch.ts'
import type { Span, TaskStatistics } from './types.ts'

const PARTS = ['network', 'management', 'dataExchange', 'execution'] as const

/** Time of an invocation in ms, from ready to run to the hand-over of its output. */
export function latencyOf({ breakdown, queuedAt, endedAt }: Span): number {
  const parts = PARTS.reduce((sum, part) => sum + breakdown[part], 0)
  return Math.max(parts, endedAt - queuedAt)
}

interface TaskSums {
  tier: Span['tier']
  times: QuantileSketch
  /** Of `times`, those of invocations that waited for their function to start, and of the others. */
  cold: QuantileSketch
  warm: QuantileSketch
  invocations: number
  missed: number
  sums: Record<(typeof PARTS)[number], number>
  bytesIn: number
  bytesOut: number
}

/** Statistics of every task of a run. Memory depends on the number of tasks, not of spans. */
export class SpanStatistics {
  readonly #tasks = new Map<string, TaskSums>()
  #count = 0

  /** Number of spans added. */
  get count(): number {
    return this.#count
  }

  /** Counts a span; the caller sees to it that none is added twice. */
  add(span: Span): void {
    this.#count++
    let task = this.#tasks.get(span.task)
    if (!task) {
      task = {
        tier: span.tier,
        times: new QuantileSketch(),
        cold: new QuantileSketch(),
        warm: new QuantileSketch(),
        invocations: 0,
        missed: 0,
        sums: { network: 0, management: 0, dataExchange: 0, execution: 0 },
        bytesIn: 0,
        bytesOut: 0,
      }
      this.#tasks.set(span.task, task)
    }
    task.tier = span.tier
    task.invocations++
    if (span.missedDeadline) task.missed++
    task.bytesIn += span.bytesIn
    task.bytesOut += span.bytesOut
    if (span.status !== 'ok') return
    const latencyMs = latencyOf(span)
    task.times.add(latencyMs)
    ;(span.coldStartMs === undefined ? task.warm : task.cold).add(latencyMs)
    for (const part of PARTS) task.sums[part] += span.breakdown[part]
  }

  /** One entry per task, in order of its first span. */
  tasks(): TaskStatistics[] {
    return [...this.#tasks].map(
      ([task, { tier, times, cold, warm, invocations, missed, sums, bytesIn, bytesOut }]) => {
        const [p50Ms = 0, p90Ms = 0, p99Ms = 0] = quantilesOf(times, [0.5, 0.9, 0.99])
        const mean = (sum: number) => sum / Math.max(1, times.count)
        return {
          task,
          tier,
          invocations,
          failed: invocations - times.count,
          missed,
          p50Ms,
          p90Ms,
          p99Ms,
          breakdown: {
            network: mean(sums.network),
            management: mean(sums.management),
            dataExchange: mean(sums.dataExchange),
            execution: mean(sums.execution),
          },
          bytesIn,
          bytesOut,
          ...(cold.count > 0 && { starts: startsOf(cold, warm) }),
        }
      },
    )
  }
}

const quantilesOf = (sketch: QuantileSketch, shares: readonly number[]): number[] =>
  sketch.count > 0 ? sketch.quantiles(shares) : shares.map(() => 0)

function startsOf(cold: QuantileSketch, warm: QuantileSketch): NonNullable<TaskStatistics['starts']> {
  const [coldP50Ms = 0, coldP99Ms = 0] = quantilesOf(cold, [0.5, 0.99])
  const [warmP50Ms = 0, warmP99Ms = 0] = quantilesOf(warm, [0.5, 0.99])
  return { cold: cold.count, coldP50Ms, coldP99Ms, warm: warm.count, warmP50Ms, warmP99Ms }
}
