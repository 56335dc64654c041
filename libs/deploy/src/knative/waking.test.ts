import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Waking } from './waking.ts'

const AGAIN_MS = 200
let server: Server
let url: string
let asked: string[]
let waking: Waking

beforeEach(async () => {
  asked = []
  server = createServer((incoming, response) => {
    asked.push(`${incoming.method} ${incoming.url} ${incoming.headers.host}`)
    response.end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  waking = new Waking(AGAIN_MS)
})
afterEach(async () => {
  await waking.close()
  await new Promise((resolve) => server.close(resolve))
})

test('a revision is asked for by the name of its function, once in a while', async () => {
  const walk = { url, host: 'walk.example' }
  waking.start('walk-1', walk)
  waking.start('walk-1', walk)
  waking.start('walk-2', walk)
  await vi.waitFor(() => expect(asked).toHaveLength(2))
  expect(new Set(asked)).toEqual(new Set(['GET /readyz walk.example']))
  await sleep(AGAIN_MS)
  waking.start('walk-1', walk)
  await vi.waitFor(() => expect(asked).toHaveLength(3))
})

test('one that does not answer is asked for again at the next occasion', async () => {
  waking.start('walk-1', { url: 'http://127.0.0.1:1' })
  await vi.waitFor(() => {
    waking.start('walk-1', { url })
    expect(asked).toHaveLength(1)
  })
})

test('a revision that was asked for is starting until it has answered, or does not start', async () => {
  const over = (signal: AbortSignal | undefined) => vi.waitFor(() => expect(signal?.aborted).toBe(true))
  expect(waking.starting('walk-1')).toBeUndefined()
  waking.start('walk-1', { url })
  await over(waking.starting('walk-1'))
  waking.start('walk-2', { url: 'http://127.0.0.1:1' })
  await over(waking.starting('walk-2'))
  expect([waking.starting('walk-1'), waking.starting('walk-2')]).toEqual([undefined, undefined])
})
