/** The topics at an edge node: one copy of the messages of each, and an offset for each client. */
import type { Disk } from './disk.ts'
import { type Retention, TopicLog } from './topic-log.ts'

/** A client that waits for the next messages of a topic. */
export interface Waiter {
  client: string
  /** There are some, or the client is not subscribed any more. */
  wake(): void
}

/** A topic with subscribers at this node. */
export interface EdgeTopic {
  name: string
  /** Null until the backend has said where it begins. */
  log: TopicLog | null
  /** Changed when the messages are asked for again from an earlier number: what comes for an earlier generation is ignored. */
  generation: number
  /** Client to the number up to which it has the messages. */
  offsets: Map<string, number>
  waiters: Set<Waiter>
  /** Number up to which the records are dropped from the disk, and delivery was reported. */
  dropped: number
  reported: number
}

/** The topics of an edge node, in memory and on its disk. */
export class EdgeTopics {
  readonly #topics = new Map<string, EdgeTopic>()
  readonly #changed = new Set<EdgeTopic>()
  readonly #disk: Disk
  readonly #retention: Retention
  #lastGeneration = 0

  constructor(disk: Disk, retention: Retention) {
    this.#disk = disk
    this.#retention = retention
    for (const [[name = ''], since] of disk.stateOf<number>('topic')) {
      const topic = this.open(name)
      topic.log = new TopicLog(since, retention)
      topic.log.append(disk.recordsOf(name, since))
    }
    for (const [[client = '', name = ''], offset] of disk.stateOf<number>('offset'))
      this.#topics.get(name)?.offsets.set(client, offset)
  }

  get(name: string): EdgeTopic | undefined {
    return this.#topics.get(name)
  }

  /** The topic, which is made when it is not there. */
  open(name: string): EdgeTopic {
    let topic = this.#topics.get(name)
    if (!topic) {
      topic = {
        name,
        log: null,
        generation: ++this.#lastGeneration,
        offsets: new Map(),
        waiters: new Set(),
        dropped: 0,
        reported: 0,
      }
      this.#topics.set(name, topic)
    }
    return topic
  }

  [Symbol.iterator](): Iterator<EdgeTopic> {
    return this.#topics.values()
  }

  /** Takes messages that the backend sends: all that exist after `since`. */
  receive(name: string, generation: number, since: number, records: readonly Buffer[]): void {
    const topic = this.#topics.get(name)
    if (topic?.generation !== generation) return
    const log = this.begin(topic, since)
    const added = log.append(records)
    if (added.length === 0) return
    this.#disk.saveRecords(name, added)
    this.#changed.add(topic)
    for (const waiter of [...topic.waiters]) waiter.wake()
  }

  /** The log of a topic, which begins after a number unless it has begun. */
  begin(topic: EdgeTopic, since: number): TopicLog {
    if (!topic.log) {
      topic.log = new TopicLog(since, this.#retention)
      this.#disk.save(['topic', topic.name], since)
    }
    return topic.log
  }

  /** Whether the node holds the messages of a topic after a number, or will be sent them. */
  covers(name: string, after: number): boolean {
    const log = this.#topics.get(name)?.log
    return log != null && log.since <= after
  }

  /**
   * Makes room for a client that has the messages up to `after`, with those that its earlier node held, if any. Where messages
   * would be missing, the topic begins anew after that number, and the backend is to send what follows.
   */
  adopt(name: string, after: number, records: readonly Buffer[]): EdgeTopic {
    const topic = this.open(name)
    if (this.covers(name, after)) return topic
    const older = topic.log?.prepend(after, records)
    if (older) {
      this.#disk.saveRecords(name, older)
      this.#disk.save(['topic', name], after)
      topic.dropped = 0
      return topic
    }
    topic.log = null
    topic.generation = ++this.#lastGeneration
    const log = this.begin(topic, after)
    topic.dropped = 0
    this.#disk.dropRecords(name)
    this.#disk.saveRecords(name, log.append(records))
    return topic
  }

  setOffset(topic: EdgeTopic, client: string, offset: number): void {
    topic.offsets.set(client, offset)
    this.#changed.add(topic)
  }

  /** Forgets the offset of a client. Returns whether the topic went with its last subscriber. */
  forget(topic: EdgeTopic, client: string): boolean {
    topic.offsets.delete(client)
    this.#disk.remove(['offset', client, topic.name])
    this.#changed.add(topic)
    if (topic.offsets.size > 0) return false
    this.#topics.delete(topic.name)
    this.#changed.delete(topic)
    this.#disk.remove(['topic', topic.name])
    this.#disk.dropRecords(topic.name)
    return true
  }

  /** Number up to which all clients have the messages of a topic. */
  deliveredOf(topic: EdgeTopic): number {
    return Math.min(topic.log?.last ?? 0, ...topic.offsets.values())
  }

  /** Writes offsets to the disk, drops what all clients have, and returns the numbers to report to the backend. */
  tidy(): Record<string, number> {
    const delivered: Record<string, number> = {}
    for (const topic of this.#changed) {
      const { name, log, offsets } = topic
      if (!log) continue
      for (const [client, offset] of offsets) this.#disk.save(['offset', client, name], offset)
      log.trim(this.deliveredOf(topic))
      if (log.since > topic.dropped) {
        topic.dropped = log.since
        this.#disk.dropRecords(name, log.since)
        this.#disk.save(['topic', name], log.since)
      }
      const number = this.deliveredOf(topic)
      if (number !== topic.reported) delivered[name] = number
      topic.reported = number
    }
    this.#changed.clear()
    return delivered
  }
}
