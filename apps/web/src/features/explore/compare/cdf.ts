/** Distributions of latency as curves and numbers. */
import type { PlotData } from '../charts/plotData.ts'
import type { Distribution } from '../whatif/detail.ts'

/** Percents that are told in words. */
export const marked = [50, 90, 99]

/** The latency in ms that so many percent of the items keep. */
export const atPercent = ({ quantilesMs }: Distribution, percent: number): number =>
  quantilesMs[percent] ?? Number.NaN

/** Latency in ms against the share (0 to 1) of items that are through by then. */
export const cdfPoints = ({ quantilesMs }: Distribution): { x: number; y: number }[] =>
  quantilesMs.map((x, percent) => ({ x, y: percent / 100 }))

export const distributionData = (of: readonly Distribution[]): PlotData => ({
  name: 'latency-distribution',
  head: ['percent', ...of.map(({ id }) => `latencyMs of ${id}`)],
  rows: () =>
    Array.from({ length: 101 }, (_, percent) => [percent, ...of.map((each) => atPercent(each, percent))]),
})
