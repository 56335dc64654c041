/** The state of a run on the screen: what `getRun` told, and every live event since folded in. Pure. */
import type { LogLine, RunDetail, RunEvent, RunOutput, RunState, Span, TaskState } from '../../api/types.ts'

export interface DeviceEvent {
  at: number
  device: string
  state: 'up' | 'lost' | 'respawned'
  message: string
}

export interface RunView {
  state: RunState
  message: string
  /** ms since 1970; 0 while it is not known. */
  startedAt: number
  endedAt: number
  tasks: ReadonlyMap<string, TaskState>
  outputs: readonly RunOutput[]
  spans: readonly Span[]
  logs: readonly LogLine[]
  devices: readonly DeviceEvent[]
  losses: readonly string[]
}

/** Most log lines kept on the screen; the oldest go first. */
export const MAX_LOGS = 5000
/** Most spans kept on the screen. */
export const MAX_SPANS = 50_000
/** Most outputs kept on the screen. */
export const MAX_OUTPUTS = 5000

export const isFinal = (state: RunState): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled'

const rank: Record<RunState, number> = {
  queued: 0,
  starting: 1,
  running: 2,
  succeeded: 3,
  failed: 3,
  cancelled: 3,
}

const spanKey = (span: Span) => `${span.task}\n${span.device}\n${span.seq}\n${span.attempt}`
const outputKey = (output: RunOutput) => `${output.task}\n${output.data}\n${output.device}\n${output.seq}`
const logKey = (line: LogLine) => `${line.at}\n${line.source}\n${line.device ?? ''}\n${line.text}`

/** What a run loaded at this moment looks like. */
export function viewOf(run: RunDetail): RunView {
  return {
    state: run.state,
    message: run.message || run.result.message || '',
    startedAt: run.result.startedAt,
    endedAt: run.result.endedAt,
    tasks: new Map(run.result.tasks.map((task) => [task.task, task])),
    outputs: run.result.outputs,
    spans: run.result.spans,
    logs: run.logs,
    devices: [],
    losses: run.result.losses,
  }
}

function appended<T>(old: readonly T[], fresh: readonly T[], key: (item: T) => string, most: number) {
  if (fresh.length === 0) return old
  const keys = new Set(old.map(key))
  const added = fresh.filter((item) => {
    const own = key(item)
    return !keys.has(own) && keys.add(own)
  })
  if (added.length === 0) return old
  const all = [...old, ...added]
  return all.length > most ? all.slice(all.length - most) : all
}

const progress = (task: TaskState) => task.started + task.done + task.failed

/**
 * Folds a batch of events in. The order and repetition of events do not matter for what is counted: events that the
 * loaded run already contained change nothing, and an older state never replaces a newer one.
 */
export function fold(view: RunView, events: readonly RunEvent[]): RunView {
  let { state, message, startedAt, endedAt } = view
  const tasks = new Map(view.tasks)
  const spans: Span[] = []
  const logs: LogLine[] = []
  const outputs: RunOutput[] = []
  const devices: DeviceEvent[] = []
  for (const event of events) {
    switch (event.type) {
      case 'state':
        if (rank[event.state] < rank[state] || isFinal(state)) break
        state = event.state
        if (event.message !== undefined) message = event.message
        if (state === 'running' && startedAt === 0) startedAt = event.at
        if (isFinal(state)) endedAt = event.at
        break
      case 'task': {
        const old = tasks.get(event.task.task)
        if (!old || progress(event.task) >= progress(old)) tasks.set(event.task.task, event.task)
        break
      }
      case 'span':
        spans.push(event.span)
        break
      case 'log':
        logs.push(event.line)
        break
      case 'output':
        outputs.push(event.output)
        break
      case 'device':
        devices.push({ at: event.at, device: event.device, state: event.state, message: event.message })
        break
    }
  }
  return {
    ...view,
    state,
    message,
    startedAt,
    endedAt,
    tasks,
    spans: appended(view.spans, spans, spanKey, MAX_SPANS),
    logs: appended(view.logs, logs, logKey, MAX_LOGS),
    outputs: appended(view.outputs, outputs, outputKey, MAX_OUTPUTS),
    devices: appended(view.devices, devices, (event) => `${event.at}\n${event.device}\n${event.state}`, 1000),
  }
}

/** A freshly loaded run beside what is on the screen: device events are only told live and must survive. */
export const merged = (loaded: RunView, shown: RunView | undefined): RunView =>
  shown ? { ...loaded, devices: shown.devices } : loaded
