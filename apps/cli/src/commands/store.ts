import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { store } from '@hivemind/contracts'
import type { Command } from 'commander'
import type { z } from 'zod'
import { eventsOf } from '../events.ts'
import { otherFault, usageFault } from '../failure.ts'
import { answer, answerJson, say, table } from '../output.ts'
import { type AddCommand, DEFAULT_SERVICE, type ServiceClient } from '../service.ts'
import { writeWholeFile } from '../whole-file.ts'
import { addFiles } from './store-files.ts'
import { addGraph } from './store-graph.ts'
import { addKeys, keyText } from './store-keys.ts'
import { given, storeClient, storeServiceHelp, typeOf } from './store-parameters.ts'
import { addTopics } from './store-topics.ts'

type StoreObject = z.output<typeof store.StoreObject>

type CreateOptions = Record<'persistence' | 'versions' | 'age' | 'affinity', string>

interface Options {
  service: string
  json?: boolean
  at?: string
  time?: string
}

const EXAMPLES = `
Examples:
  hivemind store create /factory/images --versions 100
  hivemind store put /factory/images/7 photo.jpg --type image/jpeg
  hivemind store get /factory/images/7 --at 3 > older.jpg
  hivemind store watch /factory/images
  hivemind store publish alarms note.txt --create volatile
  hivemind store subscribe alarms
  hivemind store export /factory/images images.jsonl
  hivemind store keys add camera --read /factory/plans --write /factory/images`

/** `hivemind store`: pools and objects in the store of a service. */
export function storeCommand(program: Command): void {
  const group = program
    .command('store')
    .description('put, get, list and watch objects, publish and subscribe, in the store of a running service')
    .addHelpText('after', EXAMPLES)
  const add = (name: string, description: string): Command =>
    group.command(name).description(description).option('--service <url>', storeServiceHelp, DEFAULT_SERVICE)
  const withMoment = (command: Command): Command =>
    command
      .option('--at <version>', 'as it was after this version of the pool')
      .option('--time <microseconds>', 'as it was at this time, in microseconds since 1970')

  addPools(add)
  addTopics(add)
  addFiles(add)
  addGraph(group)
  addKeys(group)

  add('put', 'write an object of any size; prints its version')
    .argument('<key>', 'such as /factory/images/7')
    .argument('[file]', 'file to read; standard input when absent')
    .option('--type <media type>', "its media type; by the end of the file's name when absent")
    .option('--expect <version>', 'write only when this is its version; 0 for none')
    .action(
      async (
        key: string,
        file: string | undefined,
        options: Options & { type?: string; expect?: string },
      ) => {
        const bytes = file === undefined ? process.stdin : createReadStream(file)
        const size = file === undefined ? undefined : (await stat(file)).size
        const type = options.type ?? typeOf(file ?? '')
        const query = { key, type, ...given({ expectedVersion: options.expect }) }
        const client = storeClient(options.service)
        // The body can be sent only once.
        await client.signInIfNeeded()
        const object = await client.call('putStoreObject', { query, bytes, size })
        answer(String(object.version))
      },
    )

  withMoment(add('get', 'write an object to a file or to standard output'))
    .argument('<key>', 'such as /factory/images/7')
    .option('--out <file>', 'file to write; standard output when absent')
    .action(async (key: string, { service, out, ...at }: Options & { out?: string }) => {
      const { body } = await storeClient(service).open('getStoreObject', {
        query: { key, ...momentOf(at) },
      })
      const bytes = Readable.fromWeb(body as Parameters<typeof Readable.fromWeb>[0])
      await (out === undefined ? toStdout(bytes) : writeWholeFile(bytes, out))
    })

  withMoment(add('list', 'list the objects under a prefix'))
    .argument('<prefix>', 'such as /factory')
    .option('--json', 'print them as JSON')
    .action(async (prefix: string, { service, json, ...at }: Options) => {
      const client = storeClient(service)
      const objects: StoreObject[] = []
      for (let after: string | undefined; ; ) {
        const query = { prefix, ...momentOf(at), ...given({ after }) }
        const page = await client.call('listStoreObjects', { query })
        objects.push(...page.objects)
        after = page.next
        if (after === undefined) break
      }
      show(objects, json, `There is no object under ${prefix}.`)
    })

  add('history', 'list the versions of one object, oldest first')
    .argument('<key>', 'such as /factory/images/7')
    .option('--json', 'print them as JSON')
    .action(async (key: string, { service, json }: Options) => {
      const client = storeClient(service)
      const objects: StoreObject[] = []
      for (let more = true; more; ) {
        const query = { key, afterVersion: String(objects.at(-1)?.version ?? 0), limit: '1000' }
        const page = await client.call('listStoreVersions', { query })
        objects.push(...page)
        more = page.length === 1000
      }
      show(objects, json, `There was never an object ${key}, or no version is kept.`)
    })

  add('remove', 'remove an object; its earlier versions stay readable')
    .argument('<key>', 'such as /factory/images/7')
    .option('--expect <version>', 'remove only when this is its version')
    .action(async (key: string, { service, expect }: Options & { expect?: string }) => {
      const query = { key, ...given({ expectedVersion: expect }) }
      const { version } = await storeClient(service).call('removeStoreObject', { query })
      say(`${key} is removed, as version ${version}.`)
    })

  add('watch', 'print each write under a prefix as a line of JSON, until it is interrupted')
    .argument('<prefix>', 'such as /factory')
    .option('--after <version>', 'first the writes after this version of the pool')
    .action(async (prefix: string, { service, after }: Options & { after?: string }) => {
      await watch(storeClient(service), prefix, after)
    })
}

