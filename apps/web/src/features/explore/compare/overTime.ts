/** Simulated runs over time as lines. Pure. */
import * as format from '../../reports/format.ts'
import type { LinePoint } from '../charts/LineChart.tsx'
import type { PlotData } from '../charts/plotData.ts'
import type { Distribution } from '../whatif/detail.ts'

/** How a run is drawn beside another one. */
export const looks = [
  { letter: 'A', colour: 'var(--color-accent)', dashed: false },
  { letter: 'B', colour: 'var(--color-part-network)', dashed: true },
] as const

export const overTimeGoals = ['battery', 'energy', 'bandwidth', 'items'] as const
export type OverTimeGoal = (typeof overTimeGoals)[number]

interface Look {
  title: string
  print: (value: number, digits?: number) => string
  /** The main line, and with it the one of the device that is worst off. */
  rows: (run: Distribution) => { of: string; values: readonly number[]; thin?: true }[]
  /** The value at the start; without one the line starts with the first bin. */
  start?: number
  /** Values that the axis reaches to in any case. */
  shows?: readonly number[]
}

export const overTimeLooks: Record<OverTimeGoal, Look> = {
  battery: {
    title: 'Battery left',
    print: format.share,
    rows: ({ series }) => [
      { of: 'mean', values: series.batteryMean },
      { of: 'lowest device', values: series.batteryLowest, thin: true },
    ],
    start: 1,
    shows: [0],
  },
  energy: {
    title: 'Energy used per device',
    print: format.energy,
    rows: ({ series }) => [{ of: 'mean', values: series.energyJ }],
    start: 0,
  },
  bandwidth: {
    title: 'Bandwidth in use',
    print: format.bandwidth,
    rows: ({ series }) => [{ of: 'mean', values: series.bandwidthMBps }],
  },
  items: {
    title: 'Items finished',
    print: format.number,
    rows: ({ series }) => [{ of: 'total', values: series.finished }],
    start: 0,
  },
}

/** What is worth drawing of some runs: devices with batteries show what is left of them, others the energy they used. */
export const goalsOf = (runs: readonly Distribution[]): OverTimeGoal[] =>
  runs.some(({ series }) => series.batteryMean.length > 0)
    ? ['battery', 'bandwidth', 'items']
    : ['energy', 'bandwidth', 'items']

/** The end of each bin, in ms. */
const endsOf = ({ series, endMs }: Distribution): number[] =>
  series.finished.map((_, bin) => Math.min(endMs, (bin + 1) * series.binMs))

/** A line over the time of a run, in ms. */
export function pointsOver(
  run: Distribution,
  values: readonly number[],
  start: number | undefined,
): LinePoint[] {
  const ends = endsOf(run)
  const points = values.map((y, bin) => ({ x: ends[bin] ?? 0, y }))
  return start === undefined || points.length === 0 ? points : [{ x: 0, y: start }, ...points]
}

export const overTimeData = (runs: readonly Distribution[], goal: OverTimeGoal): PlotData => ({
  name: `${goal}-over-time`,
  head: ['candidate', 'of', 'endMs', goal],
  rows: () =>
    runs.flatMap((run) => {
      const ends = endsOf(run)
      return overTimeLooks[goal]
        .rows(run)
        .flatMap(({ of, values }) => values.map((value, bin) => [run.id, of, ends[bin], value]))
    }),
})

/** What a run came to, in a sentence. */
export function endSentence({ series, endMs, completed, stopped }: Distribution): string {
  const left = series.batteryMean.at(-1)
  const lowest = series.batteryLowest.at(-1)
  return [
    `over after ${format.time(endMs)}`,
    ...(left === undefined || lowest === undefined
      ? []
      : [`${format.share(left)} of the battery left in the mean, ${format.share(lowest)} at the lowest`]),
    completed < 1
      ? `${format.share(completed)} of the mission completed${stopped > 0 ? `, ${format.count(stopped, 'device')} stopped with an empty battery` : ''}`
      : 'mission completed',
  ].join('; ')
}

/** What of a long run was simulated; empty when it was all of it. */
export const cutSentence = ({ items: { simulated, all } }: Distribution): string =>
  simulated < all
    ? `Cut to the first ${format.count(simulated, 'item')} of ${all.toLocaleString('en-GB')} on each device.`
    : ''
