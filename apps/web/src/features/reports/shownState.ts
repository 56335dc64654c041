/** What a task of a run does, as it is shown. */
import type { TaskState } from '../../api/types.ts'

export type Shown = TaskState['state'] | 'stopped' | 'skipped'
export const stateLabel: Record<Shown, string> = {
  waiting: 'Waiting',
  running: 'Running',
  stopped: 'Stopped',
  skipped: 'Not run',
  done: 'Done',
  failed: 'Failed',
}
export const stateColour: Record<Shown, string> = {
  waiting: 'var(--color-line-strong)',
  running: 'var(--color-accent)',
  stopped: 'var(--color-line-strong)',
  skipped: 'var(--color-line-strong)',
  done: 'var(--color-ok)',
  failed: 'var(--color-danger)',
}

/** What a task does now; once the run is over nothing runs any more, whatever was told last. */
export const shownState = (state: TaskState | undefined, over: boolean): Shown => {
  const kind = state?.state ?? 'waiting'
  if (!over) return kind
  return kind === 'running' ? 'stopped' : kind === 'waiting' ? 'skipped' : kind
}
