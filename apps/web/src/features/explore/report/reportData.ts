/** Input of a report of an exploration, and the data embedded in it. */

import type { Objective } from '@hivemind/placement'
import { canonical } from '@hivemind/workflow'
import type { Candidate, Exploration, ExplorationJob } from '../../../api/types.ts'
import { candidatesCsv } from '../candidates.ts'
import { type Curves, curveData } from '../charts/DeviceCurves.tsx'
import { barsData, representatives } from '../charts/FrontBars.tsx'
import { jsonOf, type PlotData } from '../charts/plotData.ts'
import { distributionData } from '../compare/distribution.ts'
import { goalsOf, overTimeData } from '../compare/overTime.ts'
import type { Distribution } from '../whatif/detail.ts'
import type { Scenario } from '../whatif/knobs.ts'
import { curveGoals } from '../whatif/screen.ts'
import type { Why } from '../whatif/work.ts'
import { tornadoData } from '../why/tornadoBars.ts'

export interface ReportInput {
  project: string
  job: ExplorationJob
  result: Exploration
  scenario: Scenario
  /** The workflow's text in the HiveMind language. */
  text: string
  selected: Candidate
  tasks: readonly string[]
  why: Why
  curves: Curves
  /** One simulated run of the selected candidate. */
  run: Distribution
  /** Version of the HiveMind service. */
  version: string
  /** SHA-256 of the exploration as canonical JSON; `undefined` where the browser cannot compute it. */
  hash: string | undefined
  /** When the report was created, as text. */
  madeAt: string
}

/** The data of every plot of the report. */
function plotsOf({ result, selected, curves, why, run }: ReportInput): PlotData[] {
  const objectives = Object.keys(why.tornado) as Objective[]
  return [
    barsData(representatives(result.candidates, selected.id)),
    ...curveGoals.map((goal) => curveData(goal, curves[goal])),
    distributionData([run]),
    ...goalsOf([run]).map((goal) => overTimeData([run], goal)),
    ...objectives.map((objective) => tornadoData(objective, why.tornado[objective])),
  ]
}

/** All data of the report as one JSON text that is safe within a script element. */
export function embeddedData(input: ReportInput): string {
  const plots = Object.fromEntries(plotsOf(input).map((plot) => [plot.name, JSON.parse(jsonOf(plot))]))
  const { scenario, result, text, version, hash } = input
  return canonical({
    schema: 'hivemind.exploration-report/1',
    version,
    hash: hash ?? null,
    text,
    fleet: scenario.fleet,
    exploration: result,
    candidatesCsv: candidatesCsv(result, input.tasks),
    plots,
  }).replaceAll('<', '\\u003c')
}
