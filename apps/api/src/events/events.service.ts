import type { ServerEvent } from '@hivemind/contracts'
import { Injectable } from '@nestjs/common'
import { log } from '../common/log.ts'
import { EventsRepository, type NounEvent } from './events.repository.ts'
import { mergeById, type Numbered } from './merge.ts'

const HEARTBEAT_MS = 15_000
/** A client that reads so slowly is cut off; it connects again and resumes. */
const MAX_WAITING_BYTES = 8_000_000
/** A client that missed more than this is told to ask for the state instead. */
const MAX_REPLAYED = 20_000
const KEEP_EVERY_MS = 200

/** What a stream of events is written to: a response, in practice. */
export interface EventSink {
  write(text: string): boolean
  end(): void
  destroy(): void
  readonly writableLength: number
}

/** Events of some topics after an id, from rows: each source in order of ids. */
export type Replay = (topics: ReadonlySet<string>, after: number) => AsyncIterable<Numbered<ServerEvent>>[]

interface Client {
  topics: ReadonlySet<string>
  /** Live events that wait until the missed ones have been sent; null once they have. */
  waiting: Numbered<string>[] | null
}

const textOf = (id: number, event: ServerEvent) =>
  `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
const RESET = 'event: reset\ndata: {"type":"reset"}\n\n'

/** Carries events from the services to the clients that asked for their topics, and again what a client missed. */
@Injectable()
export class EventsService {
  private readonly repository: EventsRepository
  private readonly clients = new Map<EventSink, Client>()
  private readonly replays: Replay[] = []
  private readonly observers: ((event: ServerEvent) => void)[] = []
  private heartbeat: NodeJS.Timeout | undefined
  /** Microseconds since 1970 at the start, so that ids grow over restarts; fewer than a million events come a second. */
  private lastId = Date.now() * 1_000
  private readonly unkept = new Map<string, NounEvent>()
  private timer: NodeJS.Timeout | undefined
  private keeping = Promise.resolve()

  constructor(repository: EventsRepository) {
    this.repository = repository
    this.addReplay((topics, after) => [this.repository.after(topics, after)])
  }

  /** Registers where the events of some topics are kept. */
  addReplay(replay: Replay): void {
    this.replays.push(replay)
  }

  /** Calls `observer` with every event from now on. */
  observe(observer: (event: ServerEvent) => void): void {
    this.observers.push(observer)
  }

  /** Id of the newest event. */
  get last(): number {
    return this.lastId
  }

  /** Sends an event to those who listen. Returns its id. Whoever wants it repeated to those who missed it keeps it. */
  publish(topics: readonly string[], event: ServerEvent): number {
    const id = ++this.lastId
    for (const observer of this.observers) observer(event)
    let text: string | undefined
    for (const [sink, client] of this.clients) {
      if (!topics.some((topic) => client.topics.has(topic))) continue
      text ??= textOf(id, event)
      if (client.waiting) client.waiting.push({ id, event: text })
      else this.send(sink, text)
    }
    return id
  }

  /** Publishes the state of a noun, and keeps it as the newest for those who missed it. `kept` is kept instead, if given. */
  publishNoun(
    topics: readonly string[],
    event: ServerEvent,
    { id: nounId, project, kept = event }: { id: string; project: string | null; kept?: ServerEvent },
  ): void {
    const noun = `${event.type}:${nounId}`
    const id = this.publish(topics, event)
    this.unkept.set(noun, { noun, id, project, topics, event: kept })
    this.timer ??= setTimeout(() => void this.keep(), KEEP_EVERY_MS)
  }

  /** Writes what is to be kept. */
  private keep(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.keeping = this.keeping.then(async () => {
      const events = [...this.unkept.values()].sort((a, b) => a.id - b.id)
      this.unkept.clear()
      if (events.length === 0) return
      try {
        await this.repository.keep(events)
      } catch (error) {
        log.error({ err: error }, 'Events could not be kept; clients that missed them are not told again.')
      }
    })
    return this.keeping
  }

  /** Sends a client the events of its topics from now on, and first those after the id it names. */
  async add(sink: EventSink, topics: ReadonlySet<string>, after?: number): Promise<void> {
    this.heartbeat ??= setInterval(() => {
      for (const each of this.clients.keys()) this.send(each, ': alive\n\n')
    }, HEARTBEAT_MS).unref()
    const client: Client = { topics, waiting: after === undefined ? null : [] }
    this.clients.set(sink, client)
    sink.write(': connected\n\n')
    if (after === undefined) return
    let sent = after
    try {
      sent = await this.replay(sink, topics, after)
    } catch (error) {
      log.error({ err: error }, 'Missed events could not be read.')
      this.send(sink, RESET)
    }
    const waiting = client.waiting ?? []
    client.waiting = null
    for (const { id, event } of waiting) if (id > sent) this.send(sink, event)
  }

  /** Returns the id of the last event that was sent, or of the newest when the client is told to start anew. */
  private async replay(sink: EventSink, topics: ReadonlySet<string>, after: number): Promise<number> {
    const reset = () => {
      this.send(sink, RESET)
      return this.lastId
    }
    if (after > this.lastId) return reset()
    await this.keep()
    let sent = after
    let count = 0
    for await (const { id, event } of mergeById(this.replays.flatMap((each) => each(topics, after)))) {
      if (!this.clients.has(sink)) break
      if (++count > MAX_REPLAYED) return reset()
      this.send(sink, textOf(id, event))
      sent = id
      // Waits for a client that reads slowly rather than cutting it off.
      while (this.clients.has(sink) && sink.writableLength > MAX_WAITING_BYTES / 2)
        await new Promise((resolve) => setTimeout(resolve, 20))
    }
    return sent
  }

  remove(sink: EventSink): void {
    this.clients.delete(sink)
    if (this.clients.size > 0) return
    clearInterval(this.heartbeat)
    this.heartbeat = undefined
  }

  private send(sink: EventSink, text: string): void {
    if (sink.writableLength > MAX_WAITING_BYTES) {
      this.remove(sink)
      sink.destroy()
      return
    }
    sink.write(text)
  }

  /** Ends every stream, so that clients see the service leave, and writes what is to be kept. */
  async stop(): Promise<void> {
    for (const sink of [...this.clients.keys()]) {
      this.remove(sink)
      sink.end()
    }
    await this.keep()
  }
}
