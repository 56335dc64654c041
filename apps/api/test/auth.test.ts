/** The password, sessions, the web app's files and what guards them. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Attempts } from '../src/auth/attempts.ts'
import { refusalOf } from '../src/auth/origin.ts'
import { Sessions } from '../src/auth/sessions.ts'
import { readConfig } from '../src/config/config.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const PASSWORD = 'correct horse: ü'
const basic = (password: string) => ({
  authorization: `Basic ${Buffer.from(`me:${password}`).toString('base64')}`,
})

describe('a service with a password', () => {
  const dataDir = newFolder()
  const webDir = path.join(dataDir, 'web')
  let started: Started

  beforeAll(async () => {
    mkdirSync(path.join(webDir, 'assets'), { recursive: true })
    writeFileSync(path.join(webDir, 'index.html'), '<!doctype html><title>app</title>')
    writeFileSync(path.join(webDir, 'assets/main-abc123.js'), 'export {}')
    const large = path.join(webDir, 'assets/large-abc123.js')
    writeFileSync(large, 'let plain')
    writeFileSync(`${large}.br`, brotliCompressSync('let brotli'))
    writeFileSync(`${large}.gz`, gzipSync('let gzip'))
    writeFileSync(path.join(dataDir, 'secret.txt'), 'secret')
    started = await start(configFor(dataDir, { password: PASSWORD, webDir }))
  })
  afterAll(async () => {
    await started?.service.close()
    removeFolder(dataDir)
  })

  const get = (address: string, headers: Record<string, string> = {}) =>
    fetch(started.service.url + address, { headers, redirect: 'manual' })

  test('shows nothing but its health, the login page and whether a password is needed', async () => {
    expect((await get('api/health')).status).toBe(200)
    const session = await started.client.ok('getSession')
    expect(session).toEqual({ passwordRequired: true })
    // A browser says how it fetches, and then must not be told to ask for a name and password by itself.
    const plain = await new Promise<http.IncomingMessage>((resolve) =>
      http.get(`${started.service.url}api/projects`, (reply) => resolve(reply.resume())),
    )
    expect([plain.statusCode, plain.headers['www-authenticate']]).toEqual([
      401,
      expect.stringContaining('Basic'),
    ])
    const fetched = await get('api/projects', { 'sec-fetch-mode': 'cors' })
    expect([fetched.status, fetched.headers.get('www-authenticate')]).toEqual([401, null])
    for (const address of ['', 'projects/x', 'assets/main-abc123.js']) {
      const page = await get(address)
      expect(page.status).toBe(401)
      expect(await page.text()).toContain('type="password"')
    }
  })

  test('takes the password as Basic authorisation', async () => {
    expect((await get('api/projects', basic(PASSWORD))).status).toBe(200)
    expect((await get('api/projects', basic('wrong'))).status).toBe(401)
  })

  test('gives a session for the password, and ends it', async () => {
    const wrong = await started.client.call('signIn', { body: { password: 'wrong' } })
    expect(wrong.status).toBe(401)
    const { headers } = await started.client.call('signIn', { body: { password: PASSWORD } })
    const cookie = headers.get('set-cookie') ?? ''
    expect(cookie).toMatch(/^hivemind_session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/)
    const mine = { cookie: cookie.split(';')[0] ?? '' }
    expect((await get('api/projects', mine)).status).toBe(200)
    expect(await (await get('', mine)).text()).toContain('<title>app</title>')
    expect(await started.client.ok('getSession', { headers: mine })).toMatchObject({
      principal: { name: 'owner' },
    })
    const forged = { cookie: mine.cookie.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) }
    expect((await get('api/projects', forged)).status).toBe(401)
    const evil = { ...mine, origin: 'https://evil.example' }
    expect((await get('api/projects', evil)).status).toBe(403)
    await started.client.ok('signOut', { headers: mine })
    expect((await get('api/projects', mine)).status).toBe(401)
  })

  test('the login form ends on the app, or on the form again', async () => {
    const post = (password: string) =>
      fetch(`${started.service.url}api/session`, {
        method: 'POST',
        body: new URLSearchParams({ password }),
        redirect: 'manual',
      })
    const good = await post(PASSWORD)
    expect([good.status, good.headers.get('location')]).toEqual([303, '/'])
    expect(good.headers.get('set-cookie')).toContain('hivemind_session=')
    const bad = await post('wrong')
    expect([bad.status, bad.headers.get('location')]).toEqual([303, '/?wrong'])
    expect(await (await get('?wrong')).text()).toContain('role="alert"')
  })

  test('serves the app: its page everywhere, its assets for ever, nothing beside it', async () => {
    const mine = basic(PASSWORD)
    const page = await get('projects/some-id/explore', mine)
    expect(await page.text()).toContain('<title>app</title>')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    expect(page.headers.get('content-security-policy')).toContain("script-src 'self'")
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    const asset = await get('assets/main-abc123.js', mine)
    expect(asset.headers.get('cache-control')).toContain('immutable')
    expect(asset.headers.get('content-type')).toContain('javascript')
    const packed = async (accepted: string) => {
      const reply = await get('assets/large-abc123.js', { ...mine, 'accept-encoding': accepted })
      expect(reply.headers.get('content-type')).toContain('javascript')
      expect(reply.headers.get('vary')).toContain('accept-encoding')
      return [reply.headers.get('content-encoding'), await reply.text()]
    }
    expect(await packed('gzip, br')).toEqual(['br', 'let brotli'])
    expect(await packed('gzip')).toEqual(['gzip', 'let gzip'])
    expect(await packed('identity')).toEqual([null, 'let plain'])
    expect((await get('assets/gone.js', mine)).status).toBe(404)
    for (const address of ['..%2fsecret.txt', '%2e%2e/secret.txt', 'assets/..%2f..%2fsecret.txt', 'x%00y'])
      expect(await (await get(address, mine)).text()).not.toBe('secret')
  })

  test('too many wrong passwords have to wait, right ones from their address too', async () => {
    let status = 0
    for (let attempt = 0; attempt < 12 && status !== 429; attempt++)
      status = (await started.client.call('signIn', { body: { password: `guess ${attempt}` } })).status
    expect(status).toBe(429)
    const waiting = await get('api/projects', basic(PASSWORD))
    expect(waiting.status).toBe(429)
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

describe('wrong passwords', () => {
  let now = 0
  let attempts: Attempts
  const fail = (count: number, address: (n: number) => string) => {
    for (let n = 0; n < count; n++) attempts.fail('owner', address(n))
  }
  beforeEach(() => {
    now = 0
    attempts = new Attempts(() => now)
  })

  test('make their address wait, twice as long each time, and no other address', () => {
    fail(4, () => '10.0.0.1')
    expect(attempts.wait('owner', '10.0.0.1')).toBe(0)
    const waits = []
    for (let n = 0; n < 12; n++) {
      fail(1, () => '10.0.0.1')
      waits.push(attempts.wait('owner', '10.0.0.1'))
    }
    expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900])
    expect(attempts.wait('owner', '10.0.0.2')).toBe(0)
    expect(attempts.wait('another', '10.0.0.1')).toBe(0)
    now += 900_000
    expect(attempts.wait('owner', '10.0.0.1')).toBe(0)
    now += 3_600_000
    fail(4, () => '10.0.0.1')
    expect(attempts.wait('owner', '10.0.0.1')).toBe(0)
  })

  test('from everywhere make only those wait who never gave the right one', () => {
    attempts.succeed('owner', '10.9.9.9')
    fail(100, (n) => `10.0.1.${n}`)
    expect(attempts.wait('owner', '10.0.2.1')).toBe(60)
    expect(attempts.wait('owner', '10.9.9.9')).toBe(0)
    now += 60_001
    expect(attempts.wait('owner', '10.0.2.1')).toBe(0)
  })

  test('of one IPv6 network count together', () => {
    fail(6, (n) => `2001:db8:1:2::${n + 1}`)
    expect(attempts.wait('owner', '2001:db8:1:2:ffff::1')).toBe(2)
    expect(attempts.wait('owner', '2001:db8:1:3::1')).toBe(0)
  })
})

test('sessions end after twelve hours, or before', () => {
  let now = 0
  const sessions = new Sessions(PASSWORD, () => now)
  const { token } = sessions.start()
  const ended = sessions.find(token)
  expect(ended?.aborted).toBe(false)
  expect(sessions.find('other')).toBeUndefined()
  now += 12 * 3_600_000
  expect(sessions.find(token)).toBeUndefined()
  expect(ended?.aborted).toBe(true)
  const second = sessions.start().token
  const signal = sessions.find(second)
  sessions.end(second)
  expect([signal?.aborted, sessions.find(second)]).toEqual([true, undefined])
})

test('sessions that were kept go on until their time is over, with the same password alone', () => {
  let now = 0
  const { token, kept } = new Sessions(PASSWORD, () => now).start()
  const restored = (password: string) => {
    const sessions = new Sessions(password, () => now)
    sessions.restore(kept)
    return sessions
  }
  now += 11 * 3_600_000
  const sessions = restored(PASSWORD)
  const ended = sessions.find(token)
  expect(ended?.aborted).toBe(false)
  expect(restored('another').find(token)).toBeUndefined()
  now += 3_600_000
  expect([sessions.find(token), ended?.aborted]).toEqual([undefined, true])
  expect(restored(PASSWORD).find(token)).toBeUndefined()
})

test('of a thousand sessions the oldest makes room', () => {
  const sessions = new Sessions(PASSWORD)
  const first = sessions.start()
  for (let n = 1; n < 1_000; n++) expect(sessions.start().dropped).toBeUndefined()
  expect(sessions.start().dropped).toBe(first.kept.hash)
  expect(sessions.find(first.token)).toBeUndefined()
})

test('who is signed in stays so over a restart, unless the password is another', {
  timeout: 120_000,
}, async () => {
  const dataDir = newFolder()
  let started: Started | undefined
  const signIn = async () => {
    const { headers } = (await started?.client.call('signIn', { body: { password: PASSWORD } })) ?? {}
    return { cookie: headers?.get('set-cookie')?.split(';')[0] ?? '' }
  }
  const status = async (headers: Record<string, string>) =>
    (await started?.client.call('listProjects', { headers }))?.status
  const restart = async (password: string) => {
    await started?.service.close()
    started = await start(configFor(dataDir, { password }))
  }
  try {
    await restart(PASSWORD)
    const staying = await signIn()
    const leaving = await signIn()
    await started?.client.ok('signOut', { headers: leaving })
    await restart(PASSWORD)
    expect([await status(staying), await status(leaving)]).toEqual([200, 401])
    await restart('another password')
    expect(await status(staying)).toBe(401)
    // No file has a token.
    const token = staying.cookie.slice('hivemind_session='.length)
    const files = readdirSync(dataDir, { withFileTypes: true, recursive: true }).filter((entry) =>
      entry.isFile(),
    )
    expect(files.length).toBeGreaterThan(10)
    for (const { parentPath, name } of files)
      expect([name, readFileSync(path.join(parentPath, name)).includes(token)]).toEqual([name, false])
  } finally {
    await started?.service.close()
    removeFolder(dataDir)
  }
})

describe('a service behind a proxy that does TLS', () => {
  const dataDir = newFolder()
  let started: Started
  beforeAll(async () => {
    started = await start(configFor(dataDir, { password: PASSWORD, trustedProxies: ['127.0.0.1'] }))
  })
  afterAll(async () => {
    await started?.service.close()
    removeFolder(dataDir)
  })

  const from = (address: string, more: Record<string, string> = {}) => ({
    'x-forwarded-for': address,
    'x-forwarded-proto': 'https',
    'x-forwarded-host': 'swarm.lab',
    ...more,
  })
  const signIn = (address: string, password: string, more: Record<string, string> = {}) =>
    started.client.call('signIn', { body: { password }, headers: from(address, more) })

  test('ten wrong passwords lock out their address alone', async () => {
    const statuses = []
    for (let n = 0; n < 10; n++) statuses.push((await signIn('203.0.113.1', `guess ${n}`)).status)
    expect(statuses).toContain(429)
    const owner = await signIn('203.0.113.2', PASSWORD, { origin: 'https://swarm.lab' })
    expect(owner.status).toBe(204)
    expect(owner.headers.get('set-cookie')).toMatch(/; Secure/)
  })

  test('an open stream of events ends with its session', async () => {
    const { headers } = await signIn('203.0.113.3', PASSWORD)
    const cookie = headers.get('set-cookie')?.split(';')[0] ?? ''
    const stream = await fetch(`${started.service.url}api/events?topics=project:x`, { headers: { cookie } })
    expect(stream.status).toBe(200)
    const closed = stream.text()
    await started.client.ok('signOut', { headers: { cookie } })
    expect(await closed).toContain('connected')
  })
})

test('proxies are addresses and networks', () => {
  const proxies = (text: string) => {
    const config = readConfig([], { HIVEMIND_TRUSTED_PROXIES: text })
    return config === 'help' ? [] : config.trustedProxies
  }
  expect(proxies('127.0.0.1, 10.0.0.0/8,fd00::/8')).toEqual(['127.0.0.1', '10.0.0.0/8', 'fd00::/8'])
  for (const wrong of ['proxy', '10.0.0.0/33', '10.0.0.0/8/8', 'true'])
    expect(() => proxies(wrong)).toThrow(`names '${wrong}'`)
})

test.each([
  [{ host: 'localhost:4310' }, true, null],
  [{ host: '127.0.0.1:1' }, true, null],
  [{ host: '[::1]:4310' }, true, null],
  [{ host: 'evil.example:4310' }, true, 'localhost only'],
  [{}, true, 'localhost only'],
  [{ host: 'swarm.lab' }, false, null],
  [{ host: 'swarm.lab', origin: 'https://swarm.lab' }, false, null],
  [{ host: 'swarm.lab', origin: 'https://other.lab' }, false, 'other sites'],
  [{ host: 'localhost:4310', origin: 'http://localhost:5173' }, true, 'other sites'],
  [{ host: 'localhost:4310', 'sec-fetch-site': 'same-origin' }, true, null],
  [{ host: 'localhost:4310', 'sec-fetch-site': 'none' }, true, null],
  [{ host: 'localhost:4310', 'sec-fetch-site': 'same-site' }, true, 'other sites'],
])('headers %j, local only %s: %s', (headers, localOnly, refusal) => {
  const told = refusalOf(headers, { host: 'host' in headers ? headers.host : '', isPage: false, localOnly })
  if (refusal === null) expect(told).toBeNull()
  else expect(told).toContain(refusal)
})
