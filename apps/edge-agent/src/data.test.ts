/** What a device does with values while the service is away, or does not know yet whether it may have them. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { HttpDataPort } from '@hivemind/values/node'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { PatientDataPort } from './data.ts'

const value = { type: 'text/plain', bytes: Buffer.from('x') }
let server: Server
let port: PatientDataPort
/** What is answered, one after the other; the last one stays. */
let statuses: number[]
let asked: number

beforeEach(async () => {
  asked = 0
  server = createServer((incoming, response) => {
    asked += 1
    const status = statuses.length > 1 ? (statuses.shift() as number) : (statuses[0] as number)
    incoming.resume().on('end', () => response.writeHead(status).end('{"version":1,"size":1}'))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  port = new PatientDataPort(new HttpDataPort({ url, user: 'd1', password: 'p' }))
})
afterEach(async () => {
  port.close()
  await new Promise((resolve) => server.close(resolve).closeAllConnections())
})

test('a value that a service does not take yet, as after a restart, is sent again', async () => {
  statuses = [503, 503, 201]
  expect(await port.put('r1', 'k', value)).toMatchObject({ pool: 'r1', key: 'k', version: 1 })
  expect(asked).toBe(3)
})

test('one that is refused is not', async () => {
  statuses = [403]
  await expect(port.put('r1', 'k', value)).rejects.toMatchObject({ status: 403 })
  expect(asked).toBe(1)
})

test('who closes it waits no longer', async () => {
  statuses = [503]
  const put = port.put('r1', 'k', value)
  put.catch(() => {})
  await expect.poll(() => asked).toBe(1)
  port.close()
  await expect(put).rejects.toMatchObject({ status: 503 })
})
