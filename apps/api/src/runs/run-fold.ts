/** The state of a run as a fold over its events. Pure. */
import type { LogLine, RunEvent, RunResult, TaskState } from '@hivemind/orchestrator'

export const MOST_LOG_LINES = 5_000

export class RunFold {
  private state: RunResult['state'] = 'queued'
  private message: string | undefined
  private startedAt = 0
  private endedAt = 0
  private readonly outputs: RunResult['outputs'] = []
  private readonly spans: RunResult['spans'] = []
  private readonly tasks = new Map<string, TaskState>()
  private readonly losses: string[] = []
  private readonly lines: LogLine[] = []

  /** Takes an event in. Returns what is to be kept and told of it: nothing once the log is full. */
  apply(event: RunEvent): RunEvent | null {
    if (this.startedAt === 0) this.startedAt = event.at
    this.endedAt = Math.max(this.endedAt, event.at)
    switch (event.type) {
      case 'state':
        this.state = event.state
        if (event.message !== undefined) this.message = event.message
        return event
      case 'task':
        this.tasks.set(event.task.task, event.task)
        return event
      case 'span':
        this.spans.push(event.span)
        return event
      case 'output':
        this.outputs.push(event.output)
        return event
      case 'device':
        if (event.state === 'lost') this.losses.push(event.message)
        return event
      case 'log':
        return this.log(event)
    }
  }

  private log(event: Extract<RunEvent, { type: 'log' }>): RunEvent | null {
    if (this.lines.length > MOST_LOG_LINES) return null
    const kept: RunEvent =
      this.lines.length < MOST_LOG_LINES
        ? event
        : {
            type: 'log',
            at: event.at,
            line: {
              at: event.line.at,
              level: 'warn',
              source: 'run',
              text: `A run keeps its first ${MOST_LOG_LINES.toLocaleString('en')} lines; what follows is left out.`,
            },
          }
    this.lines.push(kept.line)
    return kept
  }

  /** What is known so far; complete when the run has ended. */
  result(): RunResult {
    return {
      state: this.state,
      ...(this.message === undefined ? {} : { message: this.message }),
      startedAt: this.startedAt,
      endedAt: this.endedAt,
      outputs: [...this.outputs],
      spans: [...this.spans],
      tasks: [...this.tasks.values()],
      losses: [...this.losses],
    }
  }

  logs(): LogLine[] {
    return [...this.lines]
  }
}
