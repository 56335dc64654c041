/** Where measured times and their estimate part, and why, computed from their parts. Pure. */
import type { Breakdown, Span } from '../../../api/types.ts'
import * as format from '../../reports/format.ts'
import { total } from '../spans.ts'
import { partsOf } from '../trace/parts.ts'

/** What can make an invocation differ from its estimate. */
type Cause = 'queue' | 'network' | 'service' | 'handOver'

/** Parts of a latency as reasons for a difference, with their names in sentences. */
export const causes: readonly { cause: Cause; part: keyof Breakdown; name: string }[] = [
  { cause: 'queue', part: 'management', name: 'queue and dispatch' },
  { cause: 'network', part: 'network', name: 'network' },
  { cause: 'service', part: 'execution', name: 'service time' },
  { cause: 'handOver', part: 'dataExchange', name: 'data exchange' },
]

/** A part of a difference, in ms; negative where less was measured than estimated. */
export interface Reason {
  cause: Cause
  name: string
  measuredMs: number
  estimatedMs: number
}

/** How a measurement parts from its estimate. */
export interface Deviation {
  measuredMs: number
  estimatedMs: number
  /** `agrees` within 10 % or half a millisecond. */
  kind: 'agrees' | 'longer' | 'shorter'
  /** What pulls the same way as the whole, most first; only what makes at least a fifth of it. Empty when they agree. */
  reasons: Reason[]
}

const AGREES_SHARE = 0.1
const AGREES_MS = 0.5
const MIN_SHARE = 0.2

/**
 * Compares the parts of a measurement with those of its estimate, both in ms. `undefined` when the estimate says nothing about
 * the parts, as of a sensor, which runs at its own pace and is in no item's latency.
 */
export function deviationOf(measured: Breakdown, estimated: Breakdown): Deviation | undefined {
  const [measuredMs, estimatedMs] = [total(measured), total(estimated)]
  if (estimatedMs <= 0) return undefined
  const difference = measuredMs - estimatedMs
  if (Math.abs(difference) <= Math.max(AGREES_MS, AGREES_SHARE * estimatedMs))
    return { measuredMs, estimatedMs, kind: 'agrees', reasons: [] }
  const sign = Math.sign(difference)
  const own = causes
    .map(({ cause, part, name }) => ({
      cause,
      name,
      measuredMs: measured[part],
      estimatedMs: estimated[part],
    }))
    .filter((each) => sign * (each.measuredMs - each.estimatedMs) > 0)
    .sort((a, b) => sign * (b.measuredMs - b.estimatedMs - (a.measuredMs - a.estimatedMs)))
  const pulls = own.reduce((sum, each) => sum + Math.abs(each.measuredMs - each.estimatedMs), 0)
  return {
    measuredMs,
    estimatedMs,
    kind: sign > 0 ? 'longer' : 'shorter',
    reasons: own.filter((each) => Math.abs(each.measuredMs - each.estimatedMs) >= MIN_SHARE * pulls),
  }
}

/** Rounding of sums is no time. */
const time = (ms: number): string => format.time(ms < 1e-6 ? 0 : ms)

/**
 * The deviation in a sentence. `queueMs` is what of `management` was the queue: then it is said whether work waited, or was
 * slow to start.
 */
export function sentenceOf(deviation: Deviation, queueMs?: number): string {
  const { measuredMs, estimatedMs, kind, reasons } = deviation
  if (kind === 'agrees')
    return `As estimated: ${format.time(measuredMs)} measured, ${format.time(estimatedMs)} estimated.`
  const said = reasons.map((reason) => {
    const waiting =
      reason.cause === 'queue' && kind === 'longer' && queueMs !== undefined
        ? queueMs >= reason.measuredMs / 2
          ? 'queue'
          : 'dispatch'
        : reason.name
    return `${waiting} (${time(reason.measuredMs)} instead of ${time(reason.estimatedMs)})`
  })
  const by = format.time(Math.abs(measuredMs - estimatedMs))
  return `${by} ${kind} than estimated, because of the ${said.join(' and the ')}.`
}

/** Mean of the queue in ms over the invocations that succeeded, by task; of a stream its pace. */
export function meanQueues(spans: readonly Span[]): ReadonlyMap<string, number> {
  const sums = new Map<string, { ms: number; count: number }>()
  for (const span of spans) {
    if (span.status !== 'ok') continue
    const { queue, pace } = partsOf(span)
    const { ms = 0, count = 0 } = sums.get(span.task) ?? {}
    sums.set(span.task, { ms: ms + queue + pace, count: count + 1 })
  }
  return new Map([...sums].map(([task, { ms, count }]) => [task, ms / count]))
}
