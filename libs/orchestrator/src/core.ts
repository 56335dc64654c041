/** What the schedulers of the two tiers share with the engine. */
import type { PlanTask } from '@hivemind/synthesis'
import type { Invocation, Lane } from './lane.ts'
import type { RunEngineOptions, RunPorts, WorkFailure } from './ports.ts'
import type { Report } from './report.ts'
import type { Topology } from './topology.ts'

export interface Core {
  readonly topology: Topology
  readonly ports: RunPorts
  readonly options: RunEngineOptions
  readonly report: Report
  /** Aborts when the run fails or is cancelled. */
  readonly signal: AbortSignal
  readonly over: boolean
  nextEpoch(): number
  /** Whether a task runs for a device; not where a pin keeps it to another one. */
  hasLane(task: string, device: string): boolean
  lane(task: string, device: string): Lane
  lanesOf(task: PlanTask): Lane[]
  /** An item of a task has reached the engine. */
  emit(lane: Lane, seq: number, value: unknown): void
  started(invocation: Invocation): void
  /** An invocation has ended well, or was given up, with this many items. */
  completed(invocation: Invocation, items: number): void
  /** States the failure and either gives the invocation up or fails the run. `retry` is the caller's to do before. */
  abandon(invocation: Invocation, failure: WorkFailure, giveUp: boolean): void
  failRun(message: string): void
  /** Something changed: settle lanes and dispatch what is ready, before control returns to the event loop. */
  step(): void
}

/**
 * Whether the invocation must wait for another one of a task it may not overlap with (`Serial`), for the same item.
 * Tasks that the graph orders anyway never meet; two tasks on one device are kept apart by its agent.
 */
export function mustWait(core: Core, invocation: Invocation): boolean {
  const { task } = invocation.lane
  const { device, seq } = invocation.key
  for (const name of task.serialWith) {
    if (core.topology.ordered(name, task.name)) continue
    const other = core.topology.task(name)
    const together =
      task.tier === 'edge' && core.topology.component(name) === core.topology.component(task.name)
    if (together) continue
    for (const lane of core.lanesOf(other)) {
      if (lane.device !== device && lane.device !== '*' && device !== '*') continue
      const rival = lane.invocations.get(seq)
      if (rival?.state === 'running') return true
      if (core.topology.internal(name) && rival?.state !== 'done' && !lane.ended) return true
    }
  }
  return false
}
