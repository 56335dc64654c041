import type { ServerEvent } from '@hivemind/contracts'
import { Injectable } from '@nestjs/common'

const HEARTBEAT_MS = 15_000
/** A client that reads so slowly is cut off; it connects again and asks for the state. */
const MOST_WAITING_BYTES = 8_000_000

/** What a stream of events is written to: a response, in practice. */
export interface EventSink {
  write(text: string): boolean
  end(): void
  destroy(): void
  readonly writableLength: number
}

/** Carries events from the services to the clients that asked for their topics. */
@Injectable()
export class EventsService {
  private readonly sinks = new Map<EventSink, ReadonlySet<string>>()
  private heartbeat: NodeJS.Timeout | undefined

  add(sink: EventSink, topics: ReadonlySet<string>): void {
    this.sinks.set(sink, topics)
    sink.write(': connected\n\n')
    this.heartbeat ??= setInterval(() => {
      for (const each of this.sinks.keys()) this.send(each, ': alive\n\n')
    }, HEARTBEAT_MS).unref()
  }

  remove(sink: EventSink): void {
    this.sinks.delete(sink)
    if (this.sinks.size > 0) return
    clearInterval(this.heartbeat)
    this.heartbeat = undefined
  }

  publish(topics: readonly string[], event: ServerEvent): void {
    let text: string | undefined
    for (const [sink, wanted] of this.sinks) {
      if (!topics.some((topic) => wanted.has(topic))) continue
      text ??= `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
      this.send(sink, text)
    }
  }

  private send(sink: EventSink, text: string): void {
    if (sink.writableLength > MOST_WAITING_BYTES) {
      this.remove(sink)
      sink.destroy()
      return
    }
    sink.write(text)
  }

  /** Ends every stream; clients see the service leave. */
  stop(): void {
    for (const sink of [...this.sinks.keys()]) {
      this.remove(sink)
      sink.end()
    }
  }
}
