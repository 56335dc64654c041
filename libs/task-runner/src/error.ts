import type { TaskErrorKind } from './types.ts'

/** Why a task's code did not do its work. `detail` is for its author: the stack trace of that code, or the exit. */
export class TaskError extends Error {
  override readonly name = 'TaskError'
  readonly kind: TaskErrorKind
  readonly detail: string

  constructor(kind: TaskErrorKind, message: string, detail = '') {
    super(message)
    this.kind = kind
    this.detail = detail
  }
}
