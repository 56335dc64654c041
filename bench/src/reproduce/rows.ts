/** A statement of the paper, and the row of the page that it becomes. */
import type { Breakdown } from '@hivemind/swarm'
import type { Rule, Verdict } from './rules.ts'
import type { Outcome, Study } from './systems.ts'

/** Our number for a statement, and how it reads. */
export interface Measured {
  value: number
  ours: string
}

/** One statement of the paper that the simulator can judge. */
export interface Statement {
  /** Short name, unique. */
  id: string
  /** Section or figure. */
  where: string
  statement: string
  theirs: string
  rule: Rule
  /** Named beforehand: inputs may be set with this row in view. All others are judged only. */
  calibration?: true
  /** What a reader should know of our number, or why it misses. */
  remark?: string
  measure: (study: Study) => Promise<Measured>
}

/** A statement with one set of inputs. */
export interface Row {
  id: string
  value: number
  ours: string
  verdict: Verdict
}

/** Simulates a statement. */
export async function rowOf({ id, rule, measure }: Statement, study: Study): Promise<Row> {
  const { value, ours } = await measure(study)
  return { id, value, ours, verdict: rule.judge(value) }
}

export const ms = (value: number) =>
  value < 1000 ? `${value.toFixed(0)} ms` : `${(value / 1000).toFixed(2)} s`
export const mean = (values: readonly number[]) => values.reduce((sum, each) => sum + each, 0) / values.length
export const count = (values: readonly boolean[]) => values.filter(Boolean).length

/** `S1 12 %, S2 ...`. */
export const named = (
  scenarios: readonly { name: string }[],
  values: readonly number[],
  show: (value: number) => string,
) => scenarios.map(({ name }, index) => `${name} ${show(values[index] ?? 0)}`).join(', ')

/** The value of a scenario by its name. */
export function namedValue(
  scenarios: readonly { name: string }[],
  values: readonly number[],
  name: string,
): number {
  const value = values[scenarios.findIndex((each) => each.name === name)]
  if (value === undefined) throw new Error(`There is no scenario '${name}'.`)
  return value
}

const total = (parts: Breakdown) => parts.network + parts.management + parts.dataExchange + parts.execution
/** Share of a part in a latency. */
export const shareOf = (parts: Breakdown, part: keyof Breakdown) => parts[part] / total(parts)
/** Within the cloud: what starting containers and scheduling takes. */
export const startShare = (parts: Breakdown) => parts.management / (total(parts) - parts.network)

export const p50 = ({ estimate }: Outcome) => estimate.latencyMs.p50
export const p99 = ({ estimate }: Outcome) => estimate.latencyMs.p99
/** The quotient of a figure of two lists of runs, run by run. */
export const ratios = (
  over: readonly Outcome[],
  under: readonly Outcome[],
  figure: (run: Outcome) => number,
) => over.map((run, index) => figure(run) / figure(under[index] as Outcome))
