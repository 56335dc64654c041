/** `hivemind device` against a server that answers as the contract says, and against none. */
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { hivemind } from './command.ts'

let folder: string
let server: Server
let url: string
let asked: string[]
const credential = { broker: 'mqtt://127.0.0.1:1', fleet: 'f', device: 'drone-7', class: 'drone', token: 't' }

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'hivemind-cli-'))
  asked = []
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url}`)
    const answer = (status: number, body: unknown, type = 'application/json'): void => {
      response.writeHead(status, { 'content-type': type }).end(JSON.stringify(body))
    }
    if (request.url === '/api/agent')
      response.writeHead(200, { 'content-type': 'application/gzip' }).end('an archive')
    else if (request.url === '/api/devices/address')
      answer(200, {
        broker: credential.broker,
        values: 'http://127.0.0.1:2',
        onlyHere: ['http://127.0.0.1:2'],
      })
    else if (request.method === 'GET')
      answer(200, [
        {
          id: 'drone-7',
          class: 'drone',
          state: 'enrolled',
          enrolled: true,
          version: '',
          cores: 0,
          memoryMB: 0,
        },
      ])
    else if (request.method === 'DELETE') response.writeHead(204).end()
    else if (asked.length === 1) answer(201, credential)
    else answer(409, { title: 'Conflict', status: 409, detail: 'There is one.' }, 'application/problem+json')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as { port: number }).port}/`
})
afterEach(async () => {
  await new Promise((resolve) => server.close(resolve))
  await rm(folder, { recursive: true, force: true })
})

it('keeps the credential where only its owner reads it, and loses none that is there', async () => {
  const out = path.join(folder, 'drone-7.json')
  const enrol = () =>
    hivemind('device', 'enrol', 'drone-7', '--class', 'drone', '--service', url, '--out', out)
  const enrolled = await enrol()
  expect(enrolled.code).toBe(0)
  expect(enrolled.stderr).toContain('HIVEMIND_DEVICES_HOST')
  expect(JSON.parse(await readFile(out, 'utf8'))).toEqual(credential)
  expect((await stat(out)).mode & 0o777).toBe(0o600)
  const again = await enrol()
  expect(again.code).toBe(3)
  expect(again.stderr).toContain('Choose another file with --out')
  expect(asked).toEqual(['POST /api/devices', 'GET /api/devices/address'])
})

it('leaves no file behind when the service refuses', async () => {
  asked.push('an earlier one')
  const out = path.join(folder, 'other.json')
  const refused = await hivemind('device', 'enrol', 'drone-7', '--service', url, '--out', out)
  expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining('There is one.') })
  await expect(stat(out)).rejects.toThrow('ENOENT')
})

it('writes the agent of devices to a file', async () => {
  const out = path.join(folder, 'agent.tar.gz')
  const written = await hivemind('device', 'agent', '--service', url, '--out', out)
  expect(written.stdout + written.stderr).toContain('hivemind-agent/start --config')
  expect(await readFile(out, 'utf8')).toBe('an archive')
})

it('lists and removes', async () => {
  const list = await hivemind('device', 'list', '--service', url)
  expect(list.stdout).toMatch(/drone-7 +drone +enrolled/)
  expect((await hivemind('device', 'remove', 'drone-7', '--service', url)).code).toBe(0)
  expect(asked).toEqual(['GET /api/devices', 'DELETE /api/devices/drone-7'])
})

it('says when no service answers', async () => {
  const lost = await hivemind('device', 'list', '--service', 'http://127.0.0.1:1')
  expect(lost).toMatchObject({
    code: 3,
    stderr: expect.stringContaining('No service answers at http://127.0.0.1:1/'),
  })
  expect((await hivemind('device', 'list', '--service', 'nowhere')).code).toBe(2)
})
