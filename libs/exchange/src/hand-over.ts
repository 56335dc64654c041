/** What an edge node hands over of a client that has moved to another one (Vertex 5.2.2). */
import type { EdgeTopics } from './edge-topics.ts'
import { ExchangeError, UnreachableError } from './errors.ts'
import { countOf, countsOf, nameOf } from './fields.ts'
import type { Header } from './frame.ts'
import { Link, type Tries } from './link.ts'
import { splitRecords } from './records.ts'
import type { Handlers } from './server.ts'
import type { TlsOptions } from './tls.ts'

/** Where the messages go, and how the earlier node is reached. */
export interface TakeOverOptions {
  topics: EdgeTopics
  token: string | undefined
  tries: Tries
  tls: TlsOptions | undefined
}

/** Offsets of a client, and messages by topic. */
export interface HandedOver {
  offsets: Map<string, number>
  records: Map<string, Buffer[]>
}

const MAX_HANDED_OVER_BYTES = 16 * 1024 * 1024

/**
 * Offsets of a client at the node that served it before (`located`), and the messages that it holds for the client and this node does not. Null
 * when that node does not answer and the client knows its offsets itself (`told`). Rejects with `ExchangeError` when nobody knows them.
 */
export async function takeOver(
  client: string,
  told: Map<string, number> | null,
  located: Header,
  { topics, token, tries, tls }: TakeOverOptions,
): Promise<HandedOver | null> {
  const link = new Link({
    addresses: [String(located.address)],
    // The backend has all the client needs, if it knows its offsets.
    tries: told ? { ...tries, count: 1 } : tries,
    tls,
    greet: async (session) => void (await session.request({ type: 'hello-peer', token })),
    handler: () => undefined,
  })
  try {
    const answer = await link.request({ type: 'hand-over', client })
    const offsets = told ?? countsOf(answer.header, 'topics')
    const missing = [...offsets].filter(([topic, after]) => !topics.covers(topic, after))
    const records = await Promise.all(
      missing.map(async ([topic, after]): Promise<[string, Buffer[]]> => {
        const { body } = await link.request({ type: 'read', topic, after })
        return [topic, splitRecords(body)]
      }),
    )
    return { offsets, records: new Map(records) }
  } catch (error) {
    if (told) return null
    throw error instanceof UnreachableError
      ? new ExchangeError(
          `Client '${client}' was at edge node '${located.edge}', which does not answer: try again when it is back, or connect from the process that knows what it has received.`,
        )
      : error
  } finally {
    link.close()
  }
}

/** Handlers of `hand-over` (the offsets of a client) and `read` (messages of a topic; none when this node does not have all of them). */
export function handOverHandlers(topics: EdgeTopics): Handlers {
  return {
    'hand-over'(header) {
      const client = nameOf(header, 'client')
      const offsets = [...topics].flatMap((topic) => {
        const offset = topic.offsets.get(client)
        return offset === undefined ? [] : [[topic.name, offset]]
      })
      return { fields: { topics: Object.fromEntries(offsets) } }
    },
    read(header) {
      const name = nameOf(header, 'topic')
      const after = countOf(header, 'after')
      if (!topics.covers(name, after)) return {}
      const records = topics.get(name)?.log?.read(after, Number.POSITIVE_INFINITY, MAX_HANDED_OVER_BYTES)
      return { body: Buffer.concat(records ?? []) }
    },
  }
}
