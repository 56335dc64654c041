/**
 * Who has subscribed to what in the embedded broker, and the delivery of messages to them. Nearly all filters of the
 * protocol are full topics, which are looked up; those with wildcards, a few of each service, are tried one by one. A
 * message waits for nobody but its own receivers, so a device that reads slowly holds up no other.
 */
import { isPattern, patternOf } from './filters.ts'

/** Takes a message; calls `done` when it has been handed on. */
export type Deliver<P> = (packet: P, done: () => void) => void

interface Subscribers<P> {
  pattern: RegExp
  all: Set<Deliver<P>>
}

/** The subscriptions of a broker, with the methods by which Aedes uses them (`mq`). */
export class Subscriptions<P extends { topic: string }> {
  readonly #byTopic = new Map<string, Subscribers<P>>()
  readonly #byPattern = new Map<string, Subscribers<P>>()
  #closed = false

  on(filter: string, deliver: Deliver<P>, done?: () => void): void {
    const known = this.#of(filter).get(filter)
    if (known) known.all.add(deliver)
    else this.#of(filter).set(filter, { pattern: patternOf(filter), all: new Set([deliver]) })
    if (done) setImmediate(done)
  }

  removeListener(filter: string, deliver: Deliver<P>, done?: () => void): void {
    const known = this.#of(filter).get(filter)
    known?.all.delete(deliver)
    if (known?.all.size === 0) this.#of(filter).delete(filter)
    if (done) setImmediate(done)
  }

  /** Delivers a message; `done` is called when all its receivers have it. */
  emit(packet: P, done: (error?: Error) => void = () => {}): void {
    if (this.#closed) {
      done(new Error('The broker is closed.'))
      return
    }
    const receivers = [...(this.#byTopic.get(packet.topic)?.all ?? [])]
    for (const { pattern, all } of this.#byPattern.values())
      if (pattern.test(packet.topic)) receivers.push(...all)
    let missing = receivers.length
    if (missing === 0) done()
    const delivered = (): void => {
      missing -= 1
      if (missing === 0) done()
    }
    for (const deliver of receivers) deliver(packet, delivered)
  }

  close(done: () => void): void {
    this.#closed = true
    setImmediate(done)
  }

  #of(filter: string): Map<string, Subscribers<P>> {
    return isPattern(filter) ? this.#byPattern : this.#byTopic
  }
}
