/** The whole values of a run's outputs, which the database only has previews of. */
import type { RunOutput } from '@hivemind/orchestrator'
import { type DataPort, MissingValueError } from '@hivemind/values'
import { notFound, Problem } from '../common/problem.ts'

type StoredRef = NonNullable<RunOutput['ref']>

/** Bytes with their media type. */
export interface RawValue {
  type: string
  bytes: Uint8Array
}

/** Where the values of runs are kept. */
export interface RunValues {
  /** The value that `ref` names; null when it is not kept any more. */
  open(run: string, ref: StoredRef): Promise<RawValue | null>
  /** Removes all that is kept of a run. */
  drop(run: string): Promise<void>
}
export const RUN_VALUES = Symbol('run-values')

/** Values that runs keep, each in the pool that is named after it, in the first of the ports that has them. */
export const runValues = (ports: readonly DataPort[]): RunValues => ({
  async drop(run) {
    for (const port of ports) await port.drop(run)
  },
  async open(run, ref) {
    if (ref.pool !== run) return null
    for (const port of ports)
      try {
        return await port.get({ kind: 'stored', ...ref, size: 0, type: '' })
      } catch (error) {
        if (!(error instanceof MissingValueError)) throw error
      }
    return null
  },
})

const isPreview = (value: unknown): value is { $bytes: string; $truncated?: boolean } =>
  typeof value === 'object' && value !== null && '$bytes' in value && typeof value.$bytes === 'string'

/** The whole value of an output: the one kept with the run, or what its preview holds. Throws 404 when neither has it all. */
export async function rawValue(
  values: RunValues,
  run: string,
  index: number,
  output: RunOutput,
): Promise<RawValue> {
  const kept = output.ref ? await values.open(run, output.ref) : null
  if (kept) return kept
  const { value } = output
  if (!isPreview(value))
    return { type: 'application/json', bytes: Buffer.from(JSON.stringify(value ?? null)) }
  if (!value.$truncated)
    return { type: output.type ?? 'application/octet-stream', bytes: Buffer.from(value.$bytes, 'base64') }
  if (output.ref) throw notFound('stored value of output', index)
  throw new Problem(
    404,
    `Of output ${index} only a preview was kept; put its task under Persist to keep the whole value.`,
  )
}
