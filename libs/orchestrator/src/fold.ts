/** The state of a run as a fold over its events: the same in the service, the browser and the command. */
import { RunLog } from './run-log.ts'
import type { DeviceEvent, LogLine, RunEvent, RunOutput, RunState, RunSummary, TaskState } from './types.ts'

/** Outputs kept in memory; the newest ones. */
export const MAX_OUTPUTS = 5_000
/** Device events kept; the newest ones. */
const MAX_DEVICE_EVENTS = 1_000

/** Whether a run in this state has ended. */
export const isFinal = (state: RunState): boolean =>
  state === 'succeeded' || state === 'failed' || state === 'cancelled'

/** A run as far as it has been told, except its spans. */
export interface FoldedRun extends RunSummary {
  logs: LogLine[]
  devices: DeviceEvent[]
  /** Outputs there were; `outputs` holds the newest of them. */
  outputCount: number
}

/**
 * Takes the events of one run, each once and in order, and gives its state. Spans are left to the caller (`SpanStatistics`
 * for figures, the service's pages for the spans themselves): memory does not grow with them.
 */
export class RunFold {
  #state: RunState = 'queued'
  #message: string | undefined
  #startedAt = 0
  #endedAt = 0
  #outputs: RunOutput[] = []
  #outputCount = 0
  readonly #tasks = new Map<string, TaskState>()
  /** Devices that are lost at present, each with the sentence of its loss. */
  readonly #lost = new Map<string, string>()
  #devices: DeviceEvent[] = []
  #logs = new RunLog()
  /** What the run itself said at its end; it replaces what was concluded from events. */
  #ended: Pick<RunSummary, 'losses' | 'constraints'> | undefined

  /** A fold that goes on from what another gave. */
  static from(run: FoldedRun): RunFold {
    const fold = new RunFold()
    fold.#state = run.state
    fold.#message = run.message
    fold.#startedAt = run.startedAt
    fold.#endedAt = run.endedAt
    fold.#outputs = [...run.outputs]
    fold.#outputCount = run.outputCount
    for (const task of run.tasks) fold.#tasks.set(task.task, task)
    fold.#logs = RunLog.from(run.logs)
    for (const device of run.devices) fold.#device(device)
    if (isFinal(run.state)) fold.end(run)
    return fold
  }

  /** Takes an event in. Returns what of it is to be kept and passed on: nothing once the log is full. */
  apply(event: RunEvent): RunEvent | null {
    if (this.#startedAt === 0) this.#startedAt = event.at
    if (!isFinal(this.#state)) this.#endedAt = Math.max(this.#endedAt, event.at)
    switch (event.type) {
      case 'state':
        if (isFinal(this.#state)) return event
        this.#state = event.state
        if (event.message !== undefined) this.#message = event.message
        return event
      case 'task':
        this.#tasks.set(event.task.task, event.task)
        return event
      case 'output':
        this.#outputCount++
        this.#outputs.push(event.output)
        if (this.#outputs.length > 2 * MAX_OUTPUTS) this.#outputs = this.#outputs.slice(-MAX_OUTPUTS)
        return event
      case 'device':
        this.#device({ at: event.at, device: event.device, state: event.state, message: event.message })
        return event
      case 'log':
        return this.#log(event)
      case 'resumed':
        this.#outputs = []
        this.#outputCount = 0
        return event
      case 'span':
        return event
    }
  }

  /** Takes in how the run ended, by the word of whoever ran it. */
  end(
    result: Pick<RunSummary, 'state' | 'message' | 'startedAt' | 'endedAt' | 'losses' | 'constraints'>,
  ): void {
    this.#state = result.state
    this.#message = result.message
    if (result.startedAt > 0) this.#startedAt = result.startedAt
    if (result.endedAt > 0) this.#endedAt = result.endedAt
    this.#ended = {
      losses: [...result.losses],
      ...(result.constraints ? { constraints: result.constraints } : {}),
    }
  }

  /** What is known so far; complete when the run has ended. */
  run(): FoldedRun {
    return {
      state: this.#state,
      ...(this.#message === undefined ? {} : { message: this.#message }),
      startedAt: this.#startedAt,
      endedAt: this.#endedAt,
      outputs: this.#outputs.slice(-MAX_OUTPUTS),
      tasks: [...this.#tasks.values()],
      losses: [...this.#lost.values()],
      ...this.#ended,
      logs: this.#logs.lines,
      devices: [...this.#devices],
      outputCount: this.#outputCount,
    }
  }

  /** A device that was lost and came back is no loss. */
  #device(event: DeviceEvent): void {
    if (event.state === 'lost') this.#lost.set(event.device, event.message)
    else this.#lost.delete(event.device)
    this.#devices.push(event)
    if (this.#devices.length > 2 * MAX_DEVICE_EVENTS) this.#devices = this.#devices.slice(-MAX_DEVICE_EVENTS)
  }

  #log(event: Extract<RunEvent, { type: 'log' }>): RunEvent | null {
    const kept = this.#logs.add(event.line)
    return kept && { ...event, line: kept }
  }
}
