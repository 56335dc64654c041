import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type DispatchMessage, decodeMessage, encodeMessage, isMessage, MessageKind } from '../dispatch.ts'
import { FabricError } from '../error.ts'
import { RemoteMemory } from './memory.ts'
import {
  answerOffset,
  functionId,
  HEAP,
  HELLO_MS,
  type Hello,
  HOST_PORT,
  PAYLOAD_BYTES,
  WAITING,
  type Welcome,
} from './protocol.ts'

/** Where the host of a fabric is. */
export interface HostAddress {
  host?: string
  port?: number
}

/** What a worker is opened with. */
export interface WorkerOptions extends HostAddress {
  /** Hears why a call could not be served; the dispatcher then tries again, or gives it up. */
  onError?: (error: unknown) => void
}

const WELCOME_MS = 5_000
const BRACE = '{'.charCodeAt(0)
/** A slot whose call was not answered may still be written to: it rests for so long, in ms. */
const REST_MS = 30_000
const CALL_MS = 10_000
const EXHAUSTED = 5
/** Why a request took the slow path; codes as on the wire. */
const REASONS = [
  'for no reason',
  'the message is malformed',
  'the dispatcher is switched off',
  'no worker has the function',
  'too many requests are in flight',
  'its workers did not answer in time',
  'the workflow is not loaded',
  'too many workflows are in progress',
]

/** What callers and workers share: sockets to the fabric, a place at its host, and the memory for payloads. */
class Client {
  /** What the host said last: one that was started anew may give another number, and has other ports. */
  welcome: Welcome
  readonly messages: Socket
  readonly memory: RemoteMemory
  readonly #memorySocket: Socket
  readonly #address: Required<HostAddress>
  readonly #timer: NodeJS.Timeout
  #isOpen = true

  private constructor(
    hello: Hello,
    address: Required<HostAddress>,
    welcome: Welcome,
    [messages, memory]: [Socket, Socket],
  ) {
    this.#address = address
    this.welcome = welcome
    this.messages = messages
    this.#memorySocket = memory
    this.memory = new RemoteMemory(memory, (bytes) =>
      memory.send(bytes, this.welcome.ports.rmem as number, address.host),
    )
    // whoever does not listen any more is told by the system as an error of the socket
    for (const socket of [messages, memory]) socket.on('error', () => {})
    messages.on('message', (bytes) => {
      const said = answerOf(bytes)
      if (said && 'ports' in said) this.welcome = said
    })
    // a host that is started anew gives it the number that calls under way have
    const again = (): Hello => ({ ...hello, number: this.welcome.number })
    this.#timer = setInterval(() => say(messages, again(), address), HELLO_MS)
  }

  static async open(hello: Hello, { host = '127.0.0.1', port = HOST_PORT }: HostAddress): Promise<Client> {
    const address = { host, port }
    const sockets: [Socket, Socket] = [createSocket('udp4'), createSocket('udp4')]
    try {
      for (const socket of sockets) {
        socket.bind(0)
        await once(socket, 'listening')
      }
      return new Client(hello, address, await welcomeTo(sockets[0], hello, address), sockets)
    } catch (error) {
      for (const socket of sockets) socket.close()
      throw error
    }
  }

