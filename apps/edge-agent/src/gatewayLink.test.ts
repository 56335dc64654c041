import { createServer, type IdlModel, type RpcServer } from '@hivemind/rpc'
import { afterEach, expect, test } from 'vitest'
import { GatewayLink } from './gatewayLink.ts'

const model: IdlModel = {
  namespace: 'test',
  structs: [],
  exceptions: [],
  services: [
    {
      name: 'Gateway',
      functions: ['hello', 'note'].map((name) => ({
        name,
        params: [{ id: 1, name: 'text', type: 'string' as const }],
        returns: null,
        throws: [],
      })),
    },
  ],
}

let link: GatewayLink | undefined
let server: RpcServer | undefined
afterEach(async () => {
  link?.close()
  await server?.close()
})

const serve = (seen: string[], port = 0, answer: () => Promise<void> = async () => {}) =>
  createServer(
    model,
    'Gateway',
    {
      hello: ({ text }) => void seen.push(`hello ${text}`),
      note: ({ text }) => {
        seen.push(String(text))
        return answer()
      },
    },
    { port },
  )

function open(port: number, states: string[], giveUpMs = 10_000): GatewayLink {
  return new GatewayLink({
    model,
    service: 'Gateway',
    host: '127.0.0.1',
    port,
    giveUpMs,
    onConnect: () => ({ fn: 'hello', args: { text: 'me' } }),
    onState: (state) => states.push(state),
  })
}

test('after a broken connection it says hello again and repeats in order what was not answered', async () => {
  const before: string[] = []
  server = await serve(before, 0, () => new Promise(() => {}))
  const { port } = server
  const states: string[] = []
  link = open(port, states)
  await link.open()
  const calls = ['a', 'b', 'c'].map((text) => link?.call('note', { text }))
  while (before.length < 4) await new Promise((resolve) => setTimeout(resolve, 5))
  await server.close()
  const after: string[] = []
  server = await serve(after, port)
  await Promise.all(calls)
  await link.call('note', { text: 'd' })
  expect(before).toEqual(['hello me', 'a', 'b', 'c'])
  expect(after).toEqual(['hello me', 'a', 'b', 'c', 'd'])
  expect(states).toEqual(['connecting', 'connected', 'connecting', 'connected'])
})

test('it gives up in the end', async () => {
  const states: string[] = []
  server = await serve([])
  const { port } = server
  await server.close()
  link = open(port, states, 300)
  const call = link.call('note', { text: 'x' })
  const refused = expect(call).rejects.toThrow(/closed/)
  await link.open()
  await refused
  expect(states).toEqual(['connecting', 'gone'])
})
