/** The lambdas bound to a store: which run for a key, and in which queue an object waits. */
import { randomUUID } from 'node:crypto'
import type {
  Binding,
  Lambda,
  LambdaContext,
  LambdaObject,
  LambdaOptions,
  LambdaStatistics,
  LambdaStore,
  ObjectInfo,
} from '../contract.ts'
import { InvalidOptionError } from '../errors.ts'
import { PrefixTrie } from '../prefix-trie.ts'
import { bindingOptions } from './options.ts'
import { newRunner } from './runner.ts'
import { Upcall } from './upcalls.ts'

/** Finds and runs the lambdas of a store. */
export class Lambdas {
  readonly #store: LambdaStore
  readonly #bound = new PrefixTrie<BoundLambda>()
  readonly #all = new Set<BoundLambda>()
  /** Makes the ids of trigger puts different from those before a restart. */
  readonly #name = randomUUID()
  #triggers = 0

  /** @param store what lambdas find as `context.store` */
  constructor(store: LambdaStore) {
    this.#store = store
  }

  /** Whether any lambda is bound. */
  get some(): boolean {
    return this.#bound.size > 0
  }

  /** Binds a lambda to a prefix. Throws `InvalidOptionError`. */
  bind(prefix: string, lambda: Lambda, options: LambdaOptions): Binding {
    const bound = new BoundLambda(prefix, lambda, options, this.#store, () => {
      remove()
      this.#all.delete(bound)
    })
    const remove = this.#bound.add(prefix, bound)
    this.#all.add(bound)
    return bound
  }

  /**
   * Queues an object for its lambdas. Returns a promise when its writer has to wait.
   * @param bytes null for an object written in pieces
   * @param info null for a trigger put, whose bytes nobody else has
   */
  dispatch(
    key: string,
    type: string,
    bytes: Uint8Array | null,
    info: ObjectInfo | null,
  ): Promise<unknown> | undefined {
    const matching = this.#bound.match(key)
    if (matching.length === 0) return undefined
    const id = info ? String(info.version) : `${this.#name}-${++this.#triggers}`
    const object: LambdaObject = { key, type, bytes, info, id, attempt: 1 }
    const owned = info === null && matching.length === 1
    if (matching.length === 1) return (matching[0] as BoundLambda).add(object, owned)
    return Promise.all(matching.map((lambda) => lambda.add(object, owned)))
  }

  /** Closes all bindings. */
  async close(): Promise<void> {
    await Promise.all([...this.#all].map((bound) => bound.close()))
  }
}

class BoundLambda implements Binding {
  readonly #on: 'put' | 'trigger' | 'both'
  readonly #byKey: boolean
  readonly #upcalls: Upcall[]
  readonly #counts = { done: 0, failed: 0, dropped: 0 }
  readonly #unbind: () => void
  readonly #idle = new Set<() => void>()
  #turn = 0

  constructor(
    prefix: string,
    lambda: Lambda,
    options: LambdaOptions,
    store: LambdaStore,
    unbind: () => void,
  ) {
    const complete = bindingOptions(options)
    const { on, order, concurrency, queueLimit, policy, group } = complete
    if (group !== undefined)
      throw new InvalidOptionError(
        `The option group is '${group}', but an embedded store has the members of one process: leave it out, or open a store on Redis.`,
      )
    this.#on = on
    this.#byKey = order === 'key'
    this.#unbind = unbind
    const context: LambdaContext = { store, config: options.config }
    const limits = { queueLimit, policy, ...(options.onError && { onError: options.onError }) }
    this.#upcalls = Array.from(
      { length: concurrency },
      (_, index) =>
        new Upcall(newRunner(lambda, context, prefix, complete, index), limits, this.#counts, () =>
          this.#rest(),
        ),
    )
  }

  add(object: LambdaObject, owned: boolean): Promise<void> | undefined {
    if (this.#on !== 'both' && (this.#on === 'put') === (object.info === null)) return undefined
    const { length } = this.#upcalls
    const at = length === 1 ? 0 : this.#byKey ? hash(object.key) % length : this.#turn++ % length
    return (this.#upcalls[at] as Upcall).add(object, owned)
  }

  async statistics(): Promise<LambdaStatistics> {
    return {
      queued: this.#upcalls.reduce((sum, { queued }) => sum + queued, 0),
      running: this.#upcalls.filter(({ running }) => running).length,
      ...this.#counts,
    }
  }

  async drained(): Promise<void> {
    while (this.#upcalls.some(({ running }) => running))
      await new Promise<void>((resolve) => this.#idle.add(resolve))
  }

  async close(): Promise<void> {
    this.#unbind()
    for (const upcall of this.#upcalls) upcall.close()
    await this.drained()
  }

  #rest(): void {
    if (this.#idle.size === 0) return
    for (const resolve of this.#idle) resolve()
    this.#idle.clear()
  }
}

/** FNV-1a. */
function hash(text: string): number {
  let sum = 0x811c9dc5
  for (let at = 0; at < text.length; at++) sum = Math.imul(sum ^ text.charCodeAt(at), 0x01000193)
  return sum >>> 0
}
