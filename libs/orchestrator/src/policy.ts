/** What becomes of an invocation that failed (`Restore`, Listing 2). */
import type { FailureKind } from '@hivemind/agent-protocol'
import type { PlanTask } from '@hivemind/synthesis'

/** Tries of one invocation, the first included. */
export const MAX_ATTEMPTS = 3

/**
 * Whether another try can help. The same code on the same input throws the same exception and needs the same time;
 * a crash, a full memory (which earlier invocations may have filled) or a lost worker need not come again.
 */
export function isTransient(kind: FailureKind): boolean {
  return kind === 'crash' || kind === 'memory' || kind === 'lost'
}

/**
 * `retry` from the start (items emitted before stand; repetitions are dropped), `giveUp` (what it emitted is kept, the
 * rest is stated as a loss) or `failRun`.
 */
export function afterFailure(
  task: Pick<PlanTask, 'restore'>,
  kind: FailureKind,
  attempt: number,
): 'retry' | 'giveUp' | 'failRun' {
  if (task.restore === 'ignore') return 'giveUp'
  if (!isTransient(kind)) return 'failRun'
  if (attempt < MAX_ATTEMPTS) return 'retry'
  return task.restore === 'checkpoint' ? 'giveUp' : 'failRun'
}
