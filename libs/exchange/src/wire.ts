/** What frames travel over: a socket, or nothing at all where both sides are in one process. */
import type net from 'node:net'
import { encodeFrame, type Frame, FrameReader, type Header } from './frame.ts'

/** What happens on a wire. */
export interface WireEvents {
  frame(frame: Frame): void
  /** What came is no frame. */
  unreadable(error: Error): void
  /** By either side. Comes once, and nothing after it. */
  closed(): void
}

/** One end of a connection. */
export interface Wire {
  readonly isOpen: boolean
  /** Whether more is waiting to be sent than the connection takes now. `onDrain` runs when that is over. */
  readonly isCongested: boolean
  onDrain(action: () => void): void
  /** Says who is to be told what happens; called once, before anything has. */
  listen(events: WireEvents): void
  /** Sends a frame; nothing when the wire is closed. */
  send(header: Header, body: Buffer): void
  /** Closes once all that was sent is on its way. */
  end(): void
  close(): void
}

/** A wire over a socket. What is sent in one turn is one write. */
export class SocketWire implements Wire {
  readonly #socket: net.Socket
  #corked = false

  constructor(socket: net.Socket) {
    this.#socket = socket
  }

  get isOpen(): boolean {
    return !this.#socket.destroyed
  }

  get isCongested(): boolean {
    return this.#socket.writableNeedDrain
  }

  onDrain(action: () => void): void {
    this.#socket.once('drain', action)
  }

  listen(events: WireEvents): void {
    const reader = new FrameReader()
    this.#socket.on('data', (chunk) => {
      try {
        for (const frame of reader.push(chunk)) events.frame(frame)
      } catch (error) {
        events.unreadable(error as Error)
      }
    })
    this.#socket.on('error', () => {})
    this.#socket.on('close', () => events.closed())
  }

  send(header: Header, body: Buffer): void {
    if (!this.#socket.writable) return
    if (!this.#corked) {
      this.#corked = true
      this.#socket.cork()
      process.nextTick(() => {
        this.#corked = false
        this.#socket.uncork()
      })
    }
    for (const part of encodeFrame(header, body)) this.#socket.write(part)
  }

  end(): void {
    this.#socket.destroySoon()
  }

  close(): void {
    this.#socket.destroy()
  }
}

/**
 * One end of a wire within this process. What is sent arrives in the same turn, after what runs now. A body is copied, since whoever gets it may
 * change it; what is in the fields of a header is not, and is left as it is by both.
 */
export class LocalWire implements Wire {
  #peer: LocalWire = this
  #events: WireEvents | null = null
  #isOpen = true
  readonly isCongested = false

  /** Both ends of a wire. */
  static pair(): [LocalWire, LocalWire] {
    const [near, far] = [new LocalWire(), new LocalWire()]
    near.#peer = far
    far.#peer = near
    return [near, far]
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  onDrain(action: () => void): void {
    process.nextTick(action)
  }

  listen(events: WireEvents): void {
    this.#events = events
  }

  send(header: Header, body: Buffer): void {
    const frame = { header, body: Buffer.from(body) }
    const peer = this.#peer
    process.nextTick(() => {
      if (peer.#isOpen) peer.#events?.frame(frame)
    })
  }

  end(): void {
    process.nextTick(() => this.close())
  }

  close(): void {
    if (!this.#isOpen) return
    for (const end of [this, this.#peer]) {
      end.#isOpen = false
      process.nextTick(() => end.#events?.closed())
    }
  }
}
