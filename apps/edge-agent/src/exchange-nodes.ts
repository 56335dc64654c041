/** Nodes of a flow that use the exchange: subscribe, publish, and shared objects. `flow-nodes/hivemind-exchange.cjs` registers them. */
import type { EventualObject, ExchangeClient } from '@hivemind/exchange'
import {
  CONNECTED,
  CONNECTING,
  type ConnectionConfig,
  ExchangeConnection,
  failed,
  type RedNode,
  type Status,
} from './exchange-connection.ts'
import type { FlowMessage } from './messages.ts'

/** What payloads are made from bytes. */
type Format = 'text' | 'json' | 'buffer'

interface SubscribeConfig {
  topic: string
  format: Format
}

interface PublishConfig {
  /** Topic, in place of that of the message. */
  topic: string
}

interface ObjectConfig {
  /** Name of the object, in place of `message.object`. */
  object: string
  action: 'read' | 'write' | 'remove' | 'follow'
  consistency: 'linearizable' | 'serializable' | 'eventual'
  format: Format
  /** For an eventual object; '' as it was made. */
  merge?: string
  recencyMs?: number | string
}

/** A message of a shared object has its name too. */
interface ObjectMessage extends FlowMessage {
  object?: string
}

/** What node files find as `RED.settings.hivemind.exchange`. */
export const exchangeNodes = {
  /** Makes the connection of a configuration node. */
  connect(node: RedNode, config: ConnectionConfig, token: string | undefined): ExchangeConnection {
    return new ExchangeConnection(node, config, token || process.env.HIVEMIND_EXCHANGE_TOKEN || '')
  },

  /** Sends each message of a topic: `payload`, `topic` and `number`. */
  subscribe(
    node: RedNode,
    { topic, format }: SubscribeConfig,
    connection: ExchangeConnection | undefined,
  ): void {
    if (!usable(node, connection) || !given(node, topic, 'topic')) return
    const stop = connection.subscribe(topic, {
      onStatus: (status) => node.status(status),
      onMessage: ({ number, bytes }) => {
        try {
          node.send({ topic, payload: payloadOf(bytes, format), number } as FlowMessage)
          node.status(CONNECTED)
        } catch (error) {
          report(
            node,
            new Error(`Message ${number} of '${topic}' is passed over: ${(error as Error).message}`),
          )
        }
      },
    })
    node.on('close', stop)
  },

  /** Publishes each message that comes. */
  publish(node: RedNode, { topic }: PublishConfig, connection: ExchangeConnection | undefined): void {
    if (!usable(node, connection)) return
    onInput(node, connection, async (client, message) => {
      const to = topic || message.topic
      if (!to) throw new Error('The message has no topic: set one in the node, or as msg.topic.')
      await client.publish(to, bytesOf(message.payload))
    })
  },

  /** Reads, writes or removes an object for each message that comes, or sends the value whenever it changes. */
  object(node: RedNode, config: ObjectConfig, connection: ExchangeConnection | undefined): void {
    if (!usable(node, connection)) return
    if (config.action === 'follow') {
      if (given(node, config.object, 'object')) void follow(node, config, connection)
      return
    }
    onInput(node, connection, async (client, message: ObjectMessage, send) => {
      const name = config.object || message.object
      if (!name) throw new Error('The message names no object: set one in the node, or as msg.object.')
      const object = accessTo(client, config, name)
      if (config.action === 'write') await object.write(bytesOf(message.payload))
      else if (config.action === 'remove') await object.remove()
      else message.payload = payloadOf(await object.read(), config.format)
      send(message)
    })
  },
}

