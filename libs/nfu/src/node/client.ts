/** Asks a server of a network function over CoAP what it is, and makes it another one. The same for Node.js and C. */
import { createSocket } from 'node:dgram'
import { isIPv6 } from 'node:net'
import { NfuError } from '../code.ts'
import { CoapCode, CoapType, encodeRequest, readCoap } from './coap.ts'
import type { Hop } from './server.ts'

/** What a server says of itself at `/nfu`. */
export interface NfuState {
  code: string
  keyed: boolean
  next?: Hop
  counters: Record<string, number>
}

/** A confirmable request is sent so often, and an answer awaited for so long each time, in ms (RFC 7252, section 4.2). */
const [TRIES, PATIENCE_MS] = [4, 1_000]
/** Highest code of an answer that is a success (class 2). */
const LAST_SUCCESS = 0x5f

let lastId = Math.floor(Math.random() * 0x10000)

/** What a server is and has done. Throws `NfuError` when it does not answer. */
export async function nfuState(server: Hop): Promise<NfuState> {
  return JSON.parse((await ask(server, CoapCode.GET)).toString('utf8'))
}

/** Gives a server another function. Throws `NfuError` with its own sentence, and it stays what it was. */
export async function changeNfu(server: Hop, code: string): Promise<void> {
  await ask(server, CoapCode.PUT, code)
}

/** Sends a request to `/nfu` until it is answered; gives the payload. */
async function ask({ host, port }: Hop, method: number, payload = ''): Promise<Buffer> {
  const id = (lastId + 1) & 0xffff
  lastId = id
  const token = Uint8Array.of(id >> 8, id & 0xff)
  const request = encodeRequest({
    type: CoapType.CONFIRMABLE,
    code: method,
    id,
    token,
    path: ['nfu'],
    ...(payload !== '' && { payload: Buffer.from(payload) }),
  })
  const socket = createSocket(isIPv6(host) ? 'udp6' : 'udp4')
  try {
    for (let attempt = 0; attempt < TRIES; attempt++) {
      const answered = new Promise<Buffer | undefined>((resolve, reject) => {
        const timer = setTimeout(() => resolve(undefined), PATIENCE_MS)
        socket.once('error', reject)
        socket.on('message', (bytes) => {
          if (readCoap(bytes)?.id !== id) return
          clearTimeout(timer)
          resolve(bytes)
        })
      })
      socket.send(request, port, host)
      const bytes = await answered
      const message = bytes && readCoap(bytes)
      if (!message) continue
      const said = bytes.subarray(message.payloadAt)
      if (message.code <= LAST_SUCCESS) return said
      throw new NfuError(said.toString('utf8') || `The server refused it with ${codeText(message.code)}.`)
    }
  } finally {
    socket.close()
  }
  throw new NfuError(`The server at ${host}:${port} does not answer.`)
}

const codeText = (code: number): string => `${code >> 5}.${String(code & 31).padStart(2, '0')}`
