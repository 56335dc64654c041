/** Latency distributions as curves and numbers. */
import type { PlotData } from '../charts/plotData.ts'
import type { Distribution } from '../whatif/detail.ts'

/** Percentiles that descriptions name. */
export const namedPercentiles = [50, 90, 99]

/** Latency percentile in ms; `percent` is a whole number from 0 to 100. */
export const atPercent = ({ quantilesMs }: Distribution, percent: number): number =>
  quantilesMs[percent] ?? Number.NaN

/** Points of the cumulative distribution: latency in ms, and the share (0 to 1) of items at or below it. */
export const cdfPoints = ({ quantilesMs }: Distribution): { x: number; y: number }[] =>
  quantilesMs.map((x, percent) => ({ x, y: percent / 100 }))

/** The percentiles of several runs as a table. */
export const distributionData = (of: readonly Distribution[]): PlotData => ({
  name: 'latency-distribution',
  head: ['percent', ...of.map(({ id }) => `latencyMs of ${id}`)],
  rows: () =>
    Array.from({ length: 101 }, (_, percent) => [percent, ...of.map((each) => atPercent(each, percent))]),
})
