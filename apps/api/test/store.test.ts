/** The store over HTTP, in the data folder and on Redis. */
import { readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RedisServers, startRedis } from '../../../libs/store/test/redis-servers.ts'
import { eventsOf } from '../../cli/src/events.ts'
import { start as command, killRunning } from '../../cli/test/command.ts'
import { type Client, until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

interface Change {
  key: string
  version: number
  removed: boolean
}

/** Hears the writes under a prefix until `stop`. */
async function watch(client: Client, query: string, headers: Record<string, string> = {}) {
  const controller = new AbortController()
  const response = await fetch(`${client.url}api/store/watch?${query}`, {
    headers,
    signal: controller.signal,
  })
  expect(response.headers.get('content-type')).toContain('text/event-stream')
  const changes: Change[] = []
  const reader = (response.body as ReadableStream<Uint8Array>)
    .pipeThrough(new TextDecoderStream())
    .getReader()
  let rest = ''
  const connected = Promise.withResolvers<void>()
  void (async () => {
    for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
      connected.resolve()
      const blocks = (rest + chunk.value).split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of blocks) {
        const [, id, data = ''] = /^id: (\d+)\nevent: change\ndata: (.*)$/.exec(block) ?? []
        if (id === undefined) continue
        changes.push(JSON.parse(data))
        expect(changes.at(-1)?.version).toBe(Number(id))
      }
    }
  })().catch(() => {})
  await connected.promise
  return { changes, stop: () => controller.abort() }
}

/** Hears the messages of topics until `stop`. */
async function messages(client: Client, query: string) {
  const controller = new AbortController()
  const response = await fetch(`${client.url}api/store/messages?${query}`, { signal: controller.signal })
  const heard: { id: string; topic: string; offset: number; type: string; text: string }[] = []
  const subscribed = Promise.withResolvers<void>()
  void (async () => {
    for await (const { id, name, data } of eventsOf(response)) {
      if (name === 'subscribed') subscribed.resolve()
      if (name !== 'message') continue
      const { bytes, ...message } = JSON.parse(data)
      heard.push({ id, ...message, text: Buffer.from(bytes, 'base64').toString() })
    }
  })().catch(() => {})
  await subscribed.promise
  return { messages: heard, stop: () => controller.abort() }
}

