import { createReadStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { store } from '@hivemind/contracts'
import { z } from 'zod'
import { otherFault } from '../failure.ts'
import { say } from '../output.ts'
import type { AddCommand, ServiceClient } from '../service.ts'
import { writeWholeFile } from '../whole-file.ts'
import { given, storeClient } from './store-parameters.ts'

type StoreObject = z.output<typeof store.StoreObject>

/** Versions in one answer. */
const PAGE = 1_000
/** Bytes in one line of a file, before base64. */
const LINE_BYTES = 768 * 1024

/**
 * A pool as a file: lines of JSON. The first says which pool, then each version has a line and its bytes some, and the last line
 * counts the versions, so that a file that was cut off is known.
 */
const Head = z.strictObject({
  format: z.literal('hivemind-pool/1'),
  path: z.string(),
  persistence: z.string(),
  retention: z.strictObject({ versions: z.number().optional(), ageMs: z.number().optional() }),
  affinity: z.string().optional(),
})
const Version = z.strictObject({
  key: z.string(),
  type: z.string(),
  version: z.number(),
  timestamp: z.number(),
  size: z.number(),
  removed: z.boolean(),
})
const Bytes = z.strictObject({ bytes: z.base64() })
const End = z.strictObject({ versions: z.number() })
const Line = z.union([Head, Version, Bytes, End])

interface Options {
  service: string
}

/** `hivemind store export` and `import`. */
export function addFiles(add: AddCommand): void {
  add('export', 'write a pool to a file')
    .argument('<pool>', 'such as /factory/images')
    .argument('<file>', 'file to write')
    .option('--latest', 'only the latest version of each object; all that are kept when absent')
    .action(async (pool: string, file: string, { service, latest }: Options & { latest?: boolean }) => {
      const counts = { versions: 0 }
      const lines = linesOf(storeClient(service), pool, latest ?? false, counts)
      await writeWholeFile(Readable.from(lines), file)
      say(`${file} has ${counts.versions} versions of ${pool}.`)
    })

  add('import', 'create a pool from a file that export wrote; versions get new numbers and times')
    .argument('<file>', 'file to read')
    .option('--to <pool>', 'path of the new pool; that of the exported one when absent')
    .action(async (file: string, { service, to }: Options & { to?: string }) => {
      const head = await checkFile(file)
      const client = storeClient(service)
      await client.signInIfNeeded()
      const path = to ?? head.path
      const { persistence, retention, affinity } = head
      await client.call('createStorePool', { body: { path, persistence, retention, affinity } })
      const [written] = await client.call('listStoreChanges', { query: { prefix: path, limit: '1' } })
      if (written) throw otherFault(`Pool ${path} has objects already: name a new one with --to.`)
      const versions = await write(client, file, head.path, path)
      say(`Pool ${path} has ${versions} versions.`)
    })
}

async function* linesOf(
  client: ServiceClient,
  path: string,
  latest: boolean,
  counts: { versions: number },
): AsyncGenerator<string> {
  const pools = await client.call('listStorePools', { query: { prefix: path } })
  const pool = pools.find((each) => each.path === path)
  if (!pool) throw otherFault(`There is no pool ${path}: hivemind store pools lists them.`)
  const { persistence, retention, affinity } = pool
  yield line({ format: 'hivemind-pool/1', path, persistence, retention, affinity })
  for await (const { key, type, version, timestamp, size, removed } of versionsOf(client, path, latest)) {
    yield line({ key, type, version, timestamp, size, removed })
    counts.versions++
    if (removed) continue
    const query = { key, version: String(version) }
    const { body } = await client.open('getStoreObject', { query })
    for await (const bytes of body as ReadableStream<Uint8Array>)
      for (let at = 0; at < bytes.length; at += LINE_BYTES)
        yield line({ bytes: Buffer.from(bytes.subarray(at, at + LINE_BYTES)).toString('base64') })
  }
  yield line({ versions: counts.versions })
}

const line = (content: z.output<typeof Line>): string => `${JSON.stringify(content)}\n`

async function* versionsOf(
  client: ServiceClient,
  path: string,
  latest: boolean,
): AsyncGenerator<StoreObject> {
  for (let after: string | undefined; ; ) {
    const limit = String(PAGE)
    const query = { prefix: path, limit, ...given({ [latest ? 'after' : 'afterVersion']: after }) }
    const page = latest
      ? (await client.call('listStoreObjects', { query })).objects
      : await client.call('listStoreChanges', { query })
    yield* page
    const last = page.at(-1)
    if (page.length < PAGE || !last) return
    after = latest ? last.key : String(last.version)
  }
}

/** The lines of a file. Throws `Failure` for one that is none of a pool. */
async function* readLines(file: string): AsyncGenerator<z.output<typeof Line>> {
  let number = 0
  for await (const text of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  })) {
    number++
    const parsed = Line.safeParse(jsonOf(text))
    if (!parsed.success)
      throw otherFault(`Line ${number} of ${file} is not that of an exported pool: export the pool again.`)
    yield parsed.data
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Reads the file to its end, before anything is written. Returns its head. Throws `Failure` when it is not whole. */
async function checkFile(file: string): Promise<z.output<typeof Head>> {
  let head: z.output<typeof Head> | undefined
  let versions = 0
  let end: number | undefined
  for await (const each of readLines(file)) {
    if ('format' in each) head = each
    if ('key' in each) versions++
    end = 'versions' in each ? each.versions : undefined
  }
  if (!head || end !== versions)
    throw otherFault(`${file} is not whole: it has ${versions} versions and no end. Export the pool again.`)
  return head
}

async function write(client: ServiceClient, file: string, from: string, to: string): Promise<number> {
  const lines = readLines(file)
  const present = new Set<string>()
  let versions = 0
  let next = await lines.next()
  /** The bytes up to the line of the next version. */
  async function* bytes() {
    for (next = await lines.next(); !next.done && 'bytes' in next.value; next = await lines.next())
      yield Buffer.from(next.value.bytes, 'base64')
  }
  while (!next.done) {
    if (!('key' in next.value)) {
      next = await lines.next()
      continue
    }
    const { key: exported, type, size, removed } = next.value
    const key = to + exported.slice(from.length)
    if (removed) {
      next = await lines.next()
      // Retention may have dropped what was removed.
      if (!present.delete(key)) continue
      await client.call('removeStoreObject', { query: { key } })
    } else {
      await client.call('putStoreObject', { query: { key, type }, bytes: Readable.from(bytes()), size })
      present.add(key)
    }
    versions++
  }
  return versions
}
