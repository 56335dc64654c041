/** What every answer tells browsers, and how much one address may ask. */
import { afterEach, describe, expect, test } from 'vitest'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const dataDir = newFolder()
let started: Started
afterEach(async () => {
  await started.service.close()
  removeFolder(dataDir)
})

test.each(['', 'api/projects', 'api/none', 'none'])(
  "the answer to '/%s' has the headers that guard it",
  async (path) => {
    started = await start(configFor(dataDir))
    const { headers } = await fetch(started.service.url + path)
    const policy = headers.get('content-security-policy')
    for (const part of [
      "default-src 'self'",
      "script-src 'self'",
      "frame-ancestors 'none'",
      "object-src 'none'",
    ])
      expect(policy?.split(';').map((each) => each.trim())).toContain(part)
    expect(Object.fromEntries(headers)).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
  },
)

describe('of 30 requests at once, where 20 are allowed', () => {
  const statuses = async (url: string): Promise<number[]> => {
    const answers = await Promise.all(Array.from({ length: 30 }, () => fetch(`${url}api/health`)))
    return answers.map(({ status }) => status)
  }

  test('on loopback all are answered', async () => {
    started = await start(configFor(dataDir, { maxRequests: 20 }))
    expect(await statuses(started.service.url)).toEqual(Array(30).fill(200))
  })

  test('where others reach the service the rest are told to wait', async () => {
    started = await start(configFor(dataDir, { host: '0.0.0.0', password: 'correct horse', maxRequests: 20 }))
    const url = started.service.url.replace('0.0.0.0', '127.0.0.1')
    const all = await statuses(url)
    expect([200, 429].map((status) => all.filter((each) => each === status).length)).toEqual([20, 10])
    const refused = await fetch(`${url}api/health`)
    expect(refused.headers.get('content-type')).toContain('application/problem+json')
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await refused.json()).toMatchObject({
      status: 429,
      detail: expect.stringMatching(/^Too many requests: /),
    })
  })
})
