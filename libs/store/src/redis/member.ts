/** A bound lambda of a Redis store: a member of a group, which takes objects from its queues and runs the lambda for them. */
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Cluster, Redis } from 'ioredis'
import type { Binding, Lambda, LambdaContext, LambdaObject, LambdaStatistics } from '../contract.ts'
import { InvalidOptionError, LambdaError, UnavailableError } from '../errors.ts'
import type { BindingOptions } from '../lambdas/options.ts'
import { newRunner, type Runner } from '../lambdas/runner.ts'
import { accepted, entryOf } from './replies.ts'
import type { RedisServer, Reply } from './server.ts'

const RETRY_MS = 200
const POLL_MS = 10
/** So much later than it should, an answer is not waited for any more. */
const LATE_MS = 1_000
/** After so many deliveries that no member finished, an object counts as failed. */
const MAX_ATTEMPTS = 5
/** Texts of an object in the answer of `take`. */
const FIELDS = 9

/** Where the objects of a member are. */
export interface Membership {
  server: RedisServer
  /** Path of the pool, and what the names of its Redis keys begin with. */
  pool: string
  key: string
  prefix: string
  /** How long a member may be silent before its objects are given to others, in ms. */
  leaseMs: number
  /** Called with the version of each object that it is given, before the lambda runs; 0 for a trigger put. */
  onDelivery: (version: number) => void
  /** Called when the member has left. */
  onClosed: () => void
}

interface Delivery {
  queue: string
  entry: string
  object: LambdaObject
}

/** A member of a group. */
export class Member implements Binding {
  readonly #at: Membership
  readonly #options: BindingOptions
  readonly #name: string
  readonly #id = randomUUID()
  /** Its name among the members. */
  readonly #member: string
  readonly #runners: readonly Runner[]
  readonly #idle: Runner[]
  readonly #running = new Map<Delivery, Promise<void>>()
  /** Ends the wait for an object that is under way. */
  #endWait = (): void => {}
  #wakes: Redis | Cluster
  #freed = Promise.withResolvers<void>()
  #lastWake = '0-0'
  #turn = 0
  #beats: NodeJS.Timeout | undefined
  #serving: Promise<void> | null = null
  #closing: Promise<void> | null = null
  #left: LambdaStatistics | null = null

