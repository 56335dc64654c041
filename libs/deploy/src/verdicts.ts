/** How a run did on the workflow's constraints: measured while it goes on, judged at its end, in bounded memory for each item. */
import type { Down, Up } from '@hivemind/agent-protocol'
import type { ConstraintResult, RunEvent, RunOutcome, Span } from '@hivemind/orchestrator'
import { type RunFigures, verdictOf } from '@hivemind/swarm'
import type { Plan, PlanTask } from '@hivemind/synthesis'
import type { Constraint } from '@hivemind/workflow'
import { machineFleet } from './machine.ts'
import type { DeviceSpec } from './types.ts'
import { RunUsage } from './usage.ts'

/** First and last instant of one item, ms since 1970. */
interface ItemTime {
  from: number
  to: number
}

const NO_ITEMS = { unknown: 'no item was finished before a barrier.' }

/** Measures a run by its constraints. docs/dsl.md, "Verdicts", says what each one compares. */
export class ConstraintMeter {
  readonly #plan: Plan
  readonly #constraints: readonly Constraint[]
  readonly #usage: RunUsage
  readonly #itemTasks: ReadonlySet<string>
  readonly #items = new Map<string, ItemTime>()

  constructor(plan: Plan, constraints: readonly Constraint[], devices: readonly DeviceSpec[]) {
    this.#plan = plan
    this.#constraints = constraints
    this.#usage = new RunUsage(devices, machineFleet(Math.max(1, devices.length)).cloud)
    const perItem = constraints.some(({ key }) => key === 'latency' || key === 'throughput')
    this.#itemTasks = new Set(
      perItem ? plan.tasks.filter((task) => this.#isPerItem(task)).map(({ name }) => name) : [],
    )
  }

  take(event: RunEvent): void {
    this.#usage.take(event)
    if (event.type === 'span' && event.span.status === 'ok' && this.#itemTasks.has(event.span.task))
      this.#widen(event.span)
  }

  /** The run goes on after its service was restarted: what devices sent and received before is not known. */
  interrupted(): void {
    this.#usage.interrupted()
  }

  /** A device has sent a message. */
  sent(device: string, message: Up): void {
    this.#usage.sent(device, message)
  }

  /** A message was sent to a device. */
  received(device: string, message: Down): void {
    this.#usage.received(device, message)
  }

  /** One verdict for each constraint; none when the run did not succeed. */
  verdicts({
    state,
    startedAt,
    endedAt,
  }: Pick<RunOutcome, 'state' | 'startedAt' | 'endedAt'>): ConstraintResult[] {
    if (state !== 'succeeded') return []
    const execTimeMs = endedAt - startedAt
    const figures: RunFigures = {
      execTimeMs,
      ...this.#itemFigures(execTimeMs),
      ...this.#usage.figures({ startedAt, endedAt }),
    }
    return this.#constraints.map((constraint) => verdictOf(constraint, figures))
  }

  /** Tasks that are called for each item; in a workflow without streams, all that run for each device. */
  #isPerItem(task: PlanTask): boolean {
    if (task.scope === 'swarm') return false
    return task.kindIn === 'stream' || this.#plan.tasks.every(({ kindOut }) => kindOut === 'object')
  }

  #itemFigures(execTimeMs: number): Pick<RunFigures, 'latencyMs' | 'throughput'> {
    const count = this.#items.size
    if (count === 0) return { latencyMs: NO_ITEMS, throughput: NO_ITEMS }
    const sorted = Float64Array.from(this.#items.values(), ({ from, to }) => to - from).sort()
    return {
      latencyMs: sorted[Math.ceil(count * 0.99) - 1] as number,
      throughput: execTimeMs > 0 ? count / (execTimeMs / 1000) : NO_ITEMS,
    }
  }

  #widen({ device, seq, queuedAt, endedAt }: Span): void {
    const key = `${device} ${seq}`
    const item = this.#items.get(key)
    if (!item) {
      this.#items.set(key, { from: queuedAt, to: endedAt })
      return
    }
    item.from = Math.min(item.from, queuedAt)
    item.to = Math.max(item.to, endedAt)
  }
}
