/** A service that was killed goes on from its journal: what of its work is lost, and what is asked for again. */
import { deviceOf, type Step, taskOf } from './context.ts'
import { taskFailed } from './failures.ts'
import { invocationsOf } from './invocations.ts'
import { awaitAgent } from './lanes.ts'
import { renewTimers } from './schedule.ts'

/**
 * Calls under way here count as lost tries. Lanes wait for their agents, which stopped when they heard of the new service;
 * `deviceUp` starts those again.
 */
export function interrupted(step: Step, message: string): void {
  const { s, fx } = step
  renewTimers(step)
  for (const [index, lane] of s.lanes.entries()) {
    if (lane.started) awaitAgent(step, index)
    for (const host of lane.stopping) fx.push({ type: 'stopLane', lane: index, host })
  }
  const lost = s.instances.flatMap((instance, id) =>
    taskOf(step, id).local
      ? invocationsOf(instance).flatMap(({ state, seq, delivery }) =>
          state === 'running' ? [{ id, seq, delivery }] : [],
        )
      : [],
  )
  for (const { id, seq, delivery } of lost)
    if (s.phase === 'running')
      taskFailed(step, {
        ...{ type: 'failed', at: step.at, task: taskOf(step, id).id, device: deviceOf(step, id) },
        ...{ seq, delivery, kind: 'lost', message, detail: '' },
      })
}
