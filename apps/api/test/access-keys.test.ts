/** Access keys of the store: what they open, what stays closed to them, how they end, and where their secrets are. */
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { type Route, type RouteName, routes } from '@hivemind/contracts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { start as command, killRunning } from '../../cli/test/command.ts'
import { hashOf } from '../src/access-keys/key-ring.ts'
import { log } from '../src/common/log.ts'
import { type Call, until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const PASSWORD = 'correct horse'
const owner = { authorization: `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}` }
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })
const bytes = (text: string) => Uint8Array.from(Buffer.from(text))
const allRoutes = Object.entries<Route>(routes) as [RouteName, Route][]

type Access = 'read' | 'read-write'
const grant = (prefix: string, access: Access = 'read-write') => ({ prefix, access })

describe.each([
  { mode: 'with a password', password: PASSWORD },
  { mode: 'without a password', password: undefined },
])('a service $mode', ({ password }) => {
  const dataDir = newFolder()
  const config = configFor(dataDir, password === undefined ? {} : { password })
  /** A person: signed in, or on this machine. */
  const me = password === undefined ? {} : owner
  let started: Started
  let camera = ''

  const make = async (name: string, grants: { prefix: string; access: Access }[], expiresAt?: string) =>
    (
      await started.client.ok('createAccessKey', {
        body: { name, grants, ...(expiresAt !== undefined && { expiresAt }) },
        headers: me,
      })
    ).secret as string
  const as = (secret: string, name: RouteName, call: Call = {}) =>
    started.client.call(name, { ...call, headers: { ...bearer(secret), ...call.headers } })
  const put = (secret: string, key: string, more: Record<string, string> = {}) =>
    as(secret, 'putStoreObject', { query: { key, type: 'text/plain' }, bytes: bytes('x'), headers: more })
  const watch = (secret: string, query: string) =>
    fetch(`${started.service.url}api/store/watch?${query}`, { headers: bearer(secret) })

  beforeAll(async () => {
    started = await start(config)
    const { store } = started.service
    for (const pool of ['/factory/images', '/factory/results', '/other', '/cms/topics/plant/alarms'])
      await store.createPool(pool, { persistence: 'persistent' })
    await store.put('/factory/images/7', { type: 'text/plain', bytes: bytes('seven') })
    await store.put('/other/1', { type: 'text/plain', bytes: bytes('secret') })
    camera = await make('camera', [
      grant('/factory/images', 'read'),
      grant('/factory/results/camera'),
      grant('/cms/topics/plant'),
    ])
  })
  afterAll(async () => {
    killRunning()
    await started?.service.close()
    removeFolder(dataDir)
  })

  test('a key opens no route that is not of the store', async () => {
    const closed = allRoutes.filter(([, route]) => !route.accessKey)
    expect(closed.length).toBeGreaterThan(60)
    for (const [name, route] of closed) {
      const { status, body } = await as(camera, name, {
        path: { project: 'a', run: 'a', version: 1, index: 0, key: 'camera' },
        ...(route.body ? { body: {} } : {}),
      })
      expect([name, status]).toEqual([name, 403])
      expect(body.detail).toContain("Access key 'camera'")
    }
    for (const address of [
      '',
      'projects',
      'api',
      'api/nowhere',
      'api/store',
      'api/store/nowhere',
      'assets/x.js',
    ])
      for (const method of ['GET', 'HEAD', 'POST', 'DELETE', 'OPTIONS']) {
        const { status } = await fetch(started.service.url + address, { method, headers: bearer(camera) })
        expect([method, address, status]).toEqual([method, address, 403])
      }
    expect(await started.client.ok('listAccessKeys', { headers: me })).toHaveLength(1)
  })

  test('every route of the store asks for its right at its path, whole components', async () => {
    const asking = allRoutes.filter(([, { accessKey }]) => accessKey && !accessKey.filtered)
    expect(asking.length).toBeGreaterThan(10)
    for (const [name, { accessKey, body, binary }] of asking) {
      const { right, at } = accessKey ?? { right: 'read', at: '' }
      const call = (where: string): Call => ({
        ...(body ? { body: { [at]: where } } : { query: { [at]: where } }),
        ...(binary && { bytes: bytes('x') }),
      })
      for (const where of [
        '/other/1',
        '/factory',
        '/factory/images2/7',
        '/cms/topics',
        '/factory/images/../../other',
      ]) {
        const path = where.startsWith('/factory/images/..') && right === 'read' ? '/other/1' : where
        const { status, body: refusal } = await as(camera, name, call(path))
        expect([name, path, status, refusal.detail]).toEqual([
          name,
          path,
          403,
          expect.stringContaining(`Access key 'camera' may not ${right} '${path}'`),
        ])
      }
      // Twice, or not at all, is no way around.
      if (body) continue
      const route: Route = routes[name]
      for (const query of ['', `${at}=/factory/results/camera/1&${at}=/other/1`, `${at}[]=/other/1`]) {
        const reply = await fetch(`${started.service.url}api${route.path}?${query}`, {
          method: route.method.toUpperCase(),
          headers: { ...bearer(camera), ...(binary && { 'content-type': 'application/octet-stream' }) },
          ...(binary && { body: bytes('x') }),
        })
        expect([name, query, reply.status]).toEqual([name, query, 400])
      }
    }
    expect((await started.service.store.get('/other/1'))?.version).toBe(1)
  })

  test('a key reads and writes what it may', async () => {
    const key = '/factory/images/7'
    expect(await as(camera, 'getStoreObject', { query: { key } })).toMatchObject({
      status: 200,
      body: 'seven',
    })
    expect((await as(camera, 'previewStoreObject', { query: { key } })).status).toBe(200)
    expect((await as(camera, 'listStoreVersions', { query: { key } })).body).toHaveLength(1)
    for (const name of ['listStoreObjects', 'listStoreChanges'] as const)
      expect((await as(camera, name, { query: { prefix: '/factory/images' } })).status).toBe(200)
    const refused = await put(camera, key)
    expect(refused).toMatchObject({ status: 403, body: { errors: [{ field: 'key' }] } })
    expect((await as(camera, 'removeStoreObject', { query: { key } })).status).toBe(403)
    const mine = '/factory/results/camera/1'
    expect((await put(camera, mine)).status).toBe(200)
    expect((await as(camera, 'removeStoreObject', { query: { key: mine } })).status).toBe(200)
    expect((await put(camera, '/factory/results/2')).status).toBe(403)
    // Pools and topics inside what it may write; it removes none.
    const alarms = '/cms/topics/plant/new'
    expect((await as(camera, 'createStoreTopic', { body: { path: alarms } })).status).toBe(201)
    expect(
      (await as(camera, 'publishToStoreTopic', { query: { topic: alarms }, bytes: bytes('hot') })).status,
    ).toBe(201)
    expect((await as(camera, 'createStorePool', { body: { path: '/cms/topics/others' } })).status).toBe(403)
    const query = { path: alarms }
    expect((await as(camera, 'removeStorePool', { query })).body.detail).toContain(
      'does not open DELETE /api/store/pools: it may read',
    )
  })

  test('pools say which keys reach them, to people alone; a key sees those that it reaches', async () => {
    const seen = (await as(camera, 'listStorePools')).body
    expect(seen.map(({ path }: { path: string }) => path)).toEqual([
      '/cms/topics/plant/alarms',
      '/cms/topics/plant/new',
      '/factory/images',
      '/factory/results',
    ])
    expect(JSON.stringify(seen)).not.toContain('accessKeys')
    expect((await as(camera, 'listStorePools', { query: { prefix: '/other' } })).body).toEqual([])
    const pools = await started.client.ok('listStorePools', { headers: me })
    const keysOf = (wanted: string) => pools.find(({ path }: { path: string }) => path === wanted)?.accessKeys
    expect(keysOf('/factory/images')).toEqual([{ name: 'camera', prefix: '/factory/images', access: 'read' }])
    expect(keysOf('/factory/results')).toEqual([
      { name: 'camera', prefix: '/factory/results/camera', access: 'read-write' },
    ])
    expect(keysOf('/other')).toEqual([])
  })

  test('streams end when their key is removed or expires', async () => {
    const secret = await make('gone', [grant('/factory/results')])
    const soon = await make('soon', [grant('/factory/results')], new Date(Date.now() + 3_000).toISOString())
    const subscriber = await make('subscriber', [grant('/cms/topics', 'read')])
    const streams = [
      await watch(secret, 'prefix=/factory/results&after=0'),
      await watch(soon, 'prefix=/factory/results'),
      await fetch(`${started.service.url}api/store/messages?path=/cms/topics&after=`, {
        headers: bearer(subscriber),
      }),
    ]
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200])
    const texts = streams.map((stream) => stream.text())
    const staying = await watch(camera, 'prefix=/factory/results/camera')
    for (const key of ['gone', 'subscriber'])
      await started.client.ok('removeAccessKey', { path: { key }, headers: me })
    expect(await texts[0]).toContain('event: change')
    expect(await texts[2]).toContain('event: message')
    expect(await texts[1]).toContain('connected')
    expect((await put(secret, '/factory/results/3')).status).toBe(401)
    const late = await put(soon, '/factory/results/3')
    expect([late.status, late.body.detail]).toEqual([401, expect.stringContaining("'soon' has expired")])
    const listed = await started.client.ok('listAccessKeys', { headers: me })
    expect(listed.find(({ name }: { name: string }) => name === 'soon')).toMatchObject({ expired: true })
    expect(
      (await started.client.call('removeAccessKey', { path: { key: 'gone' }, headers: me })).status,
    ).toBe(404)
    // Others go on.
    const reader = (staying.body as ReadableStream<Uint8Array>)
      .pipeThrough(new TextDecoderStream())
      .getReader()
    let heard = ''
    await put(camera, '/factory/results/camera/2')
    await until(async () => {
      heard += (await reader.read()).value ?? ''
      return heard.includes('"key":"/factory/results/camera/2"')
    })
    await reader.cancel()
  })

  test('a request that is under way finishes when its key is removed', async () => {
    const secret = await make('leaving', [grant('/factory/results')])
    const key = '/factory/results/leaving'
    const writing = http.request(`${started.service.url}api/store/object?key=${key}`, {
      method: 'PUT',
      headers: { ...bearer(secret), 'content-type': 'application/octet-stream', expect: '100-continue' },
    })
    writing.flushHeaders()
    // It is let in.
    await once(writing, 'continue')
    writing.write('begun')
    await started.client.ok('removeAccessKey', { path: { key: 'leaving' }, headers: me })
    writing.end(' ended')
    const [reply] = (await once(writing, 'response')) as [http.IncomingMessage]
    reply.resume()
    expect(reply.statusCode).toBe(200)
    expect((await put(secret, key)).status).toBe(401)
    expect(Buffer.from((await started.service.store.get(key))?.bytes ?? []).toString()).toBe('begun ended')
  })

  test('a key counts before a session and a sign-in, as Basic password too', async () => {
    const { headers } = await started.client.call('signIn', { body: { password: PASSWORD } })
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await as(camera, 'listProjects', { headers: { cookie } })).status).toBe(403)
    expect((await put(camera, '/other/2', { cookie })).status).toBe(403)
    const login = (secret: string) => ({
      authorization: `Basic ${Buffer.from(`anybody:${secret}`).toString('base64')}`,
    })
    const get = (key: string) =>
      started.client.call('getStoreObject', { query: { key }, headers: login(camera) })
    expect((await get('/factory/images/7')).status).toBe(200)
    expect((await get('/other/1')).status).toBe(403)
    for (const authorization of ['Bearer', `bearer ${camera.slice(0, -1)}`, `Bearer ${PASSWORD}`])
      expect([
        authorization,
        (await started.client.call('listProjects', { headers: { authorization } })).status,
      ]).toEqual([authorization, 401])
  })

  test('the secret is told once, and kept nowhere: not in an answer, a log, a file or a backup', {
    timeout: 120_000,
  }, async () => {
    const written: string[] = []
    const write = process.stderr.write
    const { level } = log
    log.level = 'debug'
    process.stderr.write = ((chunk: string | Uint8Array) => written.push(String(chunk)) > 0) as typeof write
    const answers: unknown[] = []
    let secret = ''
    try {
      secret = await make('hidden', [grant('/other')])
      answers.push(
        (await put(secret, '/other/3')).body,
        (await put(`${secret.slice(0, -1)}_`, '/other/3')).body,
      )
      answers.push((await put(secret, '/factory/images/8')).body)
      for (const name of ['listAccessKeys', 'listStorePools'] as const)
        answers.push(await started.client.ok(name, { headers: me }))
      await started.service.backups.make()
    } finally {
      process.stderr.write = write
      log.level = level
    }
    const tail = secret.slice('hmk_hidden_'.length)
    expect(JSON.stringify(answers)).not.toContain(tail)
    expect(written.join('')).toContain('PUT /api/store/object')
    expect(written.join('')).not.toContain(tail)
    const files = readdirSync(dataDir, { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath, entry.name))
    const holding = (text: string) => files.filter((file) => readFileSync(file).includes(text))
    expect(holding(tail)).toEqual([])
    // Its hash is, in the database and in the backup of it.
    const kept = holding(hashOf(secret).toString('hex'))
    expect(kept.some((file) => file.startsWith(path.join(dataDir, 'db')))).toBe(true)
    expect(kept.some((file) => file.startsWith(path.join(dataDir, 'backups')))).toBe(true)
  })

  test('the command makes, uses, lists and removes keys', { timeout: 300_000 }, async () => {
    const store = (args: string[], env: Record<string, string> = {}) =>
      command(['store', ...args, '--service', started.service.url], { HIVEMIND_PASSWORD: PASSWORD, ...env })
        .outcome
    const made = await store([
      'keys',
      'add',
      'tool',
      '--read',
      '/other',
      '--write',
      '/factory/results',
      '--expires',
      '90d',
    ])
    expect(made.stdout).toMatch(/^hmk_tool_[\w-]{43}\n$/)
    // With a key the password does not count.
    const env = { HIVEMIND_STORE_KEY: made.stdout.trim() }
    expect((await store(['put', '/factory/results/tool', 'package.json'], env)).code).toBe(0)
    expect((await store(['get', '/factory/results/tool'], env)).stdout).toContain('"hivemind"')
    const refused = await store(['put', '/other/tool', 'package.json'], env)
    expect([refused.code, refused.stderr]).toEqual([
      3,
      "hivemind: Access key 'tool' may not write '/other/tool': it may read '/other', read and write '/factory/results'.\n",
    ])
    const pools = await store(['pools'])
    expect(pools.stdout).toMatch(
      /\/factory\/results .*camera \(read and write camera\).*tool \(read and write\)/,
    )
    expect((await store(['pools'], env)).stdout).not.toContain('camera')
    // Keys are the business of people: the one in the environment does not count for them.
    const listed = JSON.parse((await store(['keys', 'ls', '--json'], env)).stdout)
    const tool = listed.find(({ name }: { name: string }) => name === 'tool')
    const days = (Date.parse(tool.expiresAt) - Date.parse(tool.createdAt)) / (24 * 3_600_000)
    expect(Math.round(days)).toBe(90)
    expect((await store(['keys', 'ls'])).stdout).toMatch(
      /^tool +20.*read \/other, read and write \/factory\/results$/m,
    )
    const watching = command(
      ['store', 'watch', '/factory/results', '--after', '0', '--service', started.service.url],
      env,
    )
    await until(() => watching.printed().includes('/factory/results/tool'))
    expect((await store(['keys', 'rm', 'tool'])).code).toBe(0)
    expect((await watching.outcome).stderr).toContain('The service ended the stream')
    expect((await store(['list', '/factory/results'], env)).stderr).toMatch(
      /There is no such access key|Too many wrong/,
    )
    for (const wrong of [
      ['add', 'x'],
      ['add', 'x', '--read', '/a', '--expires', 'soon'],
    ])
      expect((await store(['keys', ...wrong])).code).toBe(2)
  })

  test('keys are there after a restart; a name is taken once, and times are to come', {
    timeout: 120_000,
  }, async () => {
    await started.service.close()
    started = await start(config)
    expect((await put(camera, '/factory/results/camera/4')).status).toBe(200)
    const create = (body: object) => started.client.call('createAccessKey', { body, headers: me })
    const grants = [grant('/a')]
    expect((await create({ name: 'camera', grants })).status).toBe(409)
    for (const body of [
      { name: 'Camera', grants },
      { name: 'x', grants: [] },
      { name: 'x', grants: [grant('/a/')] },
      { name: 'x', grants: [{ prefix: '/a', access: 'write' }] },
      { name: 'x', grants, expiresAt: '2020-01-01T00:00:00Z' },
      { name: 'x', grants, expiresAt: 'tomorrow' },
    ])
      expect([body, (await create(body)).status]).toEqual([body, 400])
  })

  test('wrong keys wait as wrong passwords do, and make no other key wait', async () => {
    const unknown = camera.replace('camera', 'removed')
    await until(async () => (await as(unknown, 'listStorePools')).status === 429)
    expect((await as(camera, 'listStorePools')).status).toBe(200)
    const wrong = camera.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A'))
    const reply = await until(async () => {
      const each = await as(wrong, 'listStorePools')
      return each.status !== 401 && each
    })
    expect(reply).toMatchObject({
      status: 429,
      body: { detail: expect.stringContaining('wrong access keys') },
    })
    expect(Number(reply.headers.get('retry-after'))).toBeGreaterThan(0)
    // As a right password from an address of wrong ones has to.
    expect((await as(camera, 'listStorePools')).status).toBe(429)
    const other = await make('another', [grant('/other', 'read')])
    expect((await as(other, 'listStorePools')).status).toBe(200)
    expect((await started.client.call('listProjects', { headers: me })).status).toBe(200)
  })
})