/** The calls that an object of each consistency takes. */
function accessTo(client: ExchangeClient, { consistency, merge, recencyMs }: ObjectConfig, name: string) {
  const { objects } = client
  const open = (): Promise<EventualObject> =>
    objects.eventual(name, {
      ...(merge ? { merge } : {}),
      ...(recencyMs == null || recencyMs === '' ? {} : { recencyMs: Number(recencyMs) }),
    })
  if (consistency === 'eventual')
    return {
      read: async () => (await open()).read(),
      write: async (value: Uint8Array) => (await open()).write(value),
      remove: async () => (await open()).remove(),
      async *changes() {
        yield* (await open()).changes()
      },
    }
  if (consistency === 'serializable')
    return {
      read: () => objects.transaction((transaction) => transaction.read(name)),
      write: (value: Uint8Array) => objects.transaction((transaction) => transaction.write(name, value)),
      remove: () => objects.transaction((transaction) => transaction.remove(name)),
      changes: () => objects.changes(name),
    }
  return {
    read: () => objects.read(name),
    write: (value: Uint8Array) => objects.write(name, value),
    remove: () => objects.remove(name),
    changes: () => objects.changes(name),
  }
}

/** Sends the value of an object, and again whenever it has changed, until the node is closed. */
async function follow(node: RedNode, config: ObjectConfig, connection: ExchangeConnection): Promise<void> {
  let isClosed = false
  node.on('close', () => {
    isClosed = true
  })
  for (;;) {
    try {
      const client = await connection.client
      node.status(CONNECTED)
      for await (const value of accessTo(client, config, config.object).changes()) {
        if (isClosed) return
        node.send({ topic: config.object, payload: payloadOf(value, config.format) })
        node.status(CONNECTED)
      }
    } catch (error) {
      if (isClosed || connection.isClosed) return
      report(node, error)
      if (!(await connection.pause()) || isClosed) return
    }
  }
}

/** Carries out something for each message, once there is a connection. */
function onInput(
  node: RedNode,
  connection: ExchangeConnection,
  action: (
    client: ExchangeClient,
    message: FlowMessage,
    send: (message: FlowMessage) => void,
  ) => Promise<void>,
): void {
  void connection.client.then(
    () => node.status(CONNECTED),
    (error) => connection.isClosed || report(node, error),
  )
  node.on('input', async (message, send, done) => {
    try {
      // Messages do not pile up while nobody answers.
      if (connection.failure) throw new Error(`The exchange is not reached: ${connection.failure}`)
      await action(await connection.client, message, send)
      node.status(CONNECTED)
      done()
    } catch (error) {
      node.status(failed((error as Error).message))
      done(error as Error)
    }
  })
}

function usable(node: RedNode, connection: ExchangeConnection | undefined): connection is ExchangeConnection {
  node.status(CONNECTING)
  if (connection) return true
  report(
    node,
    new Error('The node has no exchange: choose one, or add one with a client name and edge nodes.'),
  )
  return false
}

function given(node: RedNode, value: string, field: string): boolean {
  if (value) return true
  report(node, new Error(`The node has no ${field}: set one.`))
  return false
}

function report(node: RedNode, error: unknown): void {
  const { message } = error as Error
  const status: Status = failed(message)
  node.status(status)
  node.error(message)
}

/** Bytes of a payload: bytes as they are, texts in UTF-8, all else as JSON. Throws when it cannot be JSON. */
function bytesOf(payload: unknown): Uint8Array {
  if (payload instanceof Uint8Array) return payload
  if (typeof payload === 'string') return Buffer.from(payload)
  const json = JSON.stringify(payload)
  if (json === undefined)
    throw new Error(`The payload is ${typeof payload}: give bytes, a text, or what can be written as JSON.`)
  return Buffer.from(json)
}

/** The payload of bytes; null when there is no object. Throws when it is not of the format. */
function payloadOf(bytes: Uint8Array | null, format: Format): unknown {
  if (!bytes) return null
  const buffer = Buffer.from(bytes)
  if (format === 'buffer') return buffer
  if (format !== 'json') return buffer.toString()
  try {
    return JSON.parse(buffer.toString())
  } catch {
    throw new Error(`it is no JSON: '${buffer.toString().slice(0, 80)}'. Choose the format text or buffer.`)
  }
}
