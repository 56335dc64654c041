/** The filter of the list of runs, as it stands in the URL. Pure. */
import type { RunState } from '../../api/types.ts'
import { wholeNumber } from '../../ui/fields.tsx'

export const RUN_STATES = [
  'queued',
  'starting',
  'running',
  'succeeded',
  'failed',
  'cancelled',
] as const satisfies readonly RunState[]

/** Which runs are listed; a field that is absent leaves out none. */
export interface RunFilter {
  state?: RunState
  version?: number
  /** Part of the message, the target or the id, in either case. */
  text?: string
}

export const MAX_VERSION = 1_000_000
/** Longest text that the service searches for. */
export const MAX_TEXT_LENGTH = 200

/** Reads the filter of a URL. What no filter can be (an unknown state, a version that is no number) is ignored. */
export function filterOf(search: URLSearchParams): RunFilter {
  const state = RUN_STATES.find((one) => one === search.get('state'))
  const version = wholeNumber(search.get('version') ?? '', 1, MAX_VERSION)
  const text = search.get('text')?.slice(0, MAX_TEXT_LENGTH)
  return {
    ...(state !== undefined && { state }),
    ...(version !== undefined && { version }),
    ...(text && { text }),
  }
}

/** The parameters of a URL with one of the filter replaced; an empty value removes it. */
export function withFilter(search: URLSearchParams, field: keyof RunFilter, value: string): URLSearchParams {
  const next = new URLSearchParams(search)
  if (value === '') next.delete(field)
  else next.set(field, value)
  return next
}
