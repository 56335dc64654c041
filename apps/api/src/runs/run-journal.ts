import type { RunEvent } from '@hivemind/orchestrator'
import type { RunEventsTable } from '../database/tables.ts'

const FLUSH_EVERY_MS = 300

type Row = { run_id: string; seq: number; kind: RunEventsTable['kind']; event: string }

/**
 * Keeps a run's events, in batches. Of several states of one task only the last of a batch is kept. A batch that cannot
 * be written is tried again with the next; `close` writes the rest.
 */
export class RunJournal {
  private readonly run: string
  private readonly write: (rows: Row[]) => Promise<void>
  private waiting: RunEvent[] = []
  private seq = 0
  private timer: NodeJS.Timeout | undefined
  private writing = Promise.resolve()

  constructor(run: string, write: (rows: Row[]) => Promise<void>) {
    this.run = run
    this.write = write
  }

  add(event: RunEvent): void {
    this.waiting.push(event)
    this.timer ??= setTimeout(() => this.flush(), FLUSH_EVERY_MS)
  }

  private flush(): void {
    clearTimeout(this.timer)
    this.timer = undefined
    this.writing = this.writing.then(async () => {
      const batch = this.waiting
      this.waiting = []
      const lastOfTask = new Map<string, RunEvent>()
      for (const event of batch) if (event.type === 'task') lastOfTask.set(event.task.task, event)
      const kept = batch.filter((event) => event.type !== 'task' || lastOfTask.get(event.task.task) === event)
      if (kept.length === 0) return
      try {
        await this.write(
          kept.map((event, index) => ({
            run_id: this.run,
            seq: this.seq + index,
            kind: event.type,
            event: JSON.stringify(event),
          })),
        )
        this.seq += kept.length
      } catch (error) {
        console.error(`Events of run ${this.run} could not be kept yet: ${(error as Error).message}`)
        this.waiting = [...kept, ...this.waiting]
      }
    })
  }

  /** Writes what is left and ends. */
  async close(): Promise<void> {
    this.flush()
    await this.writing
    clearTimeout(this.timer)
  }
}
