/** What a run that begins at a task takes from an earlier run. */
import type { Deployment } from '@hivemind/deploy'
import {
  FromTaskError,
  type PartOfPlan,
  planFrom,
  type RecordedItem,
  type RecordedValues,
  type RunOutput,
  recordedItems,
  SWARM,
} from '@hivemind/orchestrator'
import { inlineRef, type ValueRef, valueOfPreview } from '@hivemind/values'
import type { BodyOf } from '../common/contract.ts'
import { Problem } from '../common/problem.ts'
import type { RunValues } from './run-values.ts'

type From = NonNullable<BodyOf<'startRun'>['from']>

/** Values that one run may take over; more are refused. */
const MAX_VALUES = 20_000
/** Values of at most so many bytes are given from their previews, without a look into the store. */
const SMALL_BYTES = 4096

/** Where the whole value of an output is: in the store, or in its preview when that shows all of it. Throws `FromTaskError`. */
async function refOf(run: string, output: RunOutput, values: RunValues): Promise<ValueRef> {
  const { task, device, seq, ref, value, type = '', bytes = 0 } = output
  if (ref) return { kind: 'stored', ...ref, size: bytes, type }
  const stored = bytes > SMALL_BYTES ? await values.find(run, output) : null
  const whole = stored ?? valueOfPreview(value, type)
  if (whole) return 'kind' in whole ? whole : inlineRef(whole)
  throw new FromTaskError(`The whole value of item ${seq} of '${task}' on ${device} is not kept any more.`)
}

/**
 * The part of what is deployed from a task on, and the values that a run has kept for it.
 * @param outputs reads what the run has given; called twice: once to choose, once for the values of what was chosen
 * @throws Problem 400 with a sentence when it cannot be
 */
export async function partFrom(
  { run, task, item }: From,
  { spec: { synthesis, devices } }: Deployment,
  outputs: () => AsyncIterable<RunOutput>,
  kept: RunValues,
): Promise<{ part: PartOfPlan; values: RecordedValues }> {
  try {
    const part = planFrom(synthesis.plan, task)
    const items: RecordedItem[] = []
    for await (const { task, device, seq, persisted } of outputs())
      if (persisted && part.recorded.includes(task)) items.push({ task, device, seq })
    const given = recordedItems(part, items, item)
    demandLanes(given, new Set([SWARM, ...devices.map(({ name }) => name)]))
    const count = Object.values(given).flatMap((lanes) => Object.values(lanes).flat()).length
    if (count > MAX_VALUES)
      throw new FromTaskError(
        `The run has kept ${count} values for '${task}', and a run takes over ${MAX_VALUES} at most: choose one item.`,
      )
    const refs = new Map<string, ValueRef>()
    const keyOf = ({ task, device, seq }: RecordedItem): string => `${task}/${device}/${seq}`
    const wanted = new Set(Object.values(given).flatMap((lanes) => Object.values(lanes).flat().map(keyOf)))
    for await (const output of outputs())
      if (wanted.has(keyOf(output))) refs.set(keyOf(output), await refOf(run, output, kept))
    const valuesOf = (lane: RecordedItem[]) => lane.flatMap((one) => refs.get(keyOf(one)) ?? [])
    return { part, values: mapLanes(given, valuesOf) }
  } catch (error) {
    throw error instanceof FromTaskError ? new Problem(400, error.message) : error
  }
}

type ByLane<T> = Record<string, Record<string, T>>

const mapLanes = <A, B>(all: ByLane<A>, change: (lane: A) => B): ByLane<B> =>
  Object.fromEntries(
    Object.entries(all).map(([task, lanes]) => [
      task,
      Object.fromEntries(Object.entries(lanes).map(([lane, own]) => [lane, change(own)])),
    ]),
  )

/** Throws `FromTaskError` when items are to be given on a device that the deployment has not. */
function demandLanes(given: ByLane<RecordedItem[]>, names: ReadonlySet<string>): void {
  for (const lanes of Object.values(given))
    for (const [lane, items] of Object.entries(lanes))
      if (items.length > 0 && !names.has(lane))
        throw new FromTaskError(
          `The run had a device ${lane}, which the deployment has not: it has ${[...names].filter((name) => name !== SWARM).join(', ')}.`,
        )
}
