/** When the steps of an answer leave the host. */
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { encodeValue } from '@hivemind/values'
import { expect, test } from 'vitest'
import { configOf } from '../test/host.ts'
import { StreamAnswer } from './answer.ts'
import type { Call } from './call.ts'

/** The pieces in which an answer of two items comes, the second so many ms after the first. */
async function piecesOf(apartMs: number): Promise<string[]> {
  const server = createServer(async (_, response) => {
    const call = { id: 'e-1', fromCore: true } as Call
    const answer = new StreamAnswer({ config: configOf({}), call, mode: 'binary', response })
    void answer.onItem({ value: encodeValue('the first') }, 0)
    await pause(apartMs)
    void answer.onItem({ value: encodeValue('the second') }, 1)
    answer.end({} as Parameters<StreamAnswer['end']>[0], undefined)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.write('GET / HTTP/1.1\r\nhost: here\r\nconnection: close\r\n\r\n')
  const pieces: string[] = []
  for await (const piece of socket) pieces.push(String(piece))
  await new Promise((resolve) => server.close(resolve))
  return pieces
}

test('the first steps are held back for a moment: an answer that ends within it is one piece, and is whole', async () => {
  const pieces = await piecesOf(2)
  expect(pieces).toHaveLength(1)
  expect(pieces[0]).toMatch(/^HTTP\/1\.1 200 .*the first.*the second.*\r\n0\r\n\r\n$/s)
})

test('steps do not wait for the end of an answer that goes on', async () => {
  const [begun = '', ...rest] = await piecesOf(300)
  expect(begun).toContain('the first')
  expect(begun).not.toContain('the second')
  expect(rest.join('')).toMatch(/the second.*\r\n0\r\n\r\n$/s)
})
