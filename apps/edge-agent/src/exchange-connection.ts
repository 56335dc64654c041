/** The connection of a flow to the exchange: a configuration node of Node-RED that subscribe, publish and object nodes share. */
import { readFile } from 'node:fs/promises'
import type { ExchangeClient, Message, TlsOptions } from '@hivemind/exchange'
import type { FlowMessage } from './messages.ts'

/** A status dot of Node-RED. */
export interface Status {
  fill: 'green' | 'yellow' | 'red'
  shape: 'dot' | 'ring'
  text: string
}

/** What the nodes use of a node as Node-RED makes it. */
export interface RedNode {
  send(message: FlowMessage): void
  error(text: string, message?: unknown): void
  status(status: Status): void
  on(event: 'close', listener: () => void): void
  on(
    event: 'input',
    listener: (
      message: FlowMessage,
      send: (message: FlowMessage) => void,
      done: (error?: Error) => void,
    ) => void,
  ): void
}

/** What is set in the configuration node. */
export interface ConnectionConfig {
  /** Name of the client, which no other client of the exchange has. */
  client: string
  /** Addresses of edge nodes (host:port), separated by commas. */
  edges: string
  /** Paths of PEM files for TLS: of the authority of the edge nodes, and of this client; '' for none. */
  ca?: string
  cert?: string
  key?: string
}

export const CONNECTING: Status = { fill: 'yellow', shape: 'ring', text: 'connecting' }
export const CONNECTED: Status = { fill: 'green', shape: 'dot', text: 'connected' }
export const failed = (text: string): Status => ({ fill: 'red', shape: 'ring', text })

const RETRY_MS = 2_000
/** Time after which topics that no node of the flow subscribes to are forgotten. */
const FORGET_MS = 5_000

interface Subscriber {
  onMessage(message: Message): void
  onStatus(status: Status): void
}

/** A client of the exchange that is connected as soon as an edge node answers. */
export class ExchangeConnection {
  readonly client: Promise<ExchangeClient>
  readonly #topics = new Map<string, Set<Subscriber>>()
  readonly #timers = new Set<NodeJS.Timeout>()
  #isClosed = false
  #opened: ExchangeClient | null = null
  /** Why there is no connection yet; '' when it has not failed. */
  failure = ''

  /** `node`: the configuration node, with which the connection ends. */
  constructor(node: Pick<RedNode, 'on' | 'error'>, config: ConnectionConfig, token: string) {
    const edges = config.edges.split(',').map((edge) => edge.trim())
    this.client = this.#open(node, { name: config.client, edges: edges.filter(Boolean), token }, config)
    // Nodes that use it hear of it; a flow without one has nobody to tell.
    this.client.catch(() => {})
    node.on('close', () => this.#close())
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Gives the messages of a topic to a node, until the returned function is called. */
  subscribe(topic: string, subscriber: Subscriber): () => void {
    const subscribers = this.#topics.get(topic) ?? new Set()
    if (!this.#topics.has(topic)) {
      this.#topics.set(topic, subscribers)
      void this.#pass(topic, subscribers)
    }
    subscribers.add(subscriber)
    return () => {
      subscribers.delete(subscriber)
      if (subscribers.size > 0 || this.#topics.get(topic) !== subscribers) return
      this.#topics.delete(topic)
      void this.#forgetLater()
    }
  }

  /** Waits before something is tried again. Resolves to whether the connection is still wanted. */
  async pause(): Promise<boolean> {
    if (this.#isClosed) return false
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        resolve()
      }, RETRY_MS)
      this.#timers.add(timer)
    })
    return !this.#isClosed
  }

  async #open(
    node: Pick<RedNode, 'error'>,
    options: { name: string; edges: string[]; token: string },
    files: Pick<ConnectionConfig, 'ca' | 'cert' | 'key'>,
  ): Promise<ExchangeClient> {
    if (!options.name)
      throw new Error('The exchange node has no client name: set one that no other client has.')
    if (options.edges.length === 0)
      throw new Error('The exchange node has no edge nodes: set addresses such as 127.0.0.1:7411.')
    // Not before a flow needs it: it loads a database that most agents have no use for.
    const { ExchangeClient, UnreachableError } = await import('@hivemind/exchange')
    const tls = await certificatesOf(files)
    for (;;) {
      try {
        const client = await ExchangeClient.connect({ ...options, ...(tls && { tls }) })
        this.failure = ''
        if (this.#isClosed) client.close()
        this.#opened = client
        void this.#forgetLater()
        return client
      } catch (error) {
        if (!(error instanceof UnreachableError)) throw error
        if (!this.failure) node.error(`The exchange is not reached: ${error.message} It is tried again.`)
        this.failure = error.message
        if (!(await this.pause())) throw error
      }
    }
  }

  /** Passes messages on. One node after another has had each before the edge node is told that it was received. */
  async #pass(topic: string, subscribers: Set<Subscriber>): Promise<void> {
    const tell = (status: Status) => {
      for (const subscriber of subscribers) subscriber.onStatus(status)
    }
    while (this.#topics.get(topic) === subscribers && !this.#isClosed) {
      try {
        const client = await this.client
        await client.subscribe(topic)
        tell(CONNECTED)
        for await (const message of client.messages(topic)) {
          for (const subscriber of subscribers) subscriber.onMessage(message)
          if (this.#topics.get(topic) !== subscribers) return
        }
      } catch (error) {
        if (this.#isClosed) return
        tell(failed((error as Error).message))
        if (!this.#opened || !(await this.pause())) return
      }
    }
  }

  async #forgetLater(): Promise<void> {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(() => {
        this.#timers.delete(timer)
        resolve()
      }, FORGET_MS)
      this.#timers.add(timer)
    })
    for (const topic of this.#opened?.topics ?? [])
      if (!this.#topics.has(topic)) await this.#opened?.unsubscribe(topic).catch(() => {})
  }

  #close(): void {
    this.#isClosed = true
    for (const timer of this.#timers) clearTimeout(timer)
    this.#opened?.close()
  }
}

/** The certificates that are set, or null when there are none. */
async function certificatesOf(
  files: Pick<ConnectionConfig, 'ca' | 'cert' | 'key'>,
): Promise<TlsOptions | null> {
  const texts: Partial<TlsOptions> = {}
  for (const part of ['ca', 'cert', 'key'] as const) {
    const file = files[part]
    if (!file) continue
    texts[part] = await readFile(file, 'utf8').catch((error: Error) => {
      throw new Error(
        `The exchange node names a file for ${part} that cannot be read: ${error.message}. Correct its path.`,
      )
    })
  }
  if (Object.keys(texts).length === 0) return null
  if (texts.ca === undefined)
    throw new Error(
      'The exchange node has a certificate and no authority: set the file of the authority too.',
    )
  return { ...texts, ca: texts.ca }
}
