import { connect, type Socket } from 'node:net'

/** When a frame came into a simulated board, or left it. */
export interface FrameTime {
  /** `in`: its last byte has come in. `out`: its first byte leaves. */
  way: 'in' | 'out'
  /** Cycles of the board's clock of 125 MHz, since it was switched on. */
  cycle: number
}

const BYTES = 9
const IN = 'i'.charCodeAt(0)

/** Nanoseconds in a cycle of a board. */
export const CYCLE_NS = 8

/** Hears when frames come and leave, as far as the board has told it. */
export class FrameTimes {
  readonly #socket: Socket
  #bytes = Buffer.alloc(0)

  /** @param folder of a board that another process simulates */
  constructor(folder: string, heard: (time: FrameTime) => void) {
    this.#socket = connect(`${folder}/times.sock`)
    this.#socket.on('error', () => this.#socket.destroy())
    this.#socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes])
      let at = 0
      for (; at + BYTES <= this.#bytes.length; at += BYTES)
        heard({
          way: this.#bytes[at] === IN ? 'in' : 'out',
          cycle: Number(this.#bytes.readBigUInt64BE(at + 1)),
        })
      this.#bytes = this.#bytes.subarray(at)
    })
  }

  close(): void {
    this.#socket.destroy()
  }
}
