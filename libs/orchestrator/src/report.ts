/** Collects what a run tells: events as they happen, and the result at the end. */
import type { Plan } from '@hivemind/synthesis'
import { previewOfValue } from '@hivemind/values'
import type { LogLine, RunEvent, RunOutput, RunResult, RunState, Span, TaskState } from './types.ts'

export class Report {
  readonly #now: () => number
  readonly #onEvent: (event: RunEvent) => void
  readonly #tasks: Map<string, TaskState>
  readonly #outputs: RunOutput[] = []
  readonly #outputKeys = new Set<string>()
  readonly #spans: Span[] = []
  readonly #losses: string[] = []
  readonly #startedAt: number

  constructor(plan: Plan, now: () => number, onEvent: (event: RunEvent) => void) {
    this.#now = now
    this.#onEvent = onEvent
    this.#startedAt = now()
    this.#tasks = new Map(
      plan.tasks.map((task) => [
        task.name,
        { task: task.name, tier: task.tier, state: 'waiting', started: 0, done: 0, failed: 0 },
      ]),
    )
  }

  state(state: RunState, message?: string): void {
    this.#onEvent({ type: 'state', at: this.#now(), state, ...(message !== undefined && { message }) })
  }

  task(name: string, change: (state: TaskState) => void): void {
    const state = this.#tasks.get(name)
    if (!state) return
    change(state)
    this.#onEvent({ type: 'task', at: this.#now(), task: { ...state } })
  }

  span(span: Span): void {
    this.#spans.push(span)
    this.#onEvent({ type: 'span', at: this.#now(), span })
  }

  log(line: LogLine): void {
    this.#onEvent({ type: 'log', at: this.#now(), line })
  }

  note(level: LogLine['level'], text: string, device?: string): void {
    this.log({ at: this.#now(), level, source: 'run', ...(device !== undefined && { device }), text })
  }

  /** A result of the run; a repetition of the same item is dropped. */
  output(task: string, data: string, device: string, seq: number, value: unknown): void {
    const key = `${task} ${device} ${seq}`
    if (this.#outputKeys.has(key)) return
    this.#outputKeys.add(key)
    const output: RunOutput = { task, data, device, seq, value: previewOfValue(value) }
    this.#outputs.push(output)
    this.#onEvent({ type: 'output', at: this.#now(), output })
  }

  device(device: string, state: 'up' | 'lost' | 'respawned', message: string): void {
    this.#onEvent({ type: 'device', at: this.#now(), device, state, message })
  }

  /** States a loss once, in the result and as a warning. */
  loss(sentence: string): void {
    if (this.#losses.includes(sentence)) return
    this.#losses.push(sentence)
    this.note('warn', sentence)
  }

  finish(state: 'succeeded' | 'failed' | 'cancelled', message: string | undefined): RunResult {
    const said = message ?? (this.#losses.length > 0 ? this.#losses.join(' ') : undefined)
    this.state(state, said)
    return {
      state,
      ...(said !== undefined && { message: said }),
      startedAt: this.#startedAt,
      endedAt: this.#now(),
      outputs: this.#outputs,
      spans: this.#spans,
      tasks: [...this.#tasks.values()],
      losses: this.#losses,
    }
  }
}
