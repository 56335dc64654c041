import type { Socket } from 'node:dgram'
import { FabricError } from '../error.ts'
import {
  decodeResponse,
  encodeRequest,
  isResponse,
  type RmemRequest,
  type RmemResponse,
  RmemStatus,
} from '../rmem.ts'

const TRIES = 5
const TRY_MS = 1_000
const NAMES = Object.fromEntries(Object.entries(RmemStatus).map(([name, code]) => [code, name]))

/** Reads and writes objects in the memory of a fabric, over a socket of its own. Lost datagrams are sent again: either does no harm twice. */
export class RemoteMemory {
  readonly #send: (bytes: Uint8Array) => void
  readonly #waiting = new Map<number, (response: RmemResponse) => void>()
  #tag = 0

  /** @param send sends a datagram to the port of remote memory, wherever that is now */
  constructor(socket: Socket, send: (bytes: Uint8Array) => void) {
    this.#send = send
    socket.on('message', (bytes) => {
      if (!isResponse(bytes)) return
      const response = decodeResponse(bytes)
      this.#waiting.get(response.tag)?.(response)
    })
  }

  /** Throws `board` with the status that it was refused with, or when nothing answers. */
  async read(name: bigint, offset: number, length: number): Promise<Buffer> {
    return (await this.#ask({ name, offset: BigInt(offset), length })).data
  }

  /** As `read`. */
  async write(name: bigint, offset: number, data: Uint8Array): Promise<void> {
    await this.#ask({ name, offset: BigInt(offset), data })
  }

  async #ask(request: RmemRequest): Promise<RmemResponse> {
    this.#tag = (this.#tag + 1) >>> 0
    const tag = this.#tag
    const bytes = encodeRequest({ ...request, tag })
    try {
      for (let n = 0; n < TRIES; n++) {
        const answer = new Promise<RmemResponse | undefined>((resolve) => {
          const timer = setTimeout(() => resolve(undefined), TRY_MS)
          this.#waiting.set(tag, (response) => {
            clearTimeout(timer)
            resolve(response)
          })
        })
        this.#send(bytes)
        const response = await answer
        if (!response) continue
        if (response.status === RmemStatus.OK) return response
        throw new FabricError(
          'board',
          `Remote memory refused a request: ${NAMES[response.status] ?? response.status}.`,
        )
      }
      throw new FabricError('board', `Remote memory did not answer ${TRIES} times.`)
    } finally {
      this.#waiting.delete(tag)
    }
  }
}
