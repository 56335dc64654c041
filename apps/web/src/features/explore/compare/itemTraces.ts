/** Traces of single items through a run, for drawing and for download. Pure. */
import { max, min } from 'd3-array'
import type { PlotData } from '../charts/plotData.ts'
import { type Distribution, TRACED } from '../whatif/detail.ts'

/** Quantiles of latency whose items can be shown. */
export const tracedOptions = [
  { value: '0.5', label: 'the median latency' },
  { value: '0.99', label: 'the 99th percentile' },
  { value: '1', label: 'the maximum' },
] as const satisfies readonly { value: `${(typeof TRACED)[number]}`; label: string }[]
export type Traced = (typeof tracedOptions)[number]['value']

/** The trace of the item at a quantile; `undefined` when no item was finished. */
export const traceOf = ({ traces }: Distribution, quantile: Traced) =>
  traces.find((each) => String(each.quantile) === quantile)

/** Earliest and latest time of these traces, in ms since the capture of the item. */
export function spanOf(traces: readonly Distribution['traces'][number][]): { from: number; to: number } {
  const spans = traces.flatMap((each) => each.spans)
  return {
    from: Math.min(0, min(spans, ({ fromMs }) => fromMs) ?? 0),
    to: Math.max(1e-9, max(spans, ({ toMs }) => toMs) ?? 0),
  }
}

/** All traces of some runs as a table. */
export const tracesData = (runs: readonly Distribution[]): PlotData => ({
  name: 'item-traces',
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
