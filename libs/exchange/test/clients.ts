/** The clients that are held to the same tests: for TypeScript and for Python, with texts as values. */
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type ClientOptions,
  type Declaration,
  ExchangeClient,
  ExchangeError,
  type ObjectLock,
} from '../src/index.ts'
import { type Append, PythonClient, type Step } from './python-client.ts'

const textOf = (value: Uint8Array | null): string | null => value && Buffer.from(value).toString()

/** The client for TypeScript, with texts and the calls of `PythonClient`. */
class TypeScriptClient {
  readonly #client: ExchangeClient
  readonly #locks = new Map<string, ObjectLock>()

  private constructor(client: ExchangeClient) {
    this.#client = client
  }

  static async connect(options: ClientOptions): Promise<TypeScriptClient> {
    return new TypeScriptClient(await ExchangeClient.connect(options))
  }

  async read(name: string, lock = ''): Promise<string | null> {
    return textOf(await this.#client.objects.read(name, this.#locks.get(lock)))
  }

  write(name: string, text: string, lock = ''): Promise<void> {
    return this.#client.objects.write(name, Buffer.from(text), this.#locks.get(lock))
  }

  remove(name: string, lock = ''): Promise<void> {
    return this.#client.objects.remove(name, this.#locks.get(lock))
  }

  async eventualRemove(name: string): Promise<void> {
    await (await this.#client.objects.eventual(name)).remove()
  }

  async lock(names: readonly string[]): Promise<string> {
    const lock = await this.#client.objects.lock(names)
    this.#locks.set(lock.token, lock)
    return lock.token
  }

  async unlock(token: string): Promise<void> {
    await this.#client.objects.unlock(this.#locks.get(token) as ObjectLock)
  }

  append({ source, target, read, write, text, fails = false }: Append): Promise<void> {
    return this.#client.objects.sharedFn({ reads: [source], writes: [target] }, (objects) => {
      if (text === '') return objects.remove(write)
      objects.write(write, Buffer.from(`${Buffer.from(objects.read(read) ?? '')}${text}`))
      if (fails) throw new ExchangeError('The function fails.')
    })
  }

  async eventualOpen(name: string, wanted: Partial<Declaration> = {}): Promise<Declaration> {
    return (await this.#client.objects.eventual(name, wanted)).declaration
  }

  async eventualRead(name: string, maxAgeMs?: number): Promise<string | null> {
    const object = await this.#client.objects.eventual(name)
    return textOf(await object.read(maxAgeMs === undefined ? {} : { maxAgeMs }))
  }

  async eventualWrite(name: string, text: string): Promise<void> {
    await (await this.#client.objects.eventual(name)).write(Buffer.from(text))
  }

  async eventualSettled(name: string, waitMs: number): Promise<void> {
    await (await this.#client.objects.eventual(name)).settled(waitMs)
  }

  async transaction(steps: readonly Step[], attempts?: number): Promise<(string | null)[]> {
    const options = attempts === undefined ? {} : { attempts }
    return this.#client.objects.transaction(async (transaction) => {
      const reads: (string | null)[] = []
      for (const step of steps) {
        if ('read' in step) reads.push(textOf(await transaction.read(step.read)))
        else if ('write' in step) transaction.write(step.write, Buffer.from(step.text))
        else if ('append' in step) {
          const value = textOf(await transaction.read(step.append)) ?? ''
          transaction.write(step.append, Buffer.from(value + step.text))
        } else if ('remove' in step) transaction.remove(step.remove)
        else if ('sleepMs' in step) await sleep(step.sleepMs)
        else throw new ExchangeError('The function fails.')
      }
      return reads
    }, options)
  }

  /** The first values that an object has and takes. */
  async follow(name: string, eventual: boolean, count: number): Promise<(string | null)[]> {
    const { objects } = this.#client
    const values: (string | null)[] = []
    for await (const value of eventual ? (await objects.eventual(name)).changes() : objects.changes(name)) {
      values.push(textOf(value))
      if (values.length === count) break
    }
    return values
  }

  migrate(edge: string): Promise<void> {
    return this.#client.migrate(edge)
  }

  close(): void {
    this.#client.close()
  }
}

/** What both clients can do with objects. */
export type ObjectClient = Pick<TypeScriptClient, keyof TypeScriptClient>

/** The clients, by language. */
export const CLIENTS: [string, { connect(options: ClientOptions): Promise<ObjectClient> }][] = [
  ['TypeScript', TypeScriptClient],
  ['Python', PythonClient],
]
