/** What a run reports while it goes on: the effects of the core as events for people. */
import { refSize, type ValueRef } from '@hivemind/values'
import type { Note, Output } from '../core/events.ts'
import { type CorePlan, SWARM } from '../core/plan.ts'
import type { RunState as CoreState } from '../core/state.ts'
import type { LogLine, RunEvent, RunState, Span, TaskState } from '../types.ts'
import type { RunOutcome, ServicePorts } from './ports.ts'

export class RunReport {
  readonly #core: CorePlan
  readonly #ports: ServicePorts
  readonly #onEvent: (event: RunEvent) => void
  readonly #changed = new Set<number>()
  readonly #losses: string[] = []

  constructor(core: CorePlan, ports: ServicePorts, onEvent: (event: RunEvent) => void) {
    this.#core = core
    this.#ports = ports
    this.#onEvent = onEvent
  }

  state(state: RunState, message?: string): void {
    this.#onEvent({ type: 'state', at: this.#ports.now(), state, ...(message !== undefined && { message }) })
  }

  /** Its counters are reported with the next `flush`. */
  taskChanged(task: number): void {
    this.#changed.add(task)
  }

  /** Reports the counters of every task that has changed. */
  flush(state: CoreState): void {
    for (const id of this.#changed) {
      const counts = state.tasks[id]
      const task = this.#core.tasks[id]
      if (!counts || !task) continue
      const { started, done, failed, missed, dropped, open } = counts
      const progress: TaskState = {
        task: task.plan.name,
        tier: task.plan.tier,
        state:
          open === 0 ? (failed > 0 && done === 0 ? 'failed' : 'done') : started > 0 ? 'running' : 'waiting',
        started,
        done,
        failed,
        ...(missed > 0 && { missed }),
        ...(dropped > 0 && { dropped }),
      }
      this.#onEvent({ type: 'task', at: this.#ports.now(), task: progress })
    }
    this.#changed.clear()
  }

  span(span: Span): void {
    this.#onEvent({ type: 'span', at: this.#ports.now(), span })
  }

  log(line: LogLine): void {
    this.#onEvent({ type: 'log', at: this.#ports.now(), line })
  }

  /** Says that what follows begins anew. */
  resumed(): void {
    this.#onEvent({ type: 'resumed', at: this.#ports.now() })
  }

  /** Counts a loss for the end of the run. Returns false when it was counted before. */
  loss(text: string): boolean {
    if (this.#losses.includes(text)) return false
    this.#losses.push(text)
    return true
  }

  note({ level, text, task, device, loss }: Note): void {
    if (loss && !this.loss(text)) return
    this.log({
      at: this.#ports.now(),
      level,
      source: task === undefined ? 'run' : (this.#core.tasks[task]?.plan.name ?? 'run'),
      ...(device !== undefined && { device: this.#core.devices[device]?.name ?? SWARM }),
      text,
    })
  }

  output({ task, device, seq, ref }: Output): void {
    const plan = this.#core.tasks[task]?.plan
    if (!plan || plan.dataOut === null) return
    const whole: ValueRef | null = ref !== null && ref.kind === 'parted' ? ref.whole : ref
    const deviceName = device < 0 ? SWARM : (this.#core.devices[device]?.name ?? SWARM)
    if (plan.persist && whole?.kind === 'inline')
      this.#ports.persist(`${plan.name}/${deviceName}/${seq}`, whole)
    this.#onEvent({
      type: 'output',
      at: this.#ports.now(),
      output: {
        task: plan.name,
        data: plan.dataOut,
        device: deviceName,
        seq,
        value: whole === null ? null : this.#ports.preview(whole),
        ...(whole !== null && { type: whole.type, bytes: refSize(whole) }),
        ...(plan.persist && { persisted: true }),
        ...(whole?.kind === 'stored' && {
          ref: { pool: whole.pool, key: whole.key, version: whole.version },
        }),
      },
    })
  }

  device(device: string, state: 'up' | 'lost' | 'respawned', message: string): void {
    this.#onEvent({ type: 'device', at: this.#ports.now(), device, state, message })
  }

  finish(state: RunOutcome['state'], message: string | undefined, startedAt: number): RunOutcome {
    const said = message ?? (this.#losses.length > 0 ? this.#losses.join(' ') : undefined)
    this.state(state, said)
    return {
      state,
      ...(said !== undefined && { message: said }),
      startedAt,
      endedAt: this.#ports.now(),
      losses: this.#losses,
    }
  }
}
