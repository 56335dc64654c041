/** Messages that the embedded broker keeps for those who subscribe later: the last of each topic. */
import { Readable } from 'node:stream'
import { isPattern, patternOf } from './filters.ts'

/** What is kept of a message, along with what else Aedes has in it. */
export interface RetainedMessage {
  topic: string
  payload: Buffer
}

/**
 * The retained messages of a broker, with the methods by which Aedes uses them. A full topic is looked up: Aedes' own store
 * compares every message with every subscription, which costs a swarm the square of its devices.
 */
export class RetainedMessages {
  readonly #byTopic = new Map<string, RetainedMessage>()

  /** Keeps a message; an empty one removes that of its topic. */
  readonly storeRetained = async (packet: RetainedMessage): Promise<void> => {
    // A copy of the payload: it is a part of what was read from the connection, which would be kept with it.
    if (packet.payload.length === 0) this.#byTopic.delete(packet.topic)
    else this.#byTopic.set(packet.topic, { ...packet, payload: Buffer.from(packet.payload) })
  }

  /** The messages of the topics that filters name. */
  matching(filters: readonly string[]): RetainedMessage[] {
    return filters.flatMap((filter) => {
      const exact = this.#byTopic.get(filter)
      if (!isPattern(filter)) return exact ?? []
      const pattern = patternOf(filter)
      return [...this.#byTopic.values()].filter(({ topic }) => pattern.test(topic))
    })
  }

  readonly createRetainedStreamCombi = (filters: readonly string[]): Readable =>
    Readable.from(this.matching(filters))

  readonly createRetainedStream = (filter: string): Readable => Readable.from(this.matching([filter]))
}
