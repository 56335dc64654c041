/**
 * Latencies of a real run, by the definitions of the simulation (docs/placement.md, "Figures"), so that both can be
 * held against each other.
 */
import { emitsStream } from '@hivemind/swarm'
import { roleOf, swarmWideTasks, type Task, type Workflow } from '@hivemind/workflow'
import type { InvocationKey, RunResult, Span } from './types.ts'

/** When an item left its device, ms since 1970; `key` is the invocation that emitted it, `seq` the item's number. */
type Sent = Readonly<{ key: InvocationKey; sentAt: number }>

/** All in ms. */
export interface Timings {
  /** Of each task, one for each invocation: from the production of its last input to its end. */
  tasks: Record<string, number[]>
  /** Of each item of sensor data: from its capture to the end of the last task that works on it before a barrier. */
  endToEnd: number[]
  runMs: number
}

const keyOf = (task: string, device: string, seq: number): string => `${task} ${device} ${seq}`

/** The latencies of a run that succeeded; `items` are those that a shaped link has told of. */
export function timingsOf(workflow: Workflow, result: RunResult, items: readonly Sent[] = []): Timings {
  return new Observed(workflow, result, items).timings()
}

class Observed {
  readonly #workflow: Workflow
  readonly #result: RunResult
  readonly #tasks: Map<string, Task>
  readonly #wide: ReadonlySet<string>
  readonly #spans: Span[]
  readonly #spanOf: Map<string, Span>
  readonly #sentAt: Map<string, number>

  constructor(workflow: Workflow, result: RunResult, items: readonly Sent[]) {
    this.#workflow = workflow
    this.#result = result
    this.#tasks = new Map(workflow.tasks.map((task) => [task.name, task]))
    this.#wide = swarmWideTasks(workflow)
    this.#spans = result.spans.filter(({ status }) => status === 'ok')
    this.#spanOf = new Map(this.#spans.map((span) => [keyOf(span.task, span.device, span.seq), span]))
    this.#sentAt = new Map(items.map(({ key, sentAt }) => [keyOf(key.task, key.device, key.seq), sentAt]))
  }

  timings(): Timings {
    const tasks: Record<string, number[]> = {}
    for (const span of this.#spans) {
      tasks[span.task] ??= []
      tasks[span.task]?.push(Math.max(0, endOf(span) - this.#lastInputAt(span)))
    }
    const { startedAt, endedAt } = this.#result
    return { tasks, endToEnd: this.#endToEnd(), runMs: endedAt - startedAt }
  }

  /** When the last input of an invocation was produced. A task without parents starts when it may. */
  #lastInputAt(span: Span): number {
    const parents = this.#tasks.get(span.task)?.parents ?? []
    if (parents.length === 0) return span.queuedAt
    const at = parents.flatMap((parent) =>
      this.#wide.has(span.task) && !this.#wide.has(parent)
        ? this.#spans.filter(({ task }) => task === parent).map((each) => this.#lastOf(each))
        : [this.#producedAt(parent, span.device, span.seq)],
    )
    const known = at.filter((time) => time !== undefined)
    return known.length > 0 ? Math.min(endOf(span), Math.max(...known)) : span.queuedAt
  }

  /** When an invocation produced the last of its items. */
  #lastOf(span: Span): number {
    return this.#producedAt(span.task, span.device, span.seq + Math.max(0, span.items - 1)) ?? endOf(span)
  }

  /** When a task produced an item; an object is item 0 and goes with every item. */
  #producedAt(name: string, device: string, seq: number): number | undefined {
    const task = this.#tasks.get(name)
    if (!task) return undefined
    if (emitsStream(this.#workflow, task)) return this.#capturedAt(task, device, seq)
    const lane = this.#wide.has(name) ? '*' : device
    const span = this.#spanOf.get(keyOf(name, lane, seq)) ?? this.#spanOf.get(keyOf(name, lane, 0))
    if (!span) return undefined
    // An item is handed on before whoever called the code has its answer.
    return Math.min(endOf(span), ...this.#readers(task, device, seq).map((each) => each.queuedAt))
  }

  /**
   * When a sensor emitted an item: as the task saw it that reads it on the same device; else when it left the device;
   * else, on the bare loopback, when it was in the cloud.
   */
  #capturedAt(task: Task, device: string, seq: number): number | undefined {
    const readers = this.#readers(task, device, seq)
    const first = readers.find(
      ({ task: name, tier }) => tier === 'edge' && this.#tasks.get(name)?.parents.length === 1,
    )
    if (first) return first.queuedAt
    const sentAt = this.#sentAt.get(keyOf(task.name, device, seq))
    if (sentAt !== undefined) return sentAt
    return readers.length > 0 ? Math.min(...readers.map(({ queuedAt }) => queuedAt)) : undefined
  }

  /** The invocations that read one item of a task on its device, or for it. */
  #readers(task: Task, device: string, seq: number): Span[] {
    return task.children.flatMap((child) => this.#spanOf.get(keyOf(child, device, seq)) ?? [])
  }

  #endToEnd(): number[] {
    const sensors = this.#workflow.tasks.filter((task) => roleOf(task) === 'sensor')
    const origins =
      sensors.length > 0 ? sensors : this.#workflow.tasks.filter(({ parents }) => parents.length === 0)
    return origins.flatMap((origin) => {
      const below = this.#below(origin)
      const ends = new Map<string, { device: string; seq: number; end: number }>()
      for (const span of this.#spans) {
        const own = sensors.length === 0 && span.task === origin.name
        if (!own && !below.has(span.task)) continue
        const lane = keyOf('', span.device, span.seq)
        const end = Math.max(endOf(span), ends.get(lane)?.end ?? 0)
        ends.set(lane, { device: span.device, seq: span.seq, end })
      }
      return [...ends.values()].flatMap(({ device, seq, end }) => {
        const from =
          sensors.length > 0
            ? this.#producedAt(origin.name, device, seq)
            : this.#spanOf.get(keyOf(origin.name, device, seq))?.queuedAt
        return from === undefined ? [] : [Math.max(0, end - from)]
      })
    })
  }

  /** Tasks below one that run for each item. */
  #below(origin: Task): ReadonlySet<string> {
    const found = new Set<string>()
    const visit = (task: Task): void => {
      for (const child of task.children) {
        const next = this.#tasks.get(child)
        if (!next || found.has(child) || this.#wide.has(child)) continue
        found.add(child)
        visit(next)
      }
    }
    visit(origin)
    return found
  }
}

/**
 * When a task was done: when its code has answered the agent or the service that called it. What comes after on a device is the way
 * of its output.
 */
function endOf({ tier, items, startedAt, endedAt, breakdown }: Span): number {
  return tier === 'edge' && items <= 1 ? startedAt + breakdown.dataExchange + breakdown.execution : endedAt
}
