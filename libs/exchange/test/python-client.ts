/** The Python client, in a process of its own, with the calls of the TypeScript client. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import {
  type ClientOptions,
  ConflictError,
  ConsistencyError,
  type Declaration,
  ExchangeError,
  type GetOptions,
  type Message,
  StaleError,
  UnreachableError,
} from '../src/index.ts'

const pathOf = (relative: string): string => fileURLToPath(new URL(relative, import.meta.url))

/** A shared function that writes what it reads and a text. Without a text, it removes what it would write. */
export interface Append {
  /** Declared objects. */
  source: string
  target: string
  /** Objects it uses. */
  read: string
  write: string
  text: string
  fails?: boolean
}

/** A step of a transaction. An append writes what it reads and a text. */
export type Step =
  | { read: string }
  | { write: string; text: string }
  | { append: string; text: string }
  | { remove: string }
  | { sleepMs: number }
  | { fails: true }

const ERRORS = [ConflictError, ConsistencyError, StaleError, UnreachableError]
const textOf = (base64: string | null): string | null =>
  base64 === null ? null : Buffer.from(base64, 'base64').toString()

interface Reply {
  result?: unknown
  error?: string
  type?: string
  edge: string
  topics: string[]
  missed: number
}

/** Calls are carried out one after another. */
export class PythonClient {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #waiting: ((reply: Reply) => void)[] = []
  #state = { edge: '', topics: [] as string[], missed: 0 }

  private constructor() {
    const env = { ...process.env, PYTHONPATH: pathOf('../python') }
    this.#child = spawn('python3', [pathOf('./code/python_client.py')], { env })
    this.#child.stderr.pipe(process.stderr)
    createInterface({ input: this.#child.stdout }).on('line', (line) =>
      this.#waiting.shift()?.(JSON.parse(line) as Reply),
    )
  }

  static async connect({ name, edges, token, tries, tls }: ClientOptions): Promise<PythonClient> {
    const client = new PythonClient()
    const folder = tls && mkdtempSync(path.join(os.tmpdir(), 'hivemind-pem-'))
    const paths: Record<string, string> = {}
    for (const [part, text] of Object.entries(tls ?? {})) {
      paths[part] = path.join(folder as string, `${part}.pem`)
      writeFileSync(paths[part], text)
    }
    const patience = tries ? { tries: tries.count, interval: tries.intervalMs / 1_000 } : {}
    try {
      await client.#call('connect', { name, edges, token, ...patience, ...(tls && { tls: paths }) })
      return client
    } catch (error) {
      client.close()
      throw error
    } finally {
      if (folder) rmSync(folder, { recursive: true })
    }
  }

  get edge(): string {
    return this.#state.edge
  }

  get topics(): string[] {
    return this.#state.topics
  }

  get missed(): number {
    return this.#state.missed
  }

  async subscribe(topic: string): Promise<void> {
    await this.#call('subscribe', topic)
  }

  async unsubscribe(topic: string): Promise<void> {
    await this.#call('unsubscribe', topic)
  }

  async publish(topic: string, bytes: Uint8Array): Promise<void> {
    await this.#call('publish', { topic, bytes: Buffer.from(bytes).toString('base64') })
  }

  async getMessages(topic: string, options: GetOptions = {}): Promise<Message[]> {
    const messages = (await this.#call('getMessages', { topic, ...options })) as [number, string][]
    return messages.map(([number, bytes]) => ({ number, bytes: Buffer.from(bytes, 'base64') }))
  }

  /** The next messages as they come, up to a number of them, or until none comes for some time. */
  async messages(
    topic: string,
    options: { count: number; waitMs: number; publishes?: number; unsubscribes?: boolean },
  ): Promise<Message[]> {
    const found = (await this.#call('messages', { topic, ...options })) as [number, string][]
    return found.map(([number, bytes]) => ({ number, bytes: Buffer.from(bytes, 'base64') }))
  }

  async migrate(edge: string): Promise<void> {
    await this.#call('migrate', edge)
  }

  async read(name: string, lock?: string): Promise<string | null> {
    return textOf((await this.#call('read', { name, lock })) as string | null)
  }

  async write(name: string, text: string, lock?: string): Promise<void> {
    await this.#call('write', { name, bytes: Buffer.from(text).toString('base64'), lock })
  }

  async remove(name: string, lock?: string): Promise<void> {
    await this.#call('remove', { name, lock })
  }

  async eventualRemove(name: string): Promise<void> {
    await this.#call('eventualRemove', { name })
  }

  async lock(names: readonly string[]): Promise<string> {
    return (await this.#call('lock', names)) as string
  }

  async unlock(lock: string): Promise<void> {
    await this.#call('unlock', lock)
  }

  async append(append: Append): Promise<void> {
    await this.#call('append', append)
  }

  async eventualOpen(name: string, wanted: Partial<Declaration> = {}): Promise<Declaration> {
    return (await this.#call('eventualOpen', { name, ...wanted })) as Declaration
  }

  async eventualRead(name: string, maxAgeMs?: number): Promise<string | null> {
    const age = maxAgeMs === Number.POSITIVE_INFINITY ? 'any' : maxAgeMs
    return textOf((await this.#call('eventualRead', { name, maxAgeMs: age })) as string | null)
  }

  async eventualWrite(name: string, text: string): Promise<void> {
    await this.#call('eventualWrite', { name, bytes: Buffer.from(text).toString('base64') })
  }

  async eventualSettled(name: string, waitMs: number): Promise<void> {
    await this.#call('eventualSettled', { name, waitMs })
  }

  async transaction(steps: readonly Step[], attempts?: number): Promise<(string | null)[]> {
    return ((await this.#call('transaction', { steps, attempts })) as (string | null)[]).map(textOf)
  }

  /** The first values that an object has and takes. */
  async follow(name: string, eventual: boolean, count: number): Promise<(string | null)[]> {
    return ((await this.#call('follow', { name, eventual, count })) as (string | null)[]).map(textOf)
  }

  close(): void {
    this.#child.kill()
  }

  async #call(call: string, argument: unknown): Promise<Reply['result']> {
    const reply = await new Promise<Reply>((resolve) => {
      this.#waiting.push(resolve)
      this.#child.stdin.write(`${JSON.stringify({ call, argument })}\n`)
    })
    const { result, error, type, ...state } = reply
    this.#state = state
    if (error === undefined) return result
    throw new (ERRORS.find(({ name }) => name === type) ?? ExchangeError)(error)
  }
}
