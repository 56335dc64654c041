/** What a run that begins at a task takes from an earlier run. */
import type { Deployment } from '@hivemind/deploy'
import {
  FromTaskError,
  type PartOfPlan,
  planFrom,
  type RecordedItem,
  type RecordedValues,
  type RunOutput,
  recordedValues,
  SWARM,
} from '@hivemind/orchestrator'
import { inlineRef, type ValueRef, valueOfPreview } from '@hivemind/values'
import type { BodyOf } from '../common/contract.ts'
import { Problem } from '../common/problem.ts'
import type { RunValues } from './run-values.ts'

type From = NonNullable<BodyOf<'startRun'>['from']>

/** Values that one run may take over; more are refused. */
const MAX_VALUES = 50_000

/** The whole value of an output: where it is kept, or what its preview shows when that is all; `null` when there is neither. */
async function refOf(run: string, output: RunOutput, values: RunValues): Promise<ValueRef | null> {
  const { ref, value, type = '', bytes = 0 } = output
  if (ref) return { kind: 'stored', ...ref, size: bytes, type }
  const whole = valueOfPreview(value, type)
  return whole ? inlineRef(whole) : values.find(run, output)
}

/** The part of what is deployed from a task on, and the values that a run has kept for it. Throws 400 with a sentence. */
export async function partFrom(
  { run, task, item }: From,
  { spec: { synthesis, devices } }: Deployment,
  outputs: AsyncIterable<RunOutput>,
  kept: RunValues,
): Promise<{ part: PartOfPlan; values: RecordedValues }> {
  try {
    const part = planFrom(synthesis.plan, task)
    const items: RecordedItem[] = []
    for await (const output of outputs) {
      const ref = part.recorded.includes(output.task) ? await refOf(run, output, kept) : null
      if (ref) items.push({ ...output, ref })
    }
    if (items.length > MAX_VALUES)
      throw new FromTaskError(
        `The run has kept ${items.length} values for '${task}', and a run takes over ${MAX_VALUES} at most: choose one item.`,
      )
    const values = recordedValues(part, items, item)
    const names = new Set([SWARM, ...devices.map(({ name }) => name)])
    const unknown = Object.values(values)
      .flatMap((lanes) => Object.keys(lanes))
      .find((lane) => !names.has(lane))
    if (unknown !== undefined)
      throw new FromTaskError(
        `The run had a device ${unknown}, which the deployment has not: it has ${devices.map(({ name }) => name).join(', ')}.`,
      )
    return { part, values }
  } catch (error) {
    throw error instanceof FromTaskError ? new Problem(400, error.message) : error
  }
}
