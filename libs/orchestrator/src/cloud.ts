/** Dispatch of cloud invocations: by priority, within the slots, `Serial` respected, failures by policy. */
import type { Core } from './core.ts'
import { mustWait } from './core.ts'
import { describeKey, type Invocation, itemNumber } from './lane.ts'
import { afterFailure } from './policy.ts'
import { type Timing, WorkFailure } from './ports.ts'

export class CloudScheduler {
  readonly #core: Core
  /** Ready invocations, highest priority first, then first come. */
  readonly #queue: Invocation[] = []
  readonly #running = new Set<Promise<void>>()

  constructor(core: Core) {
    this.#core = core
  }

  get busy(): number {
    return this.#running.size
  }

  add(invocation: Invocation): void {
    const { priority } = invocation.lane.task
    let at = this.#queue.length
    while (at > 0 && (this.#queue[at - 1]?.lane.task.priority ?? 0) < priority) at -= 1
    this.#queue.splice(at, 0, invocation)
  }

  /** Starts what may start. */
  pump(): void {
    const slots = this.#core.options.cloudSlots ?? Number.POSITIVE_INFINITY
    for (let index = 0; index < this.#queue.length && this.#running.size < slots; ) {
      const invocation = this.#queue[index]
      if (!invocation || mustWait(this.#core, invocation)) {
        index += 1
        continue
      }
      this.#queue.splice(index, 1)
      this.#start(invocation)
    }
  }

  /** Resolves when no call is under way any more. */
  async drained(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #start(invocation: Invocation): void {
    invocation.state = 'running'
    this.#core.started(invocation)
    const call = this.#run(invocation).finally(() => {
      this.#running.delete(call)
      this.#core.step()
    })
    this.#running.add(call)
  }

  async #run(invocation: Invocation): Promise<void> {
    const core = this.#core
    const dispatchedAt = core.ports.now()
    const { lane, key } = invocation
    let emitted = 0
    invocation.epoch = core.nextEpoch()
    const work = {
      run: core.options.run,
      key,
      inputs: invocation.inputs ?? {},
      shape: lane.gate ? lane.gate.shape : ('object' as const),
      attempt: invocation.attempt,
      epoch: invocation.epoch,
      readyAt: invocation.readyAt,
    }
    const emit = (index: number, value: unknown) => {
      if (core.over) return
      emitted = Math.max(emitted, index + 1)
      core.emit(lane, itemNumber(key.seq, index), value)
      core.step()
    }
    try {
      const timing = await core.ports.runCloud(work, emit, core.signal)
      if (core.over) return
      this.#span(invocation, dispatchedAt, timing)
      core.completed(invocation, timing.items)
    } catch (error) {
      if (core.over) return
      const failure =
        error instanceof WorkFailure
          ? error
          : new WorkFailure('crash', error instanceof Error ? error.message : String(error))
      this.#span(invocation, dispatchedAt, failure.timing, failure)
      this.#failed(invocation, failure, emitted)
    }
  }

  #failed(invocation: Invocation, failure: WorkFailure, emitted: number): void {
    const core = this.#core
    const next = afterFailure(invocation.lane.task, failure.kind, invocation.attempt)
    if (next === 'retry') {
      core.report.note(
        'warn',
        `${describeKey(invocation.key)} failed (${failure.message}); try ${invocation.attempt + 1} follows.`,
      )
      invocation.attempt += 1
      invocation.state = 'ready'
      this.add(invocation)
      return
    }
    invocation.items = emitted
    core.abandon(invocation, failure, next === 'giveUp')
  }

  #span(
    invocation: Invocation,
    dispatchedAt: number,
    timing: Timing | undefined,
    failure?: WorkFailure,
  ): void {
    const now = this.#core.ports.now()
    const breakdown = timing?.breakdown ?? { network: 0, management: 0, dataExchange: 0, execution: 0 }
    this.#core.report.span({
      ...invocation.key,
      tier: invocation.lane.task.tier,
      worker: timing?.worker ?? 'cloud',
      queuedAt: invocation.readyAt,
      startedAt: timing?.startedAt ?? dispatchedAt,
      endedAt: timing?.endedAt ?? now,
      breakdown: { ...breakdown, management: breakdown.management + dispatchedAt - invocation.readyAt },
      bytesIn: timing?.bytesIn ?? 0,
      bytesOut: timing?.bytesOut ?? 0,
      items: timing?.items ?? 0,
      status: failure ? 'failed' : 'ok',
      ...(failure && { error: failure.message }),
      attempt: invocation.attempt,
    })
  }
}
