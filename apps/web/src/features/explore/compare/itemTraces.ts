/** The way of single items through a run, to draw and to take away. Pure. */
import { max, min } from 'd3-array'
import type { PlotData } from '../charts/plotData.ts'
import { type Distribution, TRACED } from '../whatif/detail.ts'

/** Items to choose from, by the quantile of latency they stand for. */
export const tracedOptions = [
  { value: '0.5', label: 'the median' },
  { value: '0.99', label: 'the 99th percentile' },
  { value: '1', label: 'the slowest' },
] as const satisfies readonly { value: `${(typeof TRACED)[number]}`; label: string }[]
export type Traced = (typeof tracedOptions)[number]['value']

export const traceOf = ({ traces }: Distribution, quantile: Traced) =>
  traces.find((each) => String(each.quantile) === quantile)

/** From the earliest to the latest moment of some items, in ms since their capture. */
export function spanOf(traces: readonly Distribution['traces'][number][]): { from: number; to: number } {
  const spans = traces.flatMap((each) => each.spans)
  return {
    from: Math.min(0, min(spans, ({ fromMs }) => fromMs) ?? 0),
    to: Math.max(1e-9, max(spans, ({ toMs }) => toMs) ?? 0),
  }
}

export const tracesData = (runs: readonly Distribution[]): PlotData => ({
  name: 'ways-of-items',
  head: [
    'candidate',
    'quantile',
    'device',
    'capturedAtMs',
    'latencyMs',
    'task',
    'tier',
    'fromMs',
    'toMs',
    'networkMs',
    'managementMs',
    'dataExchangeMs',
    'executionMs',
  ],
  rows: () =>
    runs.flatMap(({ id, traces }) =>
      traces.flatMap(({ quantile, device, capturedAtMs, latencyMs, spans }) =>
        spans.map((span) => [
          id,
          quantile,
          `device-${device}`,
          capturedAtMs,
          latencyMs,
          span.task,
          span.tier,
          span.fromMs,
          span.toMs,
          span.network,
          span.management,
          span.dataExchange,
          span.execution,
        ]),
      ),
    ),
})
