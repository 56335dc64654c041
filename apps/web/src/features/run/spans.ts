/** What was measured: per task, and as lanes of a timeline. Pure. */
import { quantile } from '@hivemind/orchestrator'
import type { Breakdown, Span, Tier } from '../../api/types.ts'
import { tierOrder } from '../reports/tiers.ts'

export interface Measured {
  task: string
  tier: Tier
  invocations: number
  failed: number
  /** ms from ready to run until the end, over the invocations that succeeded. */
  p50Ms: number
  p99Ms: number
  /** Mean of each part, in ms. */
  breakdown: Breakdown
  bytesIn: number
  bytesOut: number
}

const parts = ['network', 'management', 'dataExchange', 'execution'] as const

/** Total of a breakdown in ms. */
export const total = (breakdown: Breakdown): number => parts.reduce((sum, part) => sum + breakdown[part], 0)

/** The time of one invocation: all its parts, or what the clock says when they add up to less. */
export const latencyOf = (span: Span): number => Math.max(total(span.breakdown), span.endedAt - span.queuedAt)

/** One line per task, in order of its first span. */
export function measure(spans: readonly Span[]): Measured[] {
  const byTask = new Map<string, Span[]>()
  for (const span of spans) {
    const own = byTask.get(span.task)
    if (own) own.push(span)
    else byTask.set(span.task, [span])
  }
  return [...byTask].map(([task, own]) => {
    const good = own.filter((span) => span.status === 'ok')
    const times = good.map(latencyOf).sort((a, b) => a - b)
    const mean = (value: (span: Span) => number) =>
      good.length === 0 ? 0 : good.reduce((sum, span) => sum + value(span), 0) / good.length
    return {
      task,
      tier: own.at(-1)?.tier ?? 'cloud',
      invocations: own.length,
      failed: own.length - good.length,
      p50Ms: quantile(times, 0.5),
      p99Ms: quantile(times, 0.99),
      breakdown: {
        network: mean((span) => span.breakdown.network),
        management: mean((span) => span.breakdown.management),
        dataExchange: mean((span) => span.breakdown.dataExchange),
        execution: mean((span) => span.breakdown.execution),
      },
      bytesIn: own.reduce((sum, span) => sum + span.bytesIn, 0),
      bytesOut: own.reduce((sum, span) => sum + span.bytesOut, 0),
    }
  })
}

export interface Lane {
  worker: string
  tier: Tier
  /** Rows it needs for spans that overlap. */
  rows: number
  bars: { span: Span; row: number }[]
}

export interface Timeline {
  from: number
  to: number
  lanes: Lane[]
  /** Spans that are not drawn because there are too many: the shortest. */
  hidden: number
}

/** Lanes per worker; at most `most` spans are drawn, the longest ones and every failed one first. */
export function timeline(spans: readonly Span[], most = 2000): Timeline {
  if (spans.length === 0) return { from: 0, to: 0, lanes: [], hidden: 0 }
  const weight = (span: Span) => (span.status === 'failed' ? 1e12 : 0) + span.endedAt - span.startedAt
  const drawn =
    spans.length <= most ? [...spans] : [...spans].sort((a, b) => weight(b) - weight(a)).slice(0, most)
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
  for (const span of spans) {
    from = Math.min(from, span.queuedAt)
    to = Math.max(to, span.endedAt)
  }
  const byWorker = new Map<string, Span[]>()
  for (const span of drawn.sort((a, b) => a.startedAt - b.startedAt)) {
    const name = span.worker || `${span.tier} ${span.device}`
    const own = byWorker.get(name)
    if (own) own.push(span)
    else byWorker.set(name, [span])
  }
  const lanes = [...byWorker].map(([worker, own]): Lane => {
    const free: number[] = []
    const bars = own.map((span) => {
      let row = free.findIndex((until) => until <= span.startedAt)
      if (row < 0) row = free.length
      free[row] = span.endedAt
      return { span, row }
    })
    return { worker, tier: own[0]?.tier ?? 'cloud', rows: free.length, bars }
  })
  lanes.sort(
    (a, b) =>
      tierOrder[a.tier] - tierOrder[b.tier] || a.worker.localeCompare(b.worker, 'en', { numeric: true }),
  )
  return { from, to, lanes, hidden: spans.length - drawn.length }
}
