/** Pages of other sites change nothing and read nothing here, however the address is written. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const PASSWORD = 'open sesame'
const authorization = `Basic ${Buffer.from(`me:${PASSWORD}`).toString('base64')}`
const FOREIGN: Record<string, string>[] = [
  { origin: 'https://evil.example' },
  { origin: 'null' },
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
]
const SPELLINGS = ['api/projects', '%61pi/projects', 'a%70i/projects', 'api/%70rojects', '%61%70%69/projects']

describe.each([
  { mode: 'without a password', password: undefined },
  { mode: 'with a password', password: PASSWORD },
])('a service $mode', ({ password }) => {
  const dataDir = newFolder()
  let started: Started

  beforeAll(async () => {
    started = await start(configFor(dataDir, password === undefined ? {} : { password }))
  })
  afterAll(async () => {
    await started?.service.close()
    removeFolder(dataDir)
  })

  const send = (
    address: string,
    method: string,
    headers: Record<string, string>,
    body: string | URLSearchParams | null = JSON.stringify({ name: 'planted' }),
  ) =>
    fetch(started.service.url + address, {
      method,
      redirect: 'manual',
      headers: {
        ...(password === undefined ? {} : { authorization }),
        ...(typeof body === 'string' ? { 'content-type': 'application/json' } : {}),
        ...headers,
      },
      body,
    })
  const projects = async () =>
    (await (await send('api/projects', 'GET', {}, null)).json()) as { name: string }[]

  test.each(SPELLINGS)('refuses %s of another site, whatever the method', async (address) => {
    for (const headers of FOREIGN)
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'GET']) {
        const reply = await send(address, method, headers, method === 'GET' ? null : undefined)
        expect([method, headers, reply.status]).toEqual([method, headers, 403])
      }
    expect(await projects()).toEqual([])
  })

  test('refuses what changes anything also where there is no such route', async () => {
    for (const address of ['', 'nowhere', 'api', 'api/nowhere', '%61pi/nowhere'])
      expect([address, (await send(address, 'POST', { origin: 'https://evil.example' })).status]).toEqual([
        address,
        403,
      ])
  })

  test('lets a link of another site open the app', async () => {
    const reply = await send('projects/x', 'GET', { 'sec-fetch-site': 'cross-site' }, null)
    expect(reply.status).not.toBe(403)
  })

  test('takes a form only to sign in, and no other kind of body than JSON', async () => {
    for (const address of SPELLINGS) {
      const form = await send(address, 'POST', {}, new URLSearchParams({ name: 'planted' }))
      expect([address, form.status]).toEqual([address, 415])
      expect(form.headers.get('content-type')).toContain('application/problem+json')
    }
    const text = await send('api/projects', 'POST', { 'content-type': 'text/plain' }, '{"name":"planted"}')
    expect(text.status).toBe(415)
    expect(await projects()).toEqual([])
    const signIn = await send('api/session', 'POST', {}, new URLSearchParams({ password: PASSWORD }))
    expect(signIn.status).toBe(303)
  })

  test('answers of the API are never stored, however the address is written', async () => {
    for (const address of SPELLINGS)
      expect((await send(address, 'GET', {}, null)).headers.get('cache-control')).toBe('no-store')
  })
})
