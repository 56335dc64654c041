/** Quantities of simulated runs over time. Pure. */
import * as format from '../../reports/format.ts'
import type { LinePoint } from '../charts/LineChart.tsx'
import type { PlotData } from '../charts/plotData.ts'
import type { Distribution } from '../whatif/detail.ts'

/** Letter, colour and line style of the first and the second run. */
export const looks = [
  { letter: 'A', colour: 'var(--color-accent)', dashed: false },
  { letter: 'B', colour: 'var(--color-part-network)', dashed: true },
] as const

export const overTimeGoals = ['battery', 'energy', 'bandwidth', 'items'] as const
export type OverTimeGoal = (typeof overTimeGoals)[number]

interface Look {
  title: string
  print: (value: number, digits?: number) => string
  /** The lines to draw. Thin lines are those of a single device. */
  rows: (run: Distribution) => { of: string; values: readonly number[]; thin?: true }[]
  /** Value at time 0; when absent, the line starts with the first bin. */
  start?: number
  /** Values that the axis must include. */
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

/** The quantities to draw: the battery when devices have one, else the energy used; bandwidth and items always. */
export const goalsOf = (runs: readonly Distribution[]): OverTimeGoal[] =>
  runs.some(({ series }) => series.batteryMean.length > 0)
    ? ['battery', 'bandwidth', 'items']
    : ['energy', 'bandwidth', 'items']

/** End of each bin, in ms since the start of the run. */
const endsOf = ({ series, endMs }: Distribution): number[] =>
  series.finished.map((_, bin) => Math.min(endMs, (bin + 1) * series.binMs))

/** Points of a line; x is the time since the start of the run, in ms. */
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

/** How a run ended, as a sentence without its full stop. */
export function endSentence({ series, endMs, completed, stopped }: Distribution): string {
  const left = series.batteryMean.at(-1)
  const lowest = series.batteryLowest.at(-1)
  return [
    `ended after ${format.time(endMs)}`,
    ...(left === undefined || lowest === undefined
      ? []
      : [
          `${format.share(left)} of the battery left on average, ${format.share(lowest)} on the lowest device`,
        ]),
    completed < 1
      ? `${format.share(completed)} of the mission completed${stopped > 0 ? `, ${format.count(stopped, 'device')} stopped with an empty battery` : ''}`
      : 'mission completed',
  ].join('; ')
}

/** Says which part of a long run was simulated. Empty when all of it was. */
export const cutSentence = ({ items: { simulated, all } }: Distribution): string =>
  simulated < all
    ? `Only the first ${format.count(simulated, 'item')} of ${all.toLocaleString('en-GB')} on each device were simulated.`
    : ''
