/** A run that is left as it is, for the process that comes after this one. */

/** The run was left: it has no result here, and nothing was said to devices or functions. */
export class RunLeftError extends Error {
  override readonly name = 'RunLeftError'
  constructor() {
    super('The run was left for a later process.')
  }
}

/** What a run asks on its way: whether it has been left, and what else ends it. */
export interface Leaving {
  /** Fires when one of the signals does, but not once the run has been left. */
  cancel: AbortSignal
  /** Rejects with `RunLeftError` when the run is left. */
  left: Promise<never>
  readonly isLeft: boolean
}

/** Joins the signals that cancel a run with the one that leaves it. */
export function leavingOf(leave: AbortSignal | undefined, cancels: readonly AbortSignal[]): Leaving {
  const cancel = new AbortController()
  const any = AbortSignal.any([...cancels])
  const onCancel = (): void => {
    if (leave?.aborted !== true) cancel.abort(any.reason)
  }
  if (any.aborted) onCancel()
  else any.addEventListener('abort', onCancel, { once: true })
  const left = new Promise<never>((_, reject) => {
    const tell = (): void => reject(new RunLeftError())
    if (leave?.aborted) tell()
    else leave?.addEventListener('abort', tell, { once: true })
  })
  left.catch(() => {})
  return {
    cancel: cancel.signal,
    left,
    get isLeft() {
      return leave?.aborted === true
    },
  }
}