function addPools(add: AddCommand): void {
  add('pools', 'list the pools')
    .argument('[prefix]', 'only those in and below this path')
    .option('--json', 'print them as JSON')
    .action(async (prefix: string | undefined, { service, json }: Options) => {
      const pools = await storeClient(service).call('listStorePools', { query: given({ prefix }) })
      if (json) return answerJson(pools)
      if (pools.length === 0) return say('There is no pool yet: create one with hivemind store create.')
      const rows = pools.map(({ path, persistence, retention: { versions, ageMs }, accessKeys = [] }) => [
        path,
        persistence,
        [versions && `${versions} versions`, ageMs && `${ageMs} ms`].filter(Boolean).join(', ') ||
          'all versions',
        accessKeys.map((key) => keyText(key, path)).join(', '),
      ])
      answer(table([['pool', 'persistence', 'keeps', 'access keys'], ...rows]))
    })

  add('create', 'create a pool')
    .argument('<path>', 'such as /factory/images')
    .option('--persistence <kind>', 'transient, volatile, buffered or persistent', 'persistent')
    .option('--versions <count>', 'versions of an object to keep; all when absent')
    .option('--age <ms>', 'how long a version is kept after a newer one replaced it')
    .option('--affinity <name>', 'pools of the same name lie on the same server of a Redis cluster')
    .action(async (path: string, options: Options & CreateOptions) => {
      const { service, persistence, versions, age, affinity } = options
      const retention = {
        ...(versions !== undefined && { versions: numberOf('--versions', versions) }),
        ...(age !== undefined && { ageMs: numberOf('--age', age) }),
      }
      const body = { path, persistence, retention, affinity }
      await storeClient(service).call('createStorePool', { body })
      say(`Pool ${path} is there.`)
    })

  add('drop', 'remove a pool with all its objects and versions')
    .argument('<path>', 'such as /factory/images')
    .action(async (path: string, { service }: Options) => {
      await storeClient(service).call('removeStorePool', { query: { path } })
      say(`Pool ${path} is removed.`)
    })
}

function show(objects: readonly StoreObject[], json: boolean | undefined, none: string): void {
  if (json) return answerJson(objects)
  if (objects.length === 0) return say(none)
  answer(
    table([
      ['version', 'time', 'size', 'type', 'key'],
      ...objects.map(({ version, timestamp, size, type, removed, key }) => [
        String(version),
        new Date(timestamp / 1000).toISOString(),
        removed ? '' : String(size),
        removed ? 'removed' : type,
        key,
      ]),
    ]),
  )
}

async function toStdout(bytes: Readable): Promise<void> {
  await pipeline(bytes, process.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    // Whoever read it, such as `head`, has enough.
    if (error.code !== 'EPIPE') throw error
  })
}

/** Prints each change until the service ends the stream. */
async function watch(client: ServiceClient, prefix: string, after: string | undefined): Promise<void> {
  const response = await client.open('watchStore', { query: { prefix, ...given({ after }) } })
  for await (const { name, data } of eventsOf(response)) {
    if (name === 'change') answer(data)
    if (name === 'reset')
      say('More writes came since that version than are told again: list the objects to see their state.')
  }
  throw otherFault(
    'The service ended the stream. Watch again with --after and the last version you have seen.',
  )
}

const momentOf = ({ at, time }: Pick<Options, 'at' | 'time'>) => given({ version: at, time })

function numberOf(option: string, text: string): number {
  if (!/^\d+$/.test(text)) throw usageFault(`${option} is '${text}': give a whole number from 0.`)
  return Number(text)
}
