import type { RunEvent } from '@hivemind/orchestrator'
import { log } from '../common/log.ts'
import type { Numbered } from '../events/merge.ts'
import type { NumberedSpan } from './span-rows.ts'

const FLUSH_EVERY_MS = 300
/** So many waiting events are written at once. */
const FLUSH_EVENTS = 8_000

/** What a batch writes: spans have a table of their own. */
export interface Batch {
  spans: NumberedSpan[]
  events: Numbered<RunEvent>[]
}

/**
 * Keeps a run's events, in batches. Of several states of one task only the last of a batch is kept. A batch that cannot
 * be written is tried again with the next; `close` writes the rest.
 */
export class RunJournal {
  private readonly run: string
  private readonly write: (batch: Batch) => Promise<void>
  private waiting: Numbered<RunEvent>[] = []
  private timer: NodeJS.Timeout | undefined
  private writing = Promise.resolve()
  /** Why the last batch could not be written; absent once it was. */
  private failure: unknown

  constructor(run: string, write: (batch: Batch) => Promise<void>) {
    this.run = run
    this.write = write
  }

  add(id: number, event: RunEvent): void {
    this.waiting.push({ id, event })
    if (this.waiting.length >= FLUSH_EVENTS) void this.flush()
    else this.timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS)
  }

  /** Writes what waits. Resolves when it has been tried. */
  flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing = this.writing.then(async () => {
      const batch = this.waiting
      this.waiting = []
      const lastOfTask = new Map<string, RunEvent>()
      for (const { event } of batch) if (event.type === 'task') lastOfTask.set(event.task.task, event)
      const kept = batch.filter(
        ({ event }) => event.type !== 'task' || lastOfTask.get(event.task.task) === event,
      )
      if (kept.length === 0) return
      const spans = kept.flatMap(({ id, event }) => (event.type === 'span' ? [{ id, span: event.span }] : []))
      try {
        await this.write({ spans, events: kept.filter(({ event }) => event.type !== 'span') })
        this.failure = undefined
      } catch (error) {
        log.error({ run: this.run, err: error }, 'Events of a run could not be kept yet.')
        this.failure = error
        this.waiting = [...kept, ...this.waiting]
        this.timer ??= setTimeout(() => void this.flush(), FLUSH_EVERY_MS)
      }
    })
    return this.writing
  }

  /** Writes what is left and ends. Rejects when it cannot be written; then it may be closed again. */
  async close(): Promise<void> {
    await this.flush()
    clearTimeout(this.timer)
    this.timer = undefined
    if (this.failure !== undefined) throw this.failure
  }
}
