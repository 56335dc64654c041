/** The invocations of a run as lanes of a timeline. Pure. */
import type { Breakdown, Span, Tier } from '../../api/types.ts'
import { tierOrder } from '../reports/tiers.ts'

const parts = ['network', 'management', 'dataExchange', 'execution'] as const

/** Sum of the parts of a breakdown, in ms. */
export const total = (breakdown: Breakdown): number => parts.reduce((sum, part) => sum + breakdown[part], 0)

/** The invocations of one worker. */
export interface Lane {
  worker: string
  tier: Tier
  /** Number of rows, so that overlapping spans do not cover each other. */
  rows: number
  bars: { span: Span; row: number }[]
}

/** Times are in ms, on the clock of the spans. */
export interface Timeline {
  from: number
  to: number
  lanes: Lane[]
  /** Number of spans that are left out because there are too many. */
  hidden: number
}

/** One lane per worker. Draws at most `limit` spans: the failed ones, then the longest. */
export function timeline(spans: readonly Span[], limit = 2000): Timeline {
  if (spans.length === 0) return { from: 0, to: 0, lanes: [], hidden: 0 }
  const weight = (span: Span) => (span.status === 'failed' ? 1e12 : 0) + span.endedAt - span.startedAt
  const drawn =
    spans.length <= limit ? [...spans] : [...spans].sort((a, b) => weight(b) - weight(a)).slice(0, limit)
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

/**
 * The bar that an arrow key leads to from another: before or after it in its lane, or the one nearest in time in the lane
 * above or below. `undefined` for other keys, and where there is none.
 */
export function nextBar(
  lanes: readonly Pick<Lane, 'bars'>[],
  from: Span,
  key: string,
  shift = false,
): Span | undefined {
  if (shift) return undefined
  const at = lanes.findIndex(({ bars }) => bars.some(({ span }) => span === from))
  const bars = lanes[at]?.bars ?? []
  const index = bars.findIndex(({ span }) => span === from)
  if (key === 'ArrowLeft') return bars[index - 1]?.span
  if (key === 'ArrowRight') return bars[index + 1]?.span
  if (key === 'Home') return bars[0]?.span
  if (key === 'End') return bars.at(-1)?.span
  const beside = key === 'ArrowUp' ? lanes[at - 1] : key === 'ArrowDown' ? lanes[at + 1] : undefined
  const distance = (span: Span) => Math.abs(span.startedAt - from.startedAt)
  return beside?.bars.reduce<Span | undefined>(
    (best, { span }) => (best && distance(best) <= distance(span) ? best : span),
    undefined,
  )
}
