/** The password, sessions, the web app's files and what guards them. */
import { mkdirSync, writeFileSync } from 'node:fs'
import http from 'node:http'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refusalOf } from '../src/auth/origin.ts'
import { Attempts, Sessions } from '../src/auth/sessions.ts'
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
    expect((await get('assets/gone.js', mine)).status).toBe(404)
    for (const address of ['..%2fsecret.txt', '%2e%2e/secret.txt', 'assets/..%2f..%2fsecret.txt', 'x%00y'])
      expect(await (await get(address, mine)).text()).not.toBe('secret')
  })

  test('too many wrong passwords have to wait, right ones too', async () => {
    let status = 0
    for (let attempt = 0; attempt < 12 && status !== 429; attempt++)
      status = (await started.client.call('signIn', { body: { password: `guess ${attempt}` } })).status
    expect(status).toBe(429)
    const waiting = await get('api/projects', basic(PASSWORD))
    expect(waiting.status).toBe(429)
    expect(Number(waiting.headers.get('retry-after'))).toBeGreaterThan(0)
  })
})

test('attempts are forgotten after a minute; sessions end after twelve hours', () => {
  let now = 0
  const attempts = new Attempts(2, 3, () => now)
  attempts.fail('a')
  expect(attempts.wait('a')).toBe(0)
  attempts.fail('a')
  expect(attempts.wait('a')).toBe(60)
  expect(attempts.wait('b')).toBe(0)
  attempts.fail('c')
  expect(attempts.wait('b')).toBe(60)
  now = 60_001
  expect(attempts.wait('a')).toBe(0)
  const sessions = new Sessions(() => now)
  const token = sessions.start()
  expect(sessions.isValid(token)).toBe(true)
  expect(sessions.isValid('other')).toBe(false)
  now += 12 * 3_600_000
  expect(sessions.isValid(token)).toBe(false)
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
  const told = refusalOf(headers, { isPage: false, localOnly })
  if (refusal === null) expect(told).toBeNull()
  else expect(told).toContain(refusal)
})