  constructor(at: Membership, lambda: Lambda, options: BindingOptions, context: LambdaContext) {
    this.#at = at
    this.#options = options
    this.#name = options.group ?? this.#id
    this.#member = options.member ?? this.#id
    this.#runners = Array.from({ length: options.concurrency }, (_, index) =>
      newRunner(lambda, context, at.prefix, options, index),
    )
    this.#wakes = at.server.duplicate()
    this.#idle = [...this.#runners]
  }

  /** Joins the group. Rejects when it is there with other options. */
  async join(): Promise<this> {
    try {
      await this.#join()
    } catch (error) {
      this.#wakes.disconnect()
      throw error
    }
    this.#beats = setInterval(() => void this.#beat(), this.#at.leaseMs / 3)
    this.#serving = this.#serve()
    return this
  }

  async statistics(): Promise<LambdaStatistics> {
    if (this.#left) return this.#left
    return statisticsOf(await this.#call('statistics', []))
  }

  async drained(): Promise<void> {
    for (;;) {
      const { queued, running } = await this.statistics()
      if (queued + running === 0) return
      await sleep(POLL_MS)
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#freed.resolve()
    this.#endWait()
    this.#wakes.disconnect()
    await this.#serving
    // It may have been replaced meanwhile.
    this.#wakes.disconnect()
    if (this.#options.group === undefined) await this.#call('shut', []).catch(() => {})
    for (const runner of this.#runners) runner.close()
    await Promise.all(this.#running.values())
    clearInterval(this.#beats)
    await this.#call('leave', [this.#id, this.#member]).then(
      (reply) => {
        this.#left = statisticsOf(reply)
      },
      // The server is away: the group is dropped when its members have been silent for long.
      () => {},
    )
    this.#at.onClosed()
  }

  async #join(): Promise<void> {
    const { on, order, queueLimit, policy, group, dispatch } = this.#options
    const { leaseMs, prefix, pool } = this.#at
    const named = group === undefined ? 0 : 1
    const where = `${dispatch === 'any' ? '' : dispatch}${prefix}`
    const spec = [on, order, queueLimit, policy, leaseMs, named, where].join('|')
    const reply = accepted(await this.#call('join', [spec, this.#member]), pool)
    if (reply.status === 'differs')
      throw new InvalidOptionError(
        `The group '${group}' is there with other options: ${reply.text(0)} instead of ${spec} (on, order, queueLimit, policy, lease in ms, named, dispatch and prefix). Use these, or another name.`,
      )
  }

  async #serve(): Promise<void> {
    while (!this.#closing)
      try {
        if (this.#idle.length === 0) await this.#freed.promise
        else if (!(await this.#take())) await this.#wait()
      } catch {
        // The server is away, or the pool is: what was given to this member and got lost is given to it again.
        if (!this.#closing) await sleep(RETRY_MS)
      }
  }

  /** Runs what there is for the idle runners. Returns whether there was anything. */
  async #take(): Promise<boolean> {
    const reply = await this.#call('take', [this.#id, this.#idle.length, this.#turn++, this.#member])
    if (reply.status === 'gone') await this.#join()
    for (let at = 0; at + FIELDS <= reply.values.length; at += FIELDS) {
      const delivery = deliveryOf(reply.values.slice(at, at + FIELDS))
      this.#at.onDelivery(delivery.object.info?.version ?? 0)
      this.#running.set(delivery, this.#run(this.#idle.pop() as Runner, delivery))
    }
    return reply.values.length > 0
  }

  /** Waits for an object to be queued, or until one may have been left by a member that is silent. */
  async #wait(): Promise<void> {
    const stream = `${this.#at.key}:wake`
    const timeoutMs = Math.ceil(this.#at.leaseMs / 2)
    const reading = this.#wakes.xread('BLOCK', timeoutMs, 'STREAMS', stream, this.#lastWake)
    reading.catch(() => {})
    const waiting = new AbortController()
    this.#endWait = () => waiting.abort()
    const late = sleep(timeoutMs + LATE_MS, 'late' as const, { signal: waiting.signal })
    const answer = await Promise.race([reading, late]).finally(this.#endWait)
    if (answer === 'late') {
      // A connection to a cluster may never come to be, and then neither answers nor fails.
      this.#wakes.disconnect()
      this.#wakes = this.#at.server.duplicate()
    } else this.#lastWake = answer?.[0]?.[1].at(-1)?.[0] ?? this.#lastWake
  }

  async #run(runner: Runner, delivery: Delivery): Promise<void> {
    const { object } = delivery
    let outcome = 'done'
    try {
      if (object.attempt > MAX_ATTEMPTS)
        throw new LambdaError(`'${object.key}' was given to ${MAX_ATTEMPTS} members, and none finished.`)
      await runner.run(object, true)
    } catch (error) {
      outcome = 'failed'
      if (!this.#closing)
        this.#options.onError?.(error instanceof Error ? error : new Error(String(error)), object)
    }
    const settled = this.#settle(delivery, outcome)
    this.#idle.push(runner)
    this.#freed.resolve()
    this.#freed = Promise.withResolvers()
    await settled
    this.#running.delete(delivery)
  }

  async #settle({ queue, entry }: Delivery, outcome: string): Promise<void> {
    for (let tries = 0; tries < MAX_ATTEMPTS; tries++)
      try {
        await this.#call('settle', [this.#id, queue, entry, outcome])
        return
      } catch (error) {
        if (!(error instanceof UnavailableError)) return
        await sleep(RETRY_MS)
      }
  }

  async #beat(): Promise<void> {
    const running = [...this.#running.keys()].flatMap(({ queue, entry }) => [queue, entry])
    await this.#call('beat', [this.#id, this.#member, ...running]).catch(() => {})
  }

  #call(name: string, args: readonly (string | number)[]) {
    return this.#at.server.read(name, this.#at.key, [this.#name, ...args])
  }
}

function deliveryOf(values: Buffer[]): Delivery {
  const text = (at: number) => String(values[at])
  const [key, info] = [text(3), text(6)]
  return {
    queue: text(0),
    entry: text(1),
    object: {
      key,
      type: text(4),
      // A copy: the buffer is part of a larger one, all of which would be sent to an isolated lambda.
      bytes: text(7) === '1' ? new Uint8Array(values[8] as Buffer) : null,
      info: info === '' ? null : entryOf(key, info).info,
      id: text(5),
      attempt: Number(text(2)),
    },
  }
}

const statisticsOf = ({ text }: Reply): LambdaStatistics => ({
  queued: Number(text(0)),
  running: Number(text(1)),
  done: Number(text(2)),
  failed: Number(text(3)),
  dropped: Number(text(4)),
})
