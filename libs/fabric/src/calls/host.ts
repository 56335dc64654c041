import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { decodeMessage, encodeMessage, isMessage, rowOf, writePeer, writeWorkers } from '../dispatch.ts'
import { FabricError } from '../error.ts'
import type { Parameters } from '../parameters.ts'
import { type Register, type RegisterBus, registerOf } from '../registers.ts'
import { insertObject } from '../rmem.ts'
import { writeSettings } from '../settings.ts'
import { addressOf, FABRIC_IDENTITY, macOf } from './bridge.ts'
import {
  functionId,
  HEAP,
  type Hello,
  HOST_PORT,
  RETRIES,
  SILENCE_MS,
  SLOT_BYTES,
  WAITING,
  type Welcome,
} from './protocol.ts'

/** A client that has said hello. */
interface Known {
  number: number
  kind: Hello['kind']
  functions: string[]
  address: string
  port: number
  seenAt: number
  /** Whether the tables have it: only then is it welcomed. */
  isReady: boolean
}

/** What a host is opened with. */
export interface HostOptions {
  /** Opens the registers for a piece of work, which closes them again: others may use them in between. */
  registers: () => RegisterBus
  map: readonly Register[]
  /** Of the build that is loaded. */
  parameters: Parameters
  /** Ports of this machine for the fabric's. */
  ports: Readonly<Record<string, number>>
  host?: string
  /** `HOST_PORT` when absent, any free one when 0. */
  port?: number
  /** Told when a worker comes or is gone. */
  onChange?: (text: string) => void
}

const [FIRST_CALLER, LAST_CALLER, OWN_NUMBER] = [240, 254, 255]
const SLOTS_OF_CALLER = 4
const SWEEP_MS = 500
const TIMEOUT_TICKS = 4_000

/**
 * The host of a fabric with dispatch and remote memory: it keeps the tables true as workers come and die (Speedo, section 4.5.1), gives
 * callers memory for payloads, and answers what the dispatcher cannot do.
 */
export class FabricHost {
  readonly #options: HostOptions
  readonly #socket: Socket
  readonly #known = new Map<string, Known>()
  /** The functions of each row of the match table, by their ways. */
  readonly #rows = new Map<number, (string | undefined)[]>()
  readonly #timer: NodeJS.Timeout
  /** Work on the registers, one piece after another. */
  #last: Promise<unknown>

