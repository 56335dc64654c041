/** The whole values of a run's outputs, which the database only has previews of. */
import type { RunOutput } from '@hivemind/orchestrator'
import { type DataPort, MissingValueError, type StoredRef } from '@hivemind/values'
import { notFound, Problem } from '../common/problem.ts'

/** Bytes with their media type. */
export interface RawValue {
  type: string
  bytes: Uint8Array
}

/** Where the values of runs are kept. */
export interface RunValues {
  /** The value that `ref` names; null when it is not kept any more. */
  open(run: string, ref: NonNullable<RunOutput['ref']>): Promise<RawValue | null>
  /** Where the value of an output is that `Persist` keeps though it came with a message; null when it is not there. */
  find(run: string, output: RunOutput): Promise<StoredRef | null>
  /** Removes all that is kept of a run. */
  drop(run: string): Promise<void>
}
export const RUN_VALUES = Symbol('run-values')

/**
 * Values that runs keep, each in the pool that is named after it, in the first of the ports that has them.
 * @param newest where the newest value of a key is, in the port that runs are kept in now
 */
export const runValues = (
  ports: readonly DataPort[],
  newest: (pool: string, key: string) => Promise<StoredRef | null> = async () => null,
): RunValues => ({
  find: async (run, { task, device, seq, persisted }) =>
    persisted ? newest(run, `${task}/${device}/${seq}`) : null,
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
  const { value } = output
  const isCut = isPreview(value) && value.$truncated === true
  const ref = output.ref ?? (isCut ? await values.find(run, output) : null)
  const kept = ref ? await values.open(run, ref) : null
  if (kept) return kept
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
