import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { eventsOf } from '../events.ts'
import { otherFault } from '../failure.ts'
import { answer, say } from '../output.ts'
import type { AddCommand, ServiceClient } from '../service.ts'
import { given, storeClient, typeOf } from './store-parameters.ts'

interface Options {
  service: string
}

const TOPICS = '/cms/topics'

/** The path of a topic that is named in short. */
const topicPath = (name: string): string => (name.startsWith('/') ? name : `${TOPICS}/${name}`)

/** `hivemind store publish` and `subscribe`. */
export function addTopics(add: AddCommand): void {
  add('publish', 'publish a message; prints its offset')
    .argument('<topic>', `such as alarms, in full ${TOPICS}/alarms`)
    .argument('[file]', 'file to read; standard input when absent')
    .option('--type <media type>', "its media type; by the end of the file's name when absent")
    .option('--create <kind>', 'create the topic when there is none: volatile, buffered or persistent')
    .action(
      async (
        topic: string,
        file: string | undefined,
        options: Options & { type?: string; create?: string },
      ) => {
        const path = topicPath(topic)
        const client = storeClient(options.service)
        await client.signInIfNeeded()
        if (options.create !== undefined) await create(client, path, options.create)
        const bytes = file === undefined ? process.stdin : createReadStream(file)
        const size = file === undefined ? undefined : (await stat(file)).size
        const query = { topic: path, type: options.type ?? typeOf(file ?? '') }
        answer(String((await client.call('publishToStoreTopic', { query, bytes, size })).version))
      },
    )

  add('subscribe', 'print each message of a topic as a line of JSON, until it is interrupted')
    .argument('<path>', `a topic, or a path above several, such as ${TOPICS}`)
    .option(
      '--after <id>',
      'first the messages after this `id` of a line; empty for the oldest that are kept',
    )
    .action(async (path: string, { service, after }: Options & { after?: string }) => {
      const query = { path: topicPath(path), ...given({ after }) }
      const response = await storeClient(service).open('subscribeToStoreTopics', { query })
      for await (const { id, name, data } of eventsOf(response)) {
        if (name === 'message') answer(lineOf(id, data))
        if (name === 'gap') {
          const { topic, after: last, before } = JSON.parse(data)
          say(`Messages of ${topic} between ${last} and ${before} are not kept any more.`)
        }
      }
      throw otherFault('The service ended the stream. Subscribe again with --after and the last id.')
    })
}

/** An equal topic that is there already is no fault. */
async function create(client: ServiceClient, path: string, persistence: string): Promise<void> {
  const known = await client.call('listStorePools', { query: { prefix: path } })
  if (known.length === 0) await client.call('createStoreTopic', { body: { path, persistence } })
}

/** A message with its text where it is one. */
function lineOf(id: string, data: string): string {
  const { bytes, ...message } = JSON.parse(data) as { type: string; bytes?: string }
  const isText = /^text\/|^application\/json/.test(message.type)
  if (!isText || bytes === undefined) return JSON.stringify({ id, ...message, bytes })
  return JSON.stringify({ id, ...message, text: Buffer.from(bytes, 'base64').toString() })
}
