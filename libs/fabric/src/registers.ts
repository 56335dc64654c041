import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import { FabricError } from './error.ts'

/** A field of a register. */
export interface Field {
  name: string
  /** Lowest bit. */
  start: number
  /** Highest bit. */
  end: number
  /** `RW` is written and read back, `RO` and `ROV` only read, `W1P` acts when 1 is written. */
  access: string
  doc: string
}

/** A register of 32 bits. */
export interface Register {
  /** The engine that has it, or the shell. */
  engine: string
  name: string
  address: number
  doc: string
  fields: Field[]
}

/** Reads and writes registers of a board. */
export interface RegisterBus {
  /** The value at a byte address. Throws `board`. */
  read(address: number): Promise<number>
  write(address: number, value: number): Promise<void>
  close(): void
}

/** The register map of a build's folder. */
export function readRegisterMap(folder: string): Register[] {
  const { blocks } = JSON.parse(readFileSync(path.join(folder, 'registers.json'), 'utf8')) as RegisterDocument
  return blocks.flatMap(({ engine, base, registers }) =>
    registers.slices.map(({ name, addr, doc, fields }) => ({
      engine,
      name,
      address: base + addr,
      doc,
      fields: fields
        .filter(({ access }) => access !== 'NA')
        .map(({ pos, name, access, doc }) => ({ name, access, doc, ...pos })),
    })),
  )
}

/** `registers.json`, as the generator writes it. */
interface RegisterDocument {
  interface: string
  blocks: {
    engine: string
    interface: string
    /** Address of its first register. */
    base: number
    registers: {
      slices: {
        name: string
        addr: number
        doc: string
        fields: { name: string; access: string; doc: string; pos: { start: number; end: number } }[]
      }[]
    }
  }[]
}

/** The UUID of the interface of each engine, and of the shell, which is that of the whole fabric. */
export function readInterfaces(folder: string): Map<string, string> {
  const { blocks } = JSON.parse(readFileSync(path.join(folder, 'registers.json'), 'utf8')) as RegisterDocument
  return new Map(blocks.map((block) => [block.engine, block.interface]))
}

/** A register by its engine and name. Throws `self-test-failed` when the map lacks it. */
export function registerOf(map: readonly Register[], engine: string, name: string): Register {
  const found = map.find((each) => each.engine === engine && each.name === name)
  if (!found) throw new FabricError('self-test-failed', `The register map has no ${engine}.${name}.`)
  return found
}

/** The name of a field among those of all engines. */
export const fieldKey = (engine: string, field: string): string => `${engine}.${field}`

/** A field by `engine.field`, or by its name alone where one engine has it. Throws `bad-parameters`. */
export function findField(map: readonly Register[], name: string): { register: Register; field: Field } {
  const all = map.flatMap((register) => register.fields.map((field) => ({ register, field })))
  const found = all.filter(
    ({ register, field }) => field.name === name || fieldKey(register.engine, field.name) === name,
  )
  const [one] = found
  if (!one) throw new FabricError('bad-parameters', `There is no register field '${name}'.`)
  if (found.length > 1)
    throw new FabricError(
      'bad-parameters',
      `Several engines have a register field '${name}': name one of ${found.map(({ register, field }) => fieldKey(register.engine, field.name)).join(', ')}.`,
    )
  return one
}

/** What went wrong on a line, for people. */
function reasonOf(error: NodeJS.ErrnoException): string {
  const isNobody = error.code === 'ENOENT' || error.code === 'ECONNREFUSED'
  return isNobody ? 'no board runs there; `hivemind fabric sim` runs one' : error.message
}

const REPLY_TIMEOUT_MS = 10_000
const replyBytes: Record<string, number> = { r: 5, w: 1, e: 1 }

/** Registers over a serial line, as `UartBridge` of the hardware speaks: one request at a time. */
export class SerialRegisters implements RegisterBus {
  readonly #socket: Socket
  #received = Buffer.alloc(0)
  #wake = (): void => {}
  #error: Error | undefined
  #last: Promise<unknown> = Promise.resolve()

  /** @param address the path of a socket that carries the bytes of the line */
  constructor(address: string) {
    this.#socket = connect(address)
    this.#socket.on('data', (bytes) => {
      this.#received = Buffer.concat([this.#received, bytes])
      this.#wake()
    })
    this.#socket.on('error', (error) => {
      this.#error = error
      this.#wake()
    })
    this.#socket.on('close', () => {
      this.#error ??= new Error('it was closed')
      this.#wake()
    })
  }

  async read(address: number): Promise<number> {
    const reply = await this.#ask(
      Buffer.from([0x52, address >> 8, address & 0xff]),
      `Reading register ${hex(address)}`,
    )
    return reply.readUInt32BE(1)
  }

  async write(address: number, value: number): Promise<void> {
    const request = Buffer.from([0x57, address >> 8, address & 0xff, 0, 0, 0, 0])
    request.writeUInt32BE(value >>> 0, 3)
    await this.#ask(request, `Writing register ${hex(address)}`)
  }

  close(): void {
    this.#socket.destroy()
  }

  #ask(request: Buffer, what: string): Promise<Buffer> {
    const reply = this.#last.then(() => this.#exchange(request, what))
    this.#last = reply.catch(() => {})
    return reply
  }

  async #exchange(request: Buffer, what: string): Promise<Buffer> {
    this.#received = Buffer.alloc(0)
    this.#socket.write(request)
    const timer = setTimeout(() => {
      this.#error ??= new Error(`no answer within ${REPLY_TIMEOUT_MS / 1000} s`)
      this.#wake()
    }, REPLY_TIMEOUT_MS)
    try {
      for (;;) {
        const kind = String.fromCharCode(this.#received[0] ?? 0)
        if (this.#received.length >= (replyBytes[kind] ?? 1) && this.#received.length > 0) {
          if (kind === 'r' || kind === 'w') return this.#received
          throw new FabricError('board', `${what} was refused by the board: there is no such register.`)
        }
        if (this.#error) throw new FabricError('board', `${what} failed: ${reasonOf(this.#error)}.`)
        await new Promise<void>((resolve) => (this.#wake = resolve))
      }
    } finally {
      clearTimeout(timer)
    }
  }
}

const hex = (value: number): string => `0x${value.toString(16).padStart(2, '0')}`

/** The value of a field in the word of its register. */
export const fieldOf = (word: number, { start, end }: Field): number =>
  Number((BigInt(word >>> 0) >> BigInt(start)) & ((1n << BigInt(end - start + 1)) - 1n))

/** The word with another value in a field. Throws `bad-parameters` when the value does not fit or the field is not written. */
export function withField(word: number, field: Field, value: number): number {
  const bits = field.end - field.start + 1
  if (field.access !== 'RW' && field.access !== 'W1P')
    throw new FabricError('bad-parameters', `${field.name} can only be read.`)
  if (!Number.isSafeInteger(value) || value < 0 || value >= 2 ** bits)
    throw new FabricError(
      'bad-parameters',
      `${field.name} must be a whole number from 0 to ${2 ** bits - 1}, not ${value}.`,
    )
  const mask = ((1n << BigInt(bits)) - 1n) << BigInt(field.start)
  return Number((BigInt(word >>> 0) & ~mask) | (BigInt(value) << BigInt(field.start)))
}
