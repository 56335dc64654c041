/** Bars of a tornado chart. Pure. */
import type { Objective, Swing } from '@hivemind/placement'
import { extent } from 'd3-array'
import { scaleLinear } from 'd3-scale'
import * as format from '../../reports/format.ts'
import type { PlotData } from '../charts/plotData.ts'

export const objectiveLabel: Record<Objective, string> = {
  latency: 'Latency p99',
  energy: 'Energy per device',
  bandwidth: 'Bandwidth',
  cost: 'Cloud cost per hour',
}
/** Short name of each objective, for table headings. */
export const objectiveName: Record<Objective, string> = {
  latency: 'Latency',
  energy: 'Energy',
  bandwidth: 'Bandwidth',
  cost: 'Cost',
}
export const printObjective: Record<Objective, (value: number) => string> = {
  latency: format.time,
  energy: format.energy,
  bandwidth: format.bandwidth,
  cost: format.cost,
}
const entryLabel: Record<Swing['entry'], string> = {
  serviceMs: 'time of',
  outputBytes: 'output of',
  outputsPerInvocation: 'items of',
}

export const swingLabel = (swing: Swing): string => `${entryLabel[swing.entry]} ${swing.task}`

export interface TornadoBar {
  label: string
  /** Ends of the bar, from 0 to 1 over all bars: with the entry 20% lower, and 20% higher. */
  lowAt: number
  highAt: number
  low: number
  high: number
}

/** The first `limit` swings as bars on one scale, and the position of the unchanged value on it. */
export function tornadoBars(swings: readonly Swing[], limit = 10): { bars: TornadoBar[]; baseAt: number } {
  const widest = swings.slice(0, limit)
  const base = widest[0]?.base ?? 0
  const values = widest.flatMap((swing) => [swing.low, swing.high, swing.base])
  const [min = 0, max = 0] = extent(values)
  const at = scaleLinear([min, max], [0, 1])
  return {
    baseAt: at(base),
    bars: widest.map((swing) => ({
      label: swingLabel(swing),
      lowAt: at(swing.low),
      highAt: at(swing.high),
      low: swing.low,
      high: swing.high,
    })),
  }
}

export const tornadoData = (objective: Objective, swings: readonly Swing[]): PlotData => ({
  name: `tornado-${objective}`,
  head: ['task', 'entry', 'base', 'entry 20% lower', 'entry 20% higher'],
  rows: () => swings.map(({ task, entry, base, low, high }) => [task, entry, base, low, high]),
})
