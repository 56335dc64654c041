import type { RunEvent } from '@hivemind/orchestrator'
import { log } from '../common/log.ts'
import type { Numbered } from '../events/merge.ts'
import type { NumberedSpan } from './span-rows.ts'

const FLUSH_EVERY_MS = 300
/** So many waiting events are written at once, and no more of them in one batch. */
const FLUSH_EVENTS = 2_000
/** While more events wait, whoever brings them is to wait too. */
const MAX_WAITING_EVENTS = 2 * FLUSH_EVENTS

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
  /** The last state of each task, until it is written. */
  private readonly tasks = new Map<string, Numbered<RunEvent>>()
  private timer: NodeJS.Timeout | undefined
  /** Why the last batch could not be written, and the next is tried only after a pause; absent once it was. */
  private failure: unknown
  private writing: Promise<void> | undefined
  private room: { promise: Promise<void>; resolve: () => void } | undefined

  constructor(run: string, write: (batch: Batch) => Promise<void>) {
    this.run = run
    this.write = write
  }

  add(id: number, event: RunEvent): void {
    if (event.type === 'task') this.tasks.set(event.task.task, { id, event })
    else this.waiting.push({ id, event })
    if (this.waiting.length >= FLUSH_EVENTS && this.failure === undefined) void this.start()
    else this.timer ??= setTimeout(() => void this.start(), FLUSH_EVERY_MS)
  }

  /** Resolves when there is room for more events; `undefined` while there is. */
  whenRoom(): Promise<void> | undefined {
    if (this.waiting.length <= MAX_WAITING_EVENTS) return undefined
    this.room ??= Promise.withResolvers<void>()
    return this.room.promise
  }

  /** Writes what waits. Resolves when it has been tried. */
  async flush(): Promise<void> {
    // What a batch under way has taken, and then what has come since.
    await this.writing
    await this.start()
  }

  /** Writes what is left and ends. Rejects when it cannot be written; then it may be closed again. */
  async close(): Promise<void> {
    await this.flush()
    clearTimeout(this.timer)
    this.timer = undefined
    this.makeRoom()
    if (this.failure !== undefined) throw this.failure
  }

  private start(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing ??= this.writeAll().finally(() => {
      this.writing = undefined
    })
    return this.writing
  }

  /** Writes batch after batch until nothing waits or one fails. */
  private async writeAll(): Promise<void> {
    while (this.waiting.length + this.tasks.size > 0) {
      const events = this.waiting.splice(0, FLUSH_EVENTS)
      const tasks = [...this.tasks.values()]
      this.tasks.clear()
      try {
        await this.write({
          spans: events.flatMap(({ id, event }) => (event.type === 'span' ? [{ id, span: event.span }] : [])),
          events: [...events.filter(({ event }) => event.type !== 'span'), ...tasks].sort(
            (a, b) => a.id - b.id,
          ),
        })
      } catch (error) {
        log.error({ run: this.run, err: error }, 'Events of a run could not be kept yet.')
        this.failure = error
        this.waiting = [...events, ...this.waiting]
        for (const each of tasks)
          if (each.event.type === 'task' && !this.tasks.has(each.event.task.task))
            this.tasks.set(each.event.task.task, each)
        this.timer ??= setTimeout(() => void this.start(), FLUSH_EVERY_MS)
        return
      }
      this.failure = undefined
      if (this.waiting.length <= MAX_WAITING_EVENTS) this.makeRoom()
    }
  }

  private makeRoom(): void {
    this.room?.resolve()
    this.room = undefined
  }
}
