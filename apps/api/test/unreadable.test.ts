/** What is no request, too large, or comes byte by byte is answered with a problem, and holds no connection. */
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const dataDir = newFolder()
let started: Started
const sockets: Socket[] = []

beforeAll(async () => {
  started = await start(configFor(dataDir, { requestTimeoutMs: 1_000 }))
})
afterAll(async () => {
  for (const socket of sockets) socket.destroy()
  await started?.service.close()
  removeFolder(dataDir)
})

/** Sends `head` and then a byte each 100 ms; resolves with the problem that the service says before it closes the connection. */
async function problemOf(head: string): Promise<unknown> {
  const answer = await answerTo(head)
  expect(answer).toContain('\r\nContent-Type: application/problem+json; charset=utf-8\r\n')
  return JSON.parse(answer.slice(answer.indexOf('\r\n\r\n')))
}

function answerTo(head: string): Promise<string> {
  const { hostname, port } = new URL(started.service.url)
  const socket = connect(Number(port), hostname)
  sockets.push(socket)
  socket.write(head)
  const timer = setInterval(() => socket.write('a'), 100)
  let said = ''
  socket.on('data', (chunk: Buffer) => {
    said += chunk
  })
  socket.on('error', () => {})
  return new Promise((resolve) =>
    socket.on('close', () => {
      clearInterval(timer)
      resolve(said)
    }),
  )
}

test.each([
  [
    'body',
    'POST /api/projects HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 900000\r\n\r\n{"name":"',
  ],
  ['head', 'GET /api/projects HTTP/1.1\r\nHost: localhost\r\nX-Slow: '],
])('a slow %s', async (_, head) => {
  expect(await problemOf(head)).toMatchObject({ status: 408 })
  expect(await started.client.ok('listProjects')).toEqual([])
})

test.each([
  [
    'an address that is too long',
    431,
    `GET /api/projects?x=${'x'.repeat(70_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`,
  ],
  ['what is not HTTP', 400, 'EHLO localhost\r\n'],
])('%s', async (_, status, head) => {
  expect(await problemOf(head)).toMatchObject({ status })
  expect(await started.client.ok('listProjects')).toEqual([])
})

test('a stream of events is no slow request', async () => {
  const heard = await started.client.events('project:x')
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  const { id } = await started.client.ok('createProject', { body: { name: 'Heard' } })
  const again = await started.client.events(`project:${id}`)
  expect([heard.comments, again.comments]).toEqual([1, 1])
  heard.stop()
  again.stop()
})