describe.each(['data folder', 'Redis'] as const)('the store in the %s', (kind) => {
  const dataDir = newFolder()
  let redis: RedisServers | undefined
  let started: Started
  let client: Client

  beforeAll(async () => {
    if (kind === 'Redis') redis = await startRedis()
    started = await start(configFor(dataDir, redis ? { redis: { url: redis.url } } : {}))
    client = started.client
  })
  afterAll(async () => {
    killRunning()
    await started?.service.close()
    await redis?.stop()
    removeFolder(dataDir)
  })

  const bytes = (text: string) => Uint8Array.from(Buffer.from(text))
  const put = (key: string, text: string, more: Record<string, string> = {}) =>
    client.call('putStoreObject', { query: { key, type: 'text/plain', ...more }, bytes: bytes(text) })
  const get = (query: Record<string, string>) => client.call('getStoreObject', { query })

  test('pools are created, listed and removed', async () => {
    const body = { path: '/a/pool', retention: { versions: 5 } }
    expect(await client.ok('createStorePool', { body })).toMatchObject({
      path: '/a/pool',
      persistence: 'persistent',
      retention: { versions: 5 },
      ofRun: false,
    })
    expect(
      (await client.call('createStorePool', { body: { ...body, persistence: 'volatile' } })).status,
    ).toBe(409)
    expect((await client.call('createStorePool', { body: { path: '/a/pool/b' } })).status).toBe(409)
    expect((await client.call('createStorePool', { body: { path: 'a' } })).body.detail).toContain('/factory')
    expect(await client.ok('listStorePools', { query: { prefix: '/a' } })).toHaveLength(1)
    expect(await client.ok('listStorePools', { query: { prefix: '/b' } })).toEqual([])
    await client.ok('removeStorePool', { query: { path: '/a/pool' } })
    expect((await client.call('removeStorePool', { query: { path: '/a/pool' } })).status).toBe(404)
  })

  test('objects are written, read at versions and times, listed by page, previewed and removed', async () => {
    await client.ok('createStorePool', { body: { path: '/objects' } })
    const first = await put('/objects/deep/key with ä', '{"n":1}', { type: 'application/json' })
    expect(first.body).toMatchObject({ version: 1, ordinal: 1, type: 'application/json', size: 7 })
    const key = '/objects/deep/key with ä'
    await put(key, 'two')
    expect(await get({ key })).toMatchObject({ body: 'two' })
    const old = await get({ key, version: '1' })
    expect(old.body).toEqual({ n: 1 })
    expect([old.headers.get('etag'), old.headers.get('x-store-version')]).toEqual(['"1"', '1'])
    expect(old.headers.get('content-security-policy')).toContain('sandbox')
    expect((await get({ key, time: String(first.body.timestamp) })).body).toEqual({ n: 1 })
    expect((await get({ key, version: '1', time: '1' })).status).toBe(400)
    expect((await get({ key, version: '99' })).status).toBe(404)
    expect((await get({ key, time: String(9e15) })).body.detail).toContain('microseconds')
    expect((await get({ key: '/objects/none' })).status).toBe(404)
    expect((await get({ key: '/nowhere/a' })).body.detail).toContain("No pool holds '/nowhere/a'")

    for (const name of ['a', 'b', 'c']) await put(`/objects/page/${name}`, name)
    const page = await client.ok('listStoreObjects', { query: { prefix: '/objects/page', limit: '2' } })
    expect(page).toMatchObject({
      objects: [{ key: '/objects/page/a' }, { key: '/objects/page/b' }],
      total: 3,
      next: '/objects/page/b',
    })
    const query = { prefix: '/objects/page', limit: '2', after: page.next }
    expect(await client.ok('listStoreObjects', { query })).toMatchObject({
      objects: [{ key: '/objects/page/c' }],
      total: 3,
    })

    expect(await client.ok('previewStoreObject', { query: { key, version: '1' } })).toMatchObject({
      object: { version: 1 },
      preview: { n: 1 },
    })
    expect(await client.ok('removeStoreObject', { query: { key } })).toMatchObject({ removed: true })
    expect((await client.call('removeStoreObject', { query: { key } })).status).toBe(404)
    const versions = await client.ok('listStoreVersions', { query: { key } })
    expect(versions.map(({ removed }: Change) => removed)).toEqual([false, false, true])
    const changes = await client.ok('listStoreChanges', { query: { prefix: '/objects', afterVersion: '2' } })
    expect(changes).toHaveLength(4)
    // a range that ends in the future waits for it, but not for years
    const toTime = String(9e15)
    for (const [name, query] of [
      ['listStoreVersions', { key, toTime }],
      ['listStoreChanges', { prefix: '/objects', toTime }],
    ] as const)
      expect((await client.call(name, { query })).body.detail).toContain('more than 10 s in the future')
  })

  test('a write that expects another version is refused, and so is a body of another kind', async () => {
    await client.ok('createStorePool', { body: { path: '/expected' } })
    expect((await put('/expected/a', '1', { expectedVersion: '0' })).body.version).toBe(1)
    const refused = await put('/expected/a', '2', { expectedVersion: '0' })
    expect(refused).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('found version 1') },
    })
    expect((await put('/expected/a', '2', { expectedVersion: '1' })).status).toBe(200)
    const query = { key: '/expected/a' }
    expect((await client.call('putStoreObject', { query, body: {} })).status).toBe(415)
    expect((await client.call('createStorePool', { bytes: bytes('{}') })).status).toBe(415)
    expect((await put('/expected/empty', '')).body).toMatchObject({ size: 0 })
    expect((await get({ key: '/expected/empty' })).body).toBe('')
  })

  test('an object larger than any JSON body is streamed in and out, and one cut off leaves nothing', async () => {
    await client.ok('createStorePool', { body: { path: '/large' } })
    const size = 20_000_000
    const large = new Uint8Array(size).map((_, at) => at % 251)
    const { body } = await client.call('putStoreObject', { query: { key: '/large/a' }, bytes: large })
    expect(body).toMatchObject({ size, type: 'application/octet-stream' })
    const response = await fetch(`${client.url}api/store/object?key=/large/a`)
    expect(Buffer.from(await response.arrayBuffer()).equals(Buffer.from(large))).toBe(true)
    expect(await client.ok('previewStoreObject', { query: { key: '/large/a' } })).not.toHaveProperty(
      'preview',
    )

    const request = http.request(`${client.url}api/store/object?key=/large/cut`, {
      method: 'PUT',
      headers: { 'content-type': 'application/octet-stream', 'content-length': String(size) },
    })
    request.on('error', () => {})
    request.write(Buffer.alloc(5_000_000))
    await new Promise((resolve) => setTimeout(resolve, 200))
    const closed = new Promise((resolve) => request.on('close', resolve))
    request.destroy()
    await closed
    await put('/large/after', 'x')
    expect(await started.service.store.listKeys('/large')).toEqual(['/large/a', '/large/after'])
    // A refusal is answered although the body is not read.
    const refused = await client.call('putStoreObject', { query: { key: '/nowhere/a' }, bytes: large })
    expect(refused.status).toBe(404)
  })

  test('what belongs to a run can be read, but not changed', async () => {
    await started.service.store.createPool('/runs/r1', { persistence: 'persistent' })
    await started.service.store.put('/runs/r1/task/0', { type: 'text/plain', bytes: bytes('kept') })
    expect((await get({ key: '/runs/r1/task/0' })).body).toBe('kept')
    expect(await client.ok('listStorePools', { query: { prefix: '/runs' } })).toMatchObject([{ ofRun: true }])
    const refusals = await Promise.all([
      put('/runs/r1/task/0', 'changed'),
      client.call('removeStoreObject', { query: { key: '/runs/r1/task/0' } }),
      client.call('removeStorePool', { query: { path: '/runs/r1' } }),
      client.call('createStorePool', { body: { path: '/runs/mine' } }),
    ])
    for (const { status, body } of refusals) {
      expect(status).toBe(409)
      expect(body.detail).toContain('belongs to a run')
    }
  })

  test('a watcher hears each write once and in order, also those it missed', async () => {
    await client.ok('createStorePool', { body: { path: '/watched' } })
    await put('/watched/a', '1')
    const live = await watch(client, 'prefix=/watched/a')
    const all = await watch(client, 'prefix=/watched&after=0')
    await put('/watched/a', '2')
    await put('/watched/b', '3')
    await client.ok('removeStoreObject', { query: { key: '/watched/a' } })
    const versionsOf = ({ changes }: { changes: Change[] }) => changes.map(({ version }) => version)
    await until(() => all.changes.length === 4 && live.changes.length === 2)
    expect(versionsOf(all)).toEqual([1, 2, 3, 4])
    expect(versionsOf(live)).toEqual([2, 4])
    expect(live.changes.at(-1)?.removed).toBe(true)
    all.stop()
    for (const n of [5, 6, 7]) await put('/watched/a', String(n))
    const back = await watch(client, 'prefix=/watched&after=1', { 'last-event-id': '4' })
    await put('/watched/a', '8')
    await until(() => back.changes.length === 4)
    expect(versionsOf(back)).toEqual([5, 6, 7, 8])
    back.stop()
    live.stop()
    expect((await client.call('watchStore', { query: { prefix: '/nowhere' } })).status).toBe(404)
  })

  test('the command creates, puts, gets, lists, watches and removes', { timeout: 180_000 }, async () => {
    const store = (...args: string[]) => command(['store', ...args, '--service', client.url]).outcome
    const file = path.join(dataDir, 'photo.png')
    writeFileSync(file, Buffer.from([1, 2, 3]))
    expect((await store('create', '/command', '--versions', '9')).stderr).toContain('/command is there')
    expect((await store('pools', '/command')).stdout).toMatch(/\/command +persistent +9 versions/)
    const watching = command(['store', 'watch', '/command', '--after', '0', '--service', client.url])
    expect((await store('put', '/command/a', file)).stdout).toBe('1\n')
    writeFileSync(file, Buffer.from([4]))
    expect((await store('put', '/command/a', file, '--expect', '1')).stdout).toBe('2\n')
    const refused = await store('put', '/command/a', file, '--expect', '1')
    expect([refused.code, refused.stderr]).toEqual([3, expect.stringContaining('found version 2')])
    expect((await store('list', '/command')).stdout).toMatch(
      /^version .*\n2 +\d{4}-.* 1 +image\/png +\/command\/a/,
    )
    const out = path.join(dataDir, 'out')
    expect((await store('get', '/command/a', '--at', '1', '--out', out)).code).toBe(0)
    expect([...readFileSync(out)]).toEqual([1, 2, 3])
    expect((await store('get', '/command/a')).stdout).toBe('\u0004')
    expect((await store('remove', '/command/a')).stderr).toContain('as version 3')
    expect((await store('get', '/command/a')).stderr).toContain("There is no object '/command/a'")
    expect((await store('history', '/command/a')).stdout).toMatch(/\n3 +\S+ +removed +\/command\/a\n$/)
    await until(() => watching.printed().includes('"version":3'))
    watching.kill('SIGTERM')
    const { stdout } = await watching.outcome
    const lines = stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).version)).toEqual([1, 2, 3])
    expect((await store('drop', '/command')).code).toBe(0)
  })

  test('a subscriber hears the messages of topics once and in order, also those it missed', async () => {
    const topic = '/cms/topics/plant/alarms'
    const body = { path: topic, persistence: 'persistent' }
    expect(await client.ok('createStoreTopic', { body })).toMatchObject({ path: topic, retention: {} })
    expect((await client.call('createStoreTopic', { body: { path: '/elsewhere' } })).status).toBe(400)
    const publish = (text: string, to = topic) =>
      client.call('publishToStoreTopic', { query: { topic: to, type: 'text/plain' }, bytes: bytes(text) })
    const first = await messages(client, `path=/cms/topics/plant`)
    expect((await publish('one')).body).toMatchObject({ version: 1 })
    await client.ok('createStoreTopic', { body: { path: '/cms/topics/plant/notes' } })
    expect((await publish('two')).status).toBe(201)
    await publish('a note', '/cms/topics/plant/notes')
    await until(() => first.messages.length === 3)
    first.stop()
    expect(first.messages.filter((each) => each.topic === topic).map(({ text }) => text)).toEqual([
      'one',
      'two',
    ])
    expect(first.messages.find(({ text }) => text === 'a note')?.topic).toBe('/cms/topics/plant/notes')
    await publish('three')
    const id = encodeURIComponent(first.messages.at(-1)?.id ?? '')
    const back = await messages(client, `path=/cms/topics/plant&after=${id}`)
    const whole = await messages(client, `path=${topic}&after=`)
    await until(() => back.messages.length === 1 && whole.messages.length === 3)
    expect(back.messages[0]).toMatchObject({ topic, text: 'three', offset: 3, type: 'text/plain' })
    expect(whole.messages.map(({ text }) => text)).toEqual(['one', 'two', 'three'])
    back.stop()
    whole.stop()
    expect((await publish('x', '/cms/topics/none')).status).toBe(404)
    expect((await publish('x'.repeat(1_000_001))).status).toBe(413)
    const query = { path: topic, after: 'a=b' }
    expect((await client.call('subscribeToStoreTopics', { query })).status).toBe(400)
  })

  test('the command publishes and subscribes', { timeout: 60_000 }, async () => {
    const store = (...args: string[]) => command(['store', ...args, '--service', client.url]).outcome
    const file = path.join(dataDir, 'note.txt')
    writeFileSync(file, 'hot')
    expect((await store('publish', 'oven', file)).stderr).toContain("No pool holds '/cms/topics/oven'")
    expect((await store('publish', 'oven', file, '--create', 'volatile')).stdout).toBe('1\n')
    const hearing = command(['store', 'subscribe', 'oven', '--after', '', '--service', client.url])
    expect((await store('publish', 'oven', file, '--create', 'volatile')).stdout).toBe('2\n')
    await until(() => hearing.printed().includes('"offset":2'))
    hearing.kill('SIGTERM')
    const lines = (await hearing.outcome).stdout.trim().split('\n')
    expect(lines.map((line) => JSON.parse(line))).toMatchObject([
      { topic: '/cms/topics/oven', offset: 1, type: 'text/plain', text: 'hot' },
      { offset: 2, id: '%2Fcms%2Ftopics%2Foven=2' },
    ])
  })

  test('the command exports a pool and imports it again', { timeout: 120_000 }, async () => {
    const store = (...args: string[]) => command(['store', ...args, '--service', client.url]).outcome
    const file = path.join(dataDir, 'pool.jsonl')
    const body = { path: '/exported', retention: { versions: 3 } }
    await client.ok('createStorePool', { body })
    const large = new Uint8Array(3_000_000).map((_, at) => at % 253)
    for (const text of ['1', '2', '3', '4']) await put('/exported/deep/a', text)
    await client.call('putStoreObject', {
      query: { key: '/exported/large', type: 'image/png' },
      bytes: large,
    })
    await put('/exported/gone', 'x')
    await client.ok('removeStoreObject', { query: { key: '/exported/gone' } })
    await put('/exported/empty', '')
    expect((await store('export', '/exported', file)).stderr).toContain('has 7 versions of /exported')
    const imported = await store('import', file, '--to', '/imported/here')
    expect(imported.stderr).toContain('Pool /imported/here has 7 versions')
    const [pool] = await client.ok('listStorePools', { query: { prefix: '/imported' } })
    expect(pool).toMatchObject({ persistence: 'persistent', retention: { versions: 3 } })
    const versionsOf = async (key: string) => {
      const versions = await client.ok('listStoreVersions', { query: { key } })
      const contents = versions.map(
        async ({ version, removed, type, size }: Change & Record<string, unknown>) => {
          const bytes = removed ? null : (await get({ key, version: String(version) })).body
          return { removed, type, size, bytes }
        },
      )
      return Promise.all(contents)
    }
    for (const key of ['/deep/a', '/gone', '/empty'])
      expect(await versionsOf(`/imported/here${key}`)).toEqual(await versionsOf(`/exported${key}`))
    const copy = await fetch(`${client.url}api/store/object?key=/imported/here/large`)
    expect(copy.headers.get('content-type')).toBe('image/png')
    expect(Buffer.from(await copy.arrayBuffer()).equals(Buffer.from(large))).toBe(true)

    expect((await store('export', '/exported', file, '--latest')).stderr).toContain('has 3 versions')
    const again = await store('import', file)
    expect([again.code, again.stderr]).toEqual([3, expect.stringContaining('has objects already')])
    writeFileSync(file, readFileSync(file, 'utf8').split('\n').slice(0, 3).join('\n'))
    expect((await store('import', file, '--to', '/cut')).stderr).toContain('is not whole')
    expect(await client.ok('listStorePools', { query: { prefix: '/cut' } })).toEqual([])
    expect((await store('export', '/none', file)).stderr).toContain('There is no pool /none')
  })

  test('a store that is away is 503', async () => {
    if (!redis) return
    await redis.stop()
    expect((await get({ key: '/objects/page/a' })).status).toBe(503)
  })
})