  send(port: 'requests' | 'completions', bytes: Uint8Array): void {
    this.messages.send(bytes, this.welcome.ports[port] as number, this.#address.host)
  }

  /** May be called again. */
  close(): void {
    if (!this.#isOpen) return
    this.#isOpen = false
    clearInterval(this.#timer)
    this.#memorySocket.close()
    say(this.messages, { kind: 'bye' }, this.#address, () => this.messages.close())
  }
}

function say(
  socket: Socket,
  hello: Hello,
  { host, port }: Required<HostAddress>,
  then = (): void => {},
): void {
  socket.send(JSON.stringify(hello), port, host, then)
}

/** What a host says; `undefined` for anything else. */
function answerOf(bytes: Buffer): Welcome | typeof WAITING | { refused: string } | undefined {
  if (bytes[0] !== BRACE) return undefined
  try {
    const said = JSON.parse(bytes.toString()) as Partial<Welcome & typeof WAITING & { refused: string }>
    if (said.ports && said.memory) return said as Welcome
    if (said.refused !== undefined) return { refused: said.refused }
    return said.waiting && WAITING
  } catch {
    return undefined
  }
}

/** Says hello until the host welcomes it, however long the host writes its tables. Throws `board` when it does not answer, or refuses. */
async function welcomeTo(socket: Socket, hello: Hello, address: Required<HostAddress>): Promise<Welcome> {
  const timer = setInterval(() => say(socket, hello, address), HELLO_MS)
  say(socket, hello, address)
  try {
    for (;;) {
      const [bytes] = (await once(socket, 'message', { signal: AbortSignal.timeout(WELCOME_MS) }).catch(
        () => {
          throw new FabricError(
            'board',
            `No host of a fabric answers at ${address.host}:${address.port}: \`hivemind fabric host\` runs one.`,
          )
        },
      )) as [Buffer]
      // a call that came before the welcome: the dispatcher sends it again
      if (isMessage(bytes)) continue
      const said = answerOf(bytes)
      if (!said)
        throw new FabricError(
          'board',
          `What answers at ${address.host}:${address.port} is no host of a fabric.`,
        )
      if ('refused' in said) throw new FabricError('board', said.refused)
      if ('ports' in said) return said
    }
  } finally {
    clearInterval(timer)
  }
}

/** Why a call took the slow path: what the dispatcher could not do (docs/fabric.md, "Dispatch: requests to workers"). */
export class SlowPathError extends FabricError {
  /** 1 to 7, as on the wire. */
  readonly reason: number

  constructor(name: string, reason: number) {
    super('board', `The call of '${name}' took the slow path: ${REASONS[reason] ?? reason}.`)
    this.reason = reason
  }
}

/** Calls functions through the dispatcher of a fabric (Speedo, section 3). */
export class FabricCaller {
  readonly #client: Client
  readonly #free: number[]
  readonly #waiting = new Map<number, (message: DispatchMessage) => void>()
  readonly #queue: ((slot: number) => void)[] = []
  #count = 0

  private constructor(client: Client) {
    this.#client = client
    this.#free = Array.from({ length: client.welcome.memory.slots }, (_, n) => n)
    client.messages.on('message', (bytes) => {
      if (!isMessage(bytes)) return
      const message = decodeMessage(bytes)
      this.#waiting.get(message.request & 0xff_ffff)?.(message)
    })
  }

  /** Throws `board` when no host answers, or it has no room. */
  static async open(address: HostAddress = {}): Promise<FabricCaller> {
    return new FabricCaller(await Client.open({ kind: 'caller' }, address))
  }

  /**
   * Calls a function with up to `PAYLOAD_BYTES` bytes, and gives what its worker answers. Calls beyond the slots of this caller wait for one.
   * Throws `board`: with the reason when the dispatcher could not, or when nothing comes in 10 s.
   */
  async call(name: string, payload: Uint8Array, { key = 0 } = {}): Promise<Buffer> {
    if (payload.length > PAYLOAD_BYTES)
      throw new FabricError(
        'bad-parameters',
        `A payload has at most ${PAYLOAD_BYTES} bytes, not ${payload.length}.`,
      )
    const slot = this.#free.pop() ?? (await new Promise<number>((resolve) => this.#queue.push(resolve)))
    let isFree = false
    try {
      const answer = await this.#ask(slot, name, payload, key)
      // it was never sent to a worker, or its worker is done with the slot
      isFree = answer.kind === MessageKind.RESULT || answer.reason !== EXHAUSTED
      if (answer.kind !== MessageKind.RESULT) throw new SlowPathError(name, answer.reason)
      if (answer.payloadBytes === 0) return Buffer.alloc(0)
      return await this.#client.memory.read(HEAP, answer.payload, answer.payloadBytes)
    } finally {
      if (isFree) this.#giveBack(slot)
      else setTimeout(() => this.#giveBack(slot), REST_MS).unref()
    }
  }

  #giveBack(slot: number): void {
    const next = this.#queue.shift()
    if (next) next(slot)
    else this.#free.push(slot)
  }

  async #ask(slot: number, name: string, payload: Uint8Array, key: number): Promise<DispatchMessage> {
    const { number, memory } = this.#client.welcome
    const place = memory.offset + slot * memory.slotBytes
    if (payload.length > 0) await this.#client.memory.write(HEAP, place, payload)
    this.#count = (this.#count + 1) & 0xff_ffff
    const request = this.#count
    let timer: NodeJS.Timeout | undefined
    const answered = new Promise<DispatchMessage>((resolve, reject) => {
      const late = `The call of '${name}' was not answered within ${CALL_MS / 1000} s.`
      timer = setTimeout(() => reject(new FabricError('board', late)), CALL_MS)
      this.#waiting.set(request, resolve)
    })
    try {
      this.#client.send(
        'requests',
        encodeMessage({
          kind: MessageKind.CALL,
          function: functionId(name),
          request: number * 0x100_0000 + request,
          key,
          payload: place,
          payloadBytes: payload.length,
        }),
      )
      return await answered
    } finally {
      clearTimeout(timer)
      this.#waiting.delete(request)
    }
  }

  close(): void {
    this.#client.close()
  }
}

/** What a function does with a payload. */
export type FabricFunction = (payload: Buffer) => Uint8Array | Promise<Uint8Array>

/** Serves functions to the dispatcher of a fabric. */
export class FabricWorker {
  readonly #client: Client
  readonly #functions: Map<number, FabricFunction>
  readonly #onError: (error: unknown) => void
  /** Calls that were answered. */
  served = 0

  private constructor(
    client: Client,
    functions: Record<string, FabricFunction>,
    onError: (error: unknown) => void,
  ) {
    this.#client = client
    this.#onError = onError
    this.#functions = new Map(Object.entries(functions).map(([name, run]) => [functionId(name), run]))
    client.messages.on('message', (bytes) => {
      if (isMessage(bytes)) void this.#serve(decodeMessage(bytes))
    })
  }

  /** Throws `board` when no host answers, or it has no room. */
  static async open(
    functions: Record<string, FabricFunction>,
    { onError = () => {}, ...address }: WorkerOptions = {},
  ): Promise<FabricWorker> {
    const client = await Client.open({ kind: 'worker', functions: Object.keys(functions) }, address)
    return new FabricWorker(client, functions, onError)
  }

  /** Its number, as the dispatcher has it. */
  get number(): number {
    return this.#client.welcome.number
  }

  async #serve(message: DispatchMessage): Promise<void> {
    const run = this.#functions.get(message.function)
    if (message.kind !== MessageKind.DISPATCH || !run) return
    try {
      const { memory } = this.#client
      const payload =
        message.payloadBytes === 0
          ? Buffer.alloc(0)
          : await memory.read(HEAP, message.payload, message.payloadBytes)
      const answer = await run(payload)
      if (answer.length > PAYLOAD_BYTES) throw new RangeError(`An answer has at most ${PAYLOAD_BYTES} bytes.`)
      const place = message.payload + answerOffset(message.attempt)
      if (answer.length > 0) await memory.write(HEAP, place, answer)
      this.served += 1
      const done = {
        kind: MessageKind.DONE,
        tag: message.tag,
        key: message.key,
        payload: place,
        payloadBytes: answer.length,
      }
      this.#client.send('completions', encodeMessage(done))
    } catch (error) {
      this.#onError(error)
    }
  }

  close(): void {
    this.#client.close()
  }
}
