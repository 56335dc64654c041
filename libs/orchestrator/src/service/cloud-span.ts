/** Spans of the calls of cloud functions. */
import type { PlanTask } from '@hivemind/synthesis'
import type { Dispatch } from '../core/events.ts'
import type { Span } from '../types.ts'
import type { CloudResult, WorkFailure } from './ports.ts'

/** How a call went: its result, or why it failed. Times are ms of the service's clock. */
export interface CloudCall {
  dispatchedAt: number
  endedAt: number
  result?: CloudResult
  failure?: WorkFailure
}

/** The span of a call for a device, or for the swarm. */
export function cloudSpan(
  { name, tier }: PlanTask,
  device: string,
  { seq, readyAt, attempt, dueAt }: Dispatch,
  { dispatchedAt, endedAt: failedAt, result, failure }: CloudCall,
): Span {
  const endedAt = result?.endedAt ?? failedAt
  const breakdown = result?.breakdown ?? { network: 0, management: 0, dataExchange: 0, execution: 0 }
  return {
    task: name,
    device,
    seq,
    tier,
    worker: result?.worker ?? 'cloud',
    queuedAt: result?.queuedAt ?? readyAt,
    startedAt: result?.startedAt ?? dispatchedAt,
    endedAt,
    breakdown:
      result?.queuedAt === undefined
        ? { ...breakdown, management: breakdown.management + dispatchedAt - readyAt }
        : breakdown,
    bytesIn: result?.bytesIn ?? 0,
    bytesOut: result?.bytesOut ?? 0,
    items: result?.items ?? 0,
    status: failure ? 'failed' : 'ok',
    ...(failure && { error: failure.message }),
    attempt,
    ...(endedAt > dueAt && { missedDeadline: true }),
    ...(result?.coldStartMs !== undefined && { coldStartMs: result.coldStartMs }),
  }
}
