import { type FrameLine, readingFrame, readingOf } from './frames.ts'

const TICK_MS = 50
const FIRST_SOURCE = 0x0a000001
/** A sensor: a slow wave, and noise that an average takes away. */
const [BASE, SPREAD, PERIOD_S, NOISE] = [20, 5, 20, 2]

/** A value that came out of a board: a summary, or a reading that passed. */
export interface Received {
  /** ms since 1970. */
  at: number
  /** Number of the sensor, from 1. */
  source: number
  value: number
}

/** Sensors that send their readings through a board, and what comes out of it. */
export class ReadingTraffic {
  readonly readingsPerSecond: number
  readonly sources: number
  /** Readings sent, and values that came out. */
  sent = 0
  received = 0
  readonly #line: FrameLine
  readonly #begin = Date.now()
  readonly #timer: NodeJS.Timeout
  #noise = 1

  /**
   * @param line of the board; closed at the end
   * @param readingsPerSecond of all sensors together
   * @param onValue hears each value that comes out
   */
  constructor(
    line: FrameLine,
    { readingsPerSecond, sources }: { readingsPerSecond: number; sources: number },
    onValue: (value: Received) => void,
  ) {
    this.#line = line
    this.readingsPerSecond = readingsPerSecond
    this.sources = sources
    this.#timer = setInterval(() => this.#send(), TICK_MS)
    void this.#receive(onValue)
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#line.close()
  }

  #send(): void {
    const seconds = (Date.now() - this.#begin) / 1000
    for (const due = Math.floor(seconds * this.readingsPerSecond); this.sent < due; this.sent++) {
      const source = this.sent % this.sources
      const wave = BASE + 10 * source + SPREAD * Math.sin((2 * Math.PI * seconds) / PERIOD_S)
      this.#line.send(readingFrame(wave + NOISE * this.#nextNoise(), FIRST_SOURCE + source))
    }
  }

  /** Ends when the line is closed. */
  async #receive(onValue: (value: Received) => void): Promise<void> {
    try {
      for (;;) {
        const reading = readingOf(await this.#line.next())
        if (!reading) continue
        this.received++
        onValue({ at: Date.now(), source: reading.source - FIRST_SOURCE + 1, value: reading.value })
      }
    } catch {
      clearInterval(this.#timer)
    }
  }

  /** -1 to 1, the same sequence every time (a linear congruence). */
  #nextNoise(): number {
    this.#noise = (Math.imul(this.#noise, 1664525) + 1013904223) >>> 0
    return this.#noise / 2 ** 31 - 1
  }
}
