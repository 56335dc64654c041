/** A run on the screen: what `getRun` told, and every live event since, folded as the service folds them. */
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
  /** ms since 1970; 0 while it is not known. */
  startedAt: number
  endedAt: number
  tasks: ReadonlyMap<string, TaskState>
  /** The newest; the last has number `outputCount - 1`. */
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

/** Spans kept on the screen, for the timeline and the failures. */
export const MAX_SPANS = 20_000

const spanKey = (span: Span) => `${span.task}\n${span.device}\n${span.seq}\n${span.attempt}`

/** One run as it goes on. Events that the loaded run contains already, by their ids, change nothing. */
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

  /** Takes in a live event with its id. */
  take(id: number, event: RunEvent): void {
    if (id <= this.#lastEvent) return
    this.#lastEvent = id
    this.#fold.apply(event)
    if (event.type === 'span') this.addSpans([event.span])
  }

  /** Takes in newer figures; spans only ever get more. */
  setFigures(figures: RunStatistics): void {
    if (figures.spanCount >= this.#figures.spanCount) this.#figures = figures
  }

  /** Adds spans that were loaded or told; those that are there already, and those beyond the limit, are left out. */
  addSpans(spans: readonly Span[]): void {
    const fresh = spans.filter((span) => {
      const key = spanKey(span)
      return this.#spanKeys.size < MAX_SPANS && !this.#spanKeys.has(key) && this.#spanKeys.add(key)
    })
    if (fresh.length > 0) this.#spans = [...this.#spans, ...fresh]
  }

  /** The spans, to go on with after the run has been loaded anew. */
  get spans(): readonly Span[] {
    return this.#spans
  }

  view(): RunView {
    const folded = this.#fold.run()
    return {
      state: folded.state,
      message: folded.message || this.#detail.message,
      startedAt: folded.startedAt,
      endedAt: folded.endedAt,
      tasks: new Map(folded.tasks.map((task) => [task.task, task])),
      outputs: folded.outputs,
      outputCount: folded.outputCount,
      spans: this.#spans,
      spanCount: Math.max(this.#figures.spanCount, this.#spans.length),
      statistics: this.#figures.statistics,
      logs: folded.logs,
      devices: folded.devices,
      losses: folded.losses,
      constraints: folded.constraints ?? [],
    }
  }
}
