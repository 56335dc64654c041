/** Connections to a Redis server or cluster, and calls of the store's functions there. */
import { Cluster, Redis, type RedisOptions } from 'ioredis'
import { ReplicationError, StoreError, UnavailableError } from '../errors.ts'
import { LIBRARY } from './functions.ts'

/** Longest time to wait for replicas, in ms. */
const REPLICATION_TIMEOUT_MS = 5_000

/** Answers of a server that is not the primary of a slot (now). */
const NOT_CARRIED_OUT = /^(MOVED|ASK|TRYAGAIN|CLUSTERDOWN|READONLY)\b/
/** Answer of a server that has started without the functions, or took over from a primary that had not passed them on. */
const WITHOUT_FUNCTIONS = /Function not found/
const MAX_REDIRECTIONS = 16
const REDIRECTION_DELAY_MS = 100

type Argument = string | Buffer | number
type Outcomes = [error: Error | null, answer: unknown][] | null

/** What a function answers: a status, then texts and bytes. */
export interface Reply {
  status: string
  values: Buffer[]
  text(at: number): string
}

// A command whose answer was lost may have been carried out: it is reported, not sent again.
const CONNECTION = { autoResendUnfulfilledCommands: false, maxRetriesPerRequest: 3 } as const
const MAX_RECONNECT_MS = 2_000

/** Where servers are, and how to trust them and their writes. */
export interface ServerOptions {
  /** Of a server, or of any of a cluster; `rediss:` for TLS. */
  url: string
  /** PEM text of the authority that vouches for servers with TLS; those that Node.js knows when absent. */
  authority?: string | undefined
  /** How many replicas must have a write. */
  replicas: number
}

/** One Redis server, or a cluster of them. */
export class RedisServer {
  readonly #options: ServerOptions
  readonly #client: Redis | Cluster

  private constructor(options: ServerOptions, client: Redis | Cluster) {
    this.#options = options
    this.#client = client
    // Every command that fails says so by itself.
    client.on('error', () => {})
  }

  /** Connects to a server, or to the cluster it belongs to, and loads the functions. Rejects with `StoreError`. */
  static async connect(options: ServerOptions): Promise<RedisServer> {
    const first = new Redis({ ...connectionOf(options), lazyConnect: true, retryStrategy: () => null })
    // Why a connection is refused; the command says only that it is closed.
    let refusal: Error | undefined
    first.on('error', (error) => {
      refusal = error
    })
    let server: RedisServer | null = null
    try {
      await first.connect()
      const [, major = '0'] = /redis_version:(\d+)/.exec(await first.info('server')) ?? []
      if (Number(major) < 7) throw new Error(`it is of version ${major}, and the store needs 7 or later`)
      const clustered = (await first.info('cluster')).includes('cluster_enabled:1')
      server = new RedisServer(options, clustered ? await openCluster(options) : openSingle(options))
      for (const load of await server.#loadFunctions()) if (load.status === 'rejected') throw load.reason
      return server
    } catch (error) {
      await server?.close()
      const { host } = new URL(options.url)
      throw new StoreError(
        `The Redis server ${host} cannot be used: ${(refusal ?? (error as Error)).message}.`,
      )
    } finally {
      first.disconnect()
    }
  }

  /** Loads the functions on every primary that can be reached. */
  #loadFunctions(): Promise<PromiseSettledResult<unknown>[]> {
    return Promise.allSettled(this.#masters().map((node) => node.function('LOAD', 'REPLACE', LIBRARY)))
  }

  #masters(): Redis[] {
    return this.#client instanceof Cluster ? this.#client.nodes('master') : [this.#client]
  }

  /** Another connection, for commands that wait. */
  duplicate(): Redis | Cluster {
    const copy: Redis | Cluster =
      this.#client instanceof Cluster ? this.#client.duplicate() : openSingle(this.#options)
    copy.on('error', () => {})
    return copy
  }

