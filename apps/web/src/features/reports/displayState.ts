/** States of a run's tasks as the graphs display them. */
import type { TaskState } from '../../api/types.ts'

/** State of a task; `stopped` and `skipped` only after the run has ended. */
export type DisplayState = TaskState['state'] | 'stopped' | 'skipped'
/** Label of each state. */
export const stateLabel: Record<DisplayState, string> = {
  waiting: 'Waiting',
  running: 'Running',
  stopped: 'Stopped',
  skipped: 'Not run',
  done: 'Done',
  failed: 'Failed',
}
/** CSS colour of each state. */
export const stateColour: Record<DisplayState, string> = {
  waiting: 'var(--color-line-strong)',
  running: 'var(--color-accent)',
  stopped: 'var(--color-line-strong)',
  skipped: 'var(--color-line-strong)',
  done: 'var(--color-ok)',
  failed: 'var(--color-danger)',
}

/**
 * State to display for a task. After the run has ended (`over`), a task last reported as running was stopped, and one
 * still waiting was skipped.
 */
export const displayStateOf = (state: TaskState | undefined, over: boolean): DisplayState => {
  const kind = state?.state ?? 'waiting'
  if (!over) return kind
  return kind === 'running' ? 'stopped' : kind === 'waiting' ? 'skipped' : kind
}
