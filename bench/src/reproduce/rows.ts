/** A row of the page, and what its statements have in common. */
import { FRAME_BYTES, LIGHT_FPS } from './parameters.ts'
import { jobs, type Scenario, scenarioA, scenarioB } from './scenarios.ts'

export interface Row {
  /** Section or figure. */
  where: string
  statement: string
  theirs: string
  ours: string
  verdict: 'met' | 'partly' | 'missed'
  remark?: string
}

export const percent = (share: number) => `${(100 * share).toFixed(0)} %`
export const ms = (value: number) =>
  value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(2)} s`
export const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length
export const verdict = (met: boolean, partly = false): Row['verdict'] =>
  met ? 'met' : partly ? 'partly' : 'missed'
/** At a rate that the links can carry. */
export const everything = (): Scenario[] => [
  ...jobs(),
  scenarioA(FRAME_BYTES, LIGHT_FPS),
  scenarioB(FRAME_BYTES, LIGHT_FPS),
]