  /** Sends a command about one key. */
  async command<T>(name: string, ...args: Argument[]): Promise<T> {
    return (await this.#guard(this.#client.callBuffer(name, ...args))) as T
  }

  /** The time of each primary, in microseconds since 1970. */
  async times(): Promise<number[]> {
    const times = await this.#guard(Promise.all(this.#masters().map((node) => node.time())))
    return times.map(([seconds, microseconds]) => Number(seconds) * 1_000_000 + Number(microseconds))
  }

  /** Calls a function that reads, or whose writes may be lost with the server. */
  async read(name: string, key: string, args: readonly Argument[]): Promise<Reply> {
    return replyOf((await this.call(name, key, args)) as Buffer[])
  }

  /** Calls a function that writes, and waits for as many replicas as the store is to have. */
  async write(name: string, key: string, args: readonly Argument[]): Promise<Reply> {
    const { answer, unconfirmed } = await this.#confirmed(name, key, args)
    const reply = replyOf(answer as Buffer[])
    if (unconfirmed && reply.status === 'ok') throw unconfirmed
    return reply
  }

  /** The same for a function that makes several writes: of those that too few replicas have, the error. */
  async writeAll(
    name: string,
    key: string,
    args: readonly Argument[],
  ): Promise<(Reply | ReplicationError)[]> {
    const { answer, unconfirmed } = await this.#confirmed(name, key, args)
    return (answer as Buffer[][]).map((each) => {
      const reply = replyOf(each)
      return unconfirmed && reply.status === 'ok' ? unconfirmed : reply
    })
  }

  /** Calls a function, and gives what it answers as it is. */
  call(name: string, key: string, args: readonly Argument[]): Promise<unknown> {
    const send = () => this.#client.callBuffer('fcall', `hivemind_${name}`, 1, key, ...args)
    const answer = send().catch(async (error: Error) => {
      if (!WITHOUT_FUNCTIONS.test(error.message)) throw error
      await this.#loadFunctions()
      return send()
    })
    return this.#guard(answer)
  }

  /** The answer of a function, and an error when too few replicas have what it wrote. */
  async #confirmed(
    name: string,
    key: string,
    args: readonly Argument[],
  ): Promise<{ answer: unknown; unconfirmed: ReplicationError | null }> {
    const { replicas } = this.#options
    if (replicas === 0) return { answer: await this.call(name, key, args), unconfirmed: null }
    const [answer, waited] = (await this.#replicated([`hivemind_${name}`, 1, key, ...args])) ?? []
    const refusal = answer?.[0] ?? waited?.[0]
    if (refusal) throw storeError(refusal)
    const confirmed = Number(waited?.[1])
    const unconfirmed =
      confirmed < replicas
        ? new ReplicationError(
            `The write is kept, but ${confirmed} of ${replicas} replicas confirmed it within ${REPLICATION_TIMEOUT_MS} ms.`,
          )
        : null
    return { answer: answer?.[1], unconfirmed }
  }

  /** Calls a function and waits for the replicas, again when the slot of its key is elsewhere. Resolves with the outcomes of both. */
  #replicated(args: readonly Argument[], redirections = 0): Promise<Outcomes> {
    // One pipeline, so that WAIT goes to the same connection.
    const pipeline = this.#client.pipeline()
    pipeline.callBuffer('fcall', ...args)
    pipeline.wait(this.#options.replicas, REPLICATION_TIMEOUT_MS)
    return pipeline.exec().then(
      (outcomes) => {
        const refusal = outcomes?.[0]?.[0]?.message
        return refusal === undefined ? outcomes : this.#refused(args, refusal, outcomes, redirections)
      },
      (error: Error) => {
        throw storeError(error)
      },
    )
  }

  async #refused(args: readonly Argument[], refusal: string, outcomes: Outcomes, redirections: number) {
    if (redirections === MAX_REDIRECTIONS) return outcomes
    const cluster = this.#client
    if (WITHOUT_FUNCTIONS.test(refusal)) await this.#loadFunctions()
    // The client follows redirections of a pipeline only when all its commands have the same.
    else if (NOT_CARRIED_OUT.test(refusal) && cluster instanceof Cluster) {
      await new Promise((resolve) => cluster.refreshSlotsCache(resolve))
      if (redirections > 0) await new Promise((resolve) => setTimeout(resolve, REDIRECTION_DELAY_MS))
    } else return outcomes
    return this.#replicated(args, redirections + 1)
  }

  async close(): Promise<void> {
    await this.#client.quit().catch(() => this.#client.disconnect())
  }

  #guard<T>(answer: Promise<T>): Promise<T> {
    return answer.catch((error: Error) => {
      throw storeError(error)
    })
  }
}

const storeError = ({ message }: Error): StoreError =>
  new UnavailableError(`Redis did not answer as it should: ${message} A write may have been carried out.`)

/** What every connection has, to the server that the URL names and to others of its cluster. */
function connectionOf({ url, authority }: ServerOptions): RedisOptions & { host: string; port: number } {
  const { protocol, hostname, port, username, password, pathname } = new URL(url)
  return {
    ...CONNECTION,
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    db: Number(pathname.slice(1) || 0),
    ...(username && { username: decodeURIComponent(username) }),
    ...(password && { password: decodeURIComponent(password) }),
    ...(protocol === 'rediss:' && { tls: authority === undefined ? {} : { ca: authority } }),
  }
}

/** Connects to one server, again whenever the connection is lost. */
function openSingle(options: ServerOptions): Redis {
  const client: Redis = new Redis({
    ...connectionOf(options),
    retryStrategy(attempt) {
      // The client would leave the commands that were under way without any answer. A cluster refuses them.
      const { flushQueue } = client as unknown as { flushQueue(error: Error, options: object): void }
      flushQueue.call(client, new Error('the connection was lost.'), { offlineQueue: false })
      return Math.min(attempt * 50, MAX_RECONNECT_MS)
    },
  })
  return client
}

async function openCluster(options: ServerOptions): Promise<Cluster> {
  // A cluster has no databases but the first.
  const { host, port, db: _, ...redisOptions } = connectionOf(options)
  const cluster = new Cluster([{ host, port }], {
    redisOptions,
    // Names stay names, which the certificates of servers have, and whose addresses may change.
    dnsLookup: (name, found) => found(null, name),
    retryDelayOnFailover: 0,
  })
  cluster.on('error', () => {})
  await new Promise<void>((resolve, reject) => {
    cluster.once('ready', resolve)
    cluster.once('end', () => reject(new Error('the cluster does not answer')))
  })
  return cluster
}

function replyOf([status, ...values]: Buffer[]): Reply {
  return {
    status: String(status),
    values,
    text: (at) => String(values[at] ?? ''),
  }
}
