/** A run as it was at any time on the way, by the fold that follows a run while it goes on. */
import { type FoldedRun, isFinal, RunFold } from './fold.ts'
import type { RunEvent, Span, TaskState } from './types.ts'

/** What a replay is made from. Of a run under way, what is known of it so far. */
export type Recorded = FoldedRun & { spans: readonly Span[] }

/**
 * Replays a run. The starts and ends of invocations come from its spans; outputs, which have no time of their own, are given when
 * their invocation ended, in the order of their arrival. The same record and time give the same state, whatever was asked before.
 */
export class RunReplay {
  readonly #recorded: Recorded
  readonly #events: readonly RunEvent[]
  #fold = new RunFold()
  #applied = 0

  constructor(recorded: Recorded) {
    this.#recorded = recorded
    this.#events = eventsOf(recorded)
  }

  /** Start and end of what can be replayed, in ms since 1970; `to` is never before `from`. */
  get range(): { from: number; to: number } {
    const from = this.#recorded.startedAt || (this.#events[0]?.at ?? 0)
    return { from, to: Math.max(from, this.#recorded.endedAt, this.#events.at(-1)?.at ?? from) }
  }

  /** The time of the next change after `at`, or the last one before it; the end of the range where there is none. */
  step(at: number, forward: boolean): number {
    const next = forward
      ? this.#events.find((event) => event.at > at)
      : this.#events.findLast((event) => event.at < at)
    return next?.at ?? (forward ? this.range.to : this.range.from)
  }

  /** The run as it was at a time, in ms since 1970. At its end it is the run as recorded. */
  at(time: number): FoldedRun {
    const { spans: _, ...recorded } = this.#recorded
    if (isFinal(recorded.state) && time >= this.range.to) return recorded
    const next = this.#events[this.#applied - 1]
    if (next && next.at > time) {
      this.#fold = new RunFold()
      this.#applied = 0
    }
    for (
      let event = this.#events[this.#applied];
      event && event.at <= time;
      event = this.#events[this.#applied]
    ) {
      this.#fold.apply(event)
      this.#applied++
    }
    const run = this.#fold.run()
    // Older outputs than are kept came before.
    const before = recorded.outputCount - recorded.outputs.length
    return { ...run, state: 'running', startedAt: this.range.from, outputCount: run.outputCount + before }
  }
}

const keyOf = ({ task, device, seq }: Pick<Span, 'task' | 'device' | 'seq'>): string =>
  `${task} ${device} ${seq}`

/** Events of a record in the order of time, those of one time in the order: starts, outputs, ends, log lines. */
function eventsOf({ spans, tasks, outputs, logs, devices, startedAt }: Recorded): RunEvent[] {
  const invocations = Map.groupBy(spans, keyOf)
  return [
    ...tasks.map(
      ({ task, tier }): RunEvent => ({
        type: 'task',
        at: startedAt,
        task: { task, tier, state: 'waiting', started: 0, done: 0, failed: 0 },
      }),
    ),
    ...taskEvents([...invocations.values()], new Map(tasks.map((task) => [task.task, task]))),
    ...outputEvents(outputs, invocations),
    ...devices.map((event): RunEvent => ({ type: 'device', ...event })),
    ...logs.map((line): RunEvent => ({ type: 'log', at: line.at, line })),
  ].sort((a, b) => a.at - b.at)
}

/** The progress of each task, at every start and end of its invocations. */
function taskEvents(invocations: readonly Span[][], final: ReadonlyMap<string, TaskState>): RunEvent[] {
  const changes = invocations.flatMap((tries) => {
    const first = tries.reduce((a, b) => (b.startedAt < a.startedAt ? b : a))
    const last = tries.reduce((a, b) => (b.attempt > a.attempt ? b : a))
    return [
      { at: first.startedAt, change: 'started' as const, span: first },
      {
        at: last.endedAt,
        change: last.status === 'ok' ? ('done' as const) : ('failed' as const),
        span: last,
      },
    ]
  })
  changes.sort((a, b) => a.at - b.at)
  const left = new Map<string, number>()
  for (const { span } of changes) left.set(span.task, (left.get(span.task) ?? 0) + 1)
  const states = new Map<string, TaskState>()
  return changes.map(({ at, change, span: { task, tier, missedDeadline } }): RunEvent => {
    const old = states.get(task) ?? { task, tier, state: 'running', started: 0, done: 0, failed: 0 }
    const more = (left.get(task) ?? 1) - 1
    left.set(task, more)
    const end = final.get(task)
    const missed = (old.missed ?? 0) + (change !== 'started' && missedDeadline ? 1 : 0)
    const next: TaskState = {
      ...old,
      tier,
      [change]: old[change] + 1,
      state: more === 0 && end ? end.state : 'running',
      ...(missed > 0 && { missed }),
    }
    states.set(task, next)
    return { type: 'task', at, task: next }
  })
}

function outputEvents(outputs: Recorded['outputs'], invocations: ReadonlyMap<string, Span[]>): RunEvent[] {
  let last = 0
  return outputs.map((output): RunEvent => {
    const own = invocations.get(keyOf(output)) ?? invocations.get(keyOf({ ...output, seq: 0 }))
    // In the order of arrival: no output is before the one that came before it.
    last = Math.max(last, own?.at(-1)?.endedAt ?? 0)
    return { type: 'output', at: last, output }
  })
}