  private constructor(options: HostOptions, socket: Socket) {
    this.#options = options
    this.#socket = socket
    this.#last = this.#withRegisters((bus) => this.#setUp(bus))
    this.#timer = setInterval(() => this.#sweep(), SWEEP_MS)
    socket.on('message', (bytes, from) => this.#take(bytes, from))
  }

  /** Throws `bad-parameters` when the fabric lacks an engine, `board`, and what the system says of the port. */
  static async open(options: HostOptions): Promise<FabricHost> {
    for (const engine of ['dispatch', 'rmem'])
      if (!options.map.some((register) => register.engine === engine))
        throw new FabricError(
          'bad-parameters',
          `The fabric has no engine ${engine}: load a build of --preset dispatch+rmem or all.`,
        )
    const socket = createSocket('udp4')
    try {
      socket.bind(options.port ?? HOST_PORT, options.host ?? '127.0.0.1')
      await once(socket, 'listening')
      const host = new FabricHost(options, socket)
      await host.#last
      return host
    } catch (error) {
      socket.close()
      throw error
    }
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** The numbers of the workers of each function. */
  workers(): Record<string, number[]> {
    const result: Record<string, number[]> = {}
    for (const { kind, number, functions } of this.#known.values())
      if (kind === 'worker') for (const name of functions) result[name] = [...(result[name] ?? []), number]
    return result
  }

  async close(): Promise<void> {
    clearInterval(this.#timer)
    this.#socket.close()
    await this.#last.catch(() => {})
  }

  get #memoryBytes(): number {
    return (this.#options.parameters['shell.memoryKiB'] ?? 0) * 1024
  }

  async #setUp(bus: RegisterBus): Promise<void> {
    const { map } = this.#options
    const write = (name: string, value: number): Promise<void> =>
      bus.write(registerOf(map, 'shell', name).address, value)
    await write('MAC_0', Number.parseInt(FABRIC_IDENTITY.mac.slice(4), 16))
    await write('MAC_1', Number.parseInt(FABRIC_IDENTITY.mac.slice(0, 4), 16))
    // who is on this machine may use the memory
    await write('CLASS_0_ADDRESS', addressOf('127.0.0.0'))
    await write('CLASS_0_MASK', addressOf('255.0.0.0'))
    await insertObject(bus, map, { name: HEAP, base: 0, size: this.#memoryBytes, readers: 1, writers: 1 })
    const own = this.#socket.address()
    const address = addressOf(own.address)
    await writePeer(bus, map, OWN_NUMBER, { mac: macOf(address), address, port: own.port })
    await write('HOST', OWN_NUMBER)
    await writeSettings(bus, [...map], {
      'dispatch.enabled': 1,
      'dispatch.timeout': TIMEOUT_TICKS,
      'dispatch.retries': RETRIES,
    })
    await write('ADDRESS', FABRIC_IDENTITY.address)
  }

  #take(bytes: Buffer, from: RemoteInfo): void {
    if (from.port === 0) return
    if (isMessage(bytes)) return this.#slow(bytes)
    const hello = helloOf(bytes)
    if (!hello) return
    const key = `${from.address}:${from.port}`
    const known = this.#known.get(key)
    if (hello.kind === 'bye') return known && this.#forget(key, known)
    if (known) {
      known.seenAt = performance.now()
      return known.isReady ? this.#welcome(known) : this.#say(WAITING, from)
    }
    const isWorker = hello.kind === 'worker'
    const number = isWorker
      ? this.#freeNumber(hello, 0, (this.#options.parameters['dispatch.workers'] ?? 1) - 1)
      : this.#freeNumber(hello, FIRST_CALLER, Math.min(LAST_CALLER, FIRST_CALLER + this.#callers - 1))
    if (number === undefined) {
      return this.#say({ refused: `The fabric has no room for another ${hello.kind}.` }, from)
    }
    const functions = isWorker ? (hello.functions ?? []) : []
    const client: Known = {
      number,
      kind: hello.kind,
      functions,
      address: from.address,
      port: from.port,
      seenAt: performance.now(),
      isReady: false,
    }
    this.#known.set(key, client)
    this.#onRegisters((bus) => this.#admit(bus, client)).catch((error: Error) => {
      // its next hello is a new one
      if (this.#known.get(key) === client) this.#known.delete(key)
      this.#say({ refused: `The board does not answer: ${error.message}` }, from)
    })
  }

  /** Writes a client into the tables, then welcomes it: what it asks from then on finds them so. */
  async #admit(bus: RegisterBus, client: Known): Promise<void> {
    const { number, kind, functions, address, port } = client
    const peer = addressOf(address)
    await writePeer(bus, this.#options.map, number, { mac: macOf(peer), address: peer, port })
    await this.#writeRows(bus, functions)
    client.isReady = true
    this.#welcome(client)
    if (kind === 'worker') this.#options.onChange?.(`Worker ${number} serves ${functions.join(', ')}.`)
  }

  get #callers(): number {
    return Math.floor(this.#memoryBytes / SLOT_BYTES / SLOTS_OF_CALLER)
  }

  /** The number that a client had before, or the first that nobody has. */
  #freeNumber({ number: before = -1 }: Hello, first: number, last: number): number | undefined {
    const taken = new Set([...this.#known.values()].map(({ number }) => number))
    if (before >= first && before <= last && !taken.has(before)) return before
    for (let number = first; number <= last; number++) if (!taken.has(number)) return number
    return undefined
  }

  #welcome({ number, kind, address, port }: Known): void {
    const memory = {
      offset: kind === 'caller' ? (number - FIRST_CALLER) * SLOTS_OF_CALLER * SLOT_BYTES : 0,
      slots: kind === 'caller' ? SLOTS_OF_CALLER : 0,
      slotBytes: SLOT_BYTES,
    }
    this.#say({ number, ports: { ...this.#options.ports }, memory }, { address, port })
  }

  #say(
    answer: Welcome | typeof WAITING | { refused: string },
    to: Pick<RemoteInfo, 'address' | 'port'>,
  ): void {
    this.#socket.send(JSON.stringify(answer), to.port, to.address)
  }

  /** What the dispatcher could not do goes back to who asked, with its reason. */
  #slow(bytes: Buffer): void {
    const message = decodeMessage(bytes)
    const caller = message.request >>> 24
    const known = [...this.#known.values()].find(({ number }) => number === caller)
    if (known) this.#socket.send(encodeMessage(message), known.port, known.address)
  }

  /** Takes out of the tables who is silent. */
  #sweep(): void {
    const before = performance.now() - SILENCE_MS
    for (const [key, known] of this.#known) if (known.seenAt < before) this.#forget(key, known)
  }

  #forget(key: string, { kind, number, functions }: Known): void {
    this.#known.delete(key)
    if (kind !== 'worker') return
    this.#options.onChange?.(`Worker ${number} is gone.`)
    this.#onRegisters((bus) => this.#writeRows(bus, functions)).catch(() => {})
  }

  async #writeRows(bus: RegisterBus, functions: readonly string[]): Promise<void> {
    const { map, parameters } = this.#options
    const workers = this.workers()
    const places = parameters['dispatch.functions'] ?? 0
    const most = parameters['dispatch.workersPerFunction'] ?? 1
    for (const name of functions) {
      const id = functionId(name)
      const ways = this.#rows.get(rowOf(places, id)) ?? [undefined, undefined]
      this.#rows.set(rowOf(places, id), ways)
      const way = ways.includes(name) ? ways.indexOf(name) : ways.indexOf(undefined)
      if (way < 0) {
        this.#options.onChange?.(
          `There is no place for the function '${name}': ${ways.join(' and ')} have its row of the match table.`,
        )
        continue
      }
      const serving = (workers[name] ?? []).slice(0, most)
      ways[way] = serving.length > 0 ? name : undefined
      await writeWorkers(bus, map, places, id, serving, way)
    }
  }

  /** One piece of work on the registers after another; rejects when the board does not answer, which is told. */
  #onRegisters(work: (bus: RegisterBus) => Promise<void>): Promise<void> {
    const done = this.#last.then(() => this.#withRegisters(work))
    this.#last = done.catch((error: Error) =>
      this.#options.onChange?.(`The board does not answer: ${error.message}`),
    )
    return done
  }

  async #withRegisters(work: (bus: RegisterBus) => Promise<void>): Promise<void> {
    const bus = this.#options.registers()
    try {
      await work(bus)
    } finally {
      bus.close()
    }
  }
}

const KINDS = ['worker', 'caller', 'bye']

/** What a client says; `undefined` for anything else that may come to a port. */
function helloOf(bytes: Buffer): Hello | undefined {
  try {
    const said = JSON.parse(bytes.toString()) as Partial<Hello> | null
    const { kind, functions = [], number } = said ?? {}
    if (kind === undefined || !KINDS.includes(kind) || !Array.isArray(functions)) return undefined
    return { kind, functions: functions.map(String), ...(Number.isInteger(number) && { number }) }
  } catch {
    return undefined
  }
}
