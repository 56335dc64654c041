/** The service of the world: executes a run, is killed in the middle of it, and goes on from its journal. */
import type { Plan } from '@hivemind/synthesis'
import { decodeValue, encodeValue } from '@hivemind/values'
import type { CoreEvent } from '../../src/core/events.ts'
import type { RunOptions, RunOutcome, ServicePorts } from '../../src/service/ports.ts'
import { resumeRun } from '../../src/service/run.ts'
import type { RunEvent, RunOutput } from '../../src/types.ts'
import type { Clock } from './clock.ts'
import type { Fleet } from './fleet.ts'
import { textOf, type Work } from './work.ts'

/** Events of a journal reach the disk at these intervals; a kill may cost those that did not. */
const SYNC_MS = 20

interface ServiceParts {
  plan: Plan
  clock: Clock
  fleet: Fleet
  work: Work
  wrap: (ports: ServicePorts) => ServicePorts
  options: RunOptions
  losesTail: boolean
}

interface JournalEntry {
  at: number
  bytes: Uint8Array
}

/** An event of the journal, as it was written. */
export const eventOf = ({ bytes }: JournalEntry): CoreEvent =>
  decodeValue({ type: 'application/cbor', bytes }) as CoreEvent

export class Service {
  readonly #parts: ServiceParts
  readonly journal: JournalEntry[] = []
  /** Reported by the present life. */
  events: RunEvent[] = []
  outputsBefore: RunOutput[] = []
  outcome: RunOutcome | undefined
  /** Times it was started. */
  lives = 0
  lostTail = false
  #isCancelled = false
  /** Ends the present life: its ports and timers are dead. */
  #life: { isOver: boolean; cancel: AbortController; cuts: Set<() => void> } | undefined

  constructor(parts: ServiceParts) {
    this.#parts = parts
  }

  start(): void {
    const { plan, options, wrap } = this.#parts
    const life = { isOver: false, cancel: new AbortController(), cuts: new Set<() => void>() }
    this.#life = life
    this.lives += 1
    this.events = []
    if (this.#isCancelled) life.cancel.abort()
    const journal = this.journal.map(eventOf)
    const run = resumeRun(
      plan,
      wrap(this.#ports(life)),
      {
        ...options,
        signal: life.cancel.signal,
        onEvent: (event) => this.events.push(event),
        journal: (event) => this.journal.push({ at: this.#parts.clock.now, bytes: encodeValue(event).bytes }),
      },
      journal,
    )
    void run.then((end) => {
      if (!life.isOver) this.outcome = end
    })
  }

  cancel(): void {
    this.#isCancelled = true
    this.#life?.cancel.abort()
  }

  /** Kills the service, and starts another one after a while. */
  kill(downMs: number): void {
    const { clock, fleet, losesTail } = this.#parts
    const life = this.#life
    if (!life || life.isOver || this.outcome) return
    life.isOver = true
    fleet.killService()
    for (const cut of life.cuts) cut()
    const synced = Math.floor(clock.now / SYNC_MS) * SYNC_MS
    const whole = this.journal.length
    if (losesTail)
      while ((this.journal.at(-1)?.at ?? 0) >= synced && this.journal.length > 0) this.journal.pop()
    if (this.journal.length < whole) this.lostTail = true
    // What was computed from events that are lost may come out otherwise.
    this.outputsBefore = this.lostTail
      ? []
      : this.events.flatMap((event) => (event.type === 'output' ? [event.output] : []))
    clock.after(downMs, () => {
      fleet.startService(this.lives + 1)
      this.start()
    })
  }

  #ports(life: { isOver: boolean; cuts: Set<() => void> }): ServicePorts {
    const { clock, fleet, work } = this.#parts
    return {
      now: () => clock.now,
      after: (ms, action) => clock.after(ms, () => life.isOver || action()),
      invoke: async (job, onItem, signal) => {
        const from = clock.now
        const { items, state } = await Promise.race([
          work.perform(
            job,
            {
              device: job.device,
              where: 'cloud',
              onCall: (cut) => {
                signal.addEventListener('abort', cut, { once: true })
                life.cuts.add(cut)
              },
            },
            ({ value, state: saved }, index) =>
              onItem({ ref: { kind: 'inline', ...value }, ...(saved && { state: saved }) }, index),
          ),
          new Promise<never>((_, reject) =>
            signal.addEventListener('abort', () => reject(new Error('Taken back.')), { once: true }),
          ),
        ])
        return {
          worker: 'w',
          startedAt: from,
          endedAt: clock.now,
          breakdown: { network: 0, management: 0, dataExchange: 0, execution: clock.now - from },
          bytesIn: 0,
          bytesOut: 0,
          items,
          ...(state && { state }),
        }
      },
      send: async (device, message) => {
        await fleet.send(device, message)
        if (life.isOver) await new Promise(() => {})
      },
      onFleet: (handler) => fleet.onFleet(handler),
      toServiceTime: (_, ms) => ms,
      preview: (value) => textOf(value),
      persist: () => {},
      newAbort: () => {
        const controller = new AbortController()
        return { signal: controller.signal, abort: () => controller.abort() }
      },
    }
  }
}
