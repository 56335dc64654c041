/** The state of a run on the screen: the answer of `getRun`, updated by live events with the same fold as the service. */
import { isFinal, RunFold } from '@hivemind/orchestrator'
import type {
  ConstraintResult,
  DeviceEvent,
  LogLine,
  RunDetail,
  RunEvent,
  RunOutput,
  RunState,
  RunStatistics,
  Span,
  TaskState,
  TaskStatistics,
} from '../../api/types.ts'

export { isFinal }

export interface RunView {
  state: RunState
  message: string
  /** ms since 1970; 0 while unknown. */
  startedAt: number
  endedAt: number
  tasks: ReadonlyMap<string, TaskState>
  /** The newest outputs; the last one is number `outputCount - 1`. */
  outputs: readonly RunOutput[]
  outputCount: number
  /** For the timeline; at most `MAX_SPANS` of `spanCount`. */
  spans: readonly Span[]
  spanCount: number
  statistics: readonly TaskStatistics[]
  logs: readonly LogLine[]
  devices: readonly DeviceEvent[]
  losses: readonly string[]
  constraints: readonly ConstraintResult[]
}

/** Maximum number of spans kept for the timeline and the list of failures. */
export const MAX_SPANS = 20_000

const spanKey = (span: Span) => `${span.task}\n${span.device}\n${span.seq}\n${span.attempt}`

/** A run that is updated by live events. Events that the loaded run already contains, by their ids, are ignored. */
export class LiveRun {
  readonly #fold: RunFold
  readonly #detail: RunDetail
  #lastEvent: number
  #figures: RunStatistics
  #spans: readonly Span[] = []
  readonly #spanKeys = new Set<string>()

  constructor(run: RunDetail) {
    const { logs, devices, outputCount, statistics, spanCount } = run
    this.#detail = run
    this.#fold = RunFold.from({ ...run.result, logs, devices, outputCount })
    this.#lastEvent = run.lastEvent
    this.#figures = { statistics, spanCount }
  }

  /** Applies a live event with its id. */
  apply(id: number, event: RunEvent): void {
    if (id <= this.#lastEvent) return
    this.#lastEvent = id
    this.#fold.apply(event)
    if (event.type === 'span') this.addSpans([event.span])
  }

  /** Replaces the figures, unless they cover fewer spans than the current ones. */
  setFigures(figures: RunStatistics): void {
    if (figures.spanCount >= this.#figures.spanCount) this.#figures = figures
  }

  /** Adds spans, except duplicates and those beyond `MAX_SPANS`. */
  addSpans(spans: readonly Span[]): void {
    const fresh = spans.filter((span) => {
      const key = spanKey(span)
      return this.#spanKeys.size < MAX_SPANS && !this.#spanKeys.has(key) && this.#spanKeys.add(key)
    })
    if (fresh.length > 0) this.#spans = [...this.#spans, ...fresh]
  }

  /** All spans added so far. */
  get spans(): readonly Span[] {
    return this.#spans
  }

  view(): RunView {
    const run = this.#fold.run()
    return {
      state: run.state,
      message: run.message || this.#detail.message,
      startedAt: run.startedAt,
      endedAt: run.endedAt,
      tasks: new Map(run.tasks.map((task) => [task.task, task])),
      outputs: run.outputs,
      outputCount: run.outputCount,
      spans: this.#spans,
      spanCount: Math.max(this.#figures.spanCount, this.#spans.length),
      statistics: this.#figures.statistics,
      logs: run.logs,
      devices: run.devices,
      losses: run.losses,
      constraints: run.constraints ?? [],
    }
  }
}
