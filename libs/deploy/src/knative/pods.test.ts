import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { CHALLENGE_HEADER, proofOf } from '@hivemind/task-runner'
import { afterEach, expect, test, vi } from 'vitest'
import { LABELS } from './manifests.ts'
import { type AddressedPod, DirectPods } from './pods.ts'

const servers: Server[] = []
const followed: DirectPods[] = []
afterEach(async () => {
  for (const pods of followed.splice(0)) pods.close()
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
})

/** Something that proves to know a token; resolves with its port. */
async function knowing(token: string): Promise<number> {
  const server = createServer((incoming, response) =>
    response.end(JSON.stringify({ proof: proofOf(token, String(incoming.headers[CHALLENGE_HEADER])) })),
  )
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

function pod(name: string, port: number, { ready = true, revision = 'r-1' } = {}): AddressedPod {
  return {
    metadata: { name, labels: { [LABELS.revision]: revision } },
    spec: { containers: [{ name: 'queue-proxy', ports: [{ name: 'queue-port', containerPort: port }] }] },
    status: { podIP: '127.0.0.1', conditions: [{ type: 'Ready', status: ready ? 'True' : 'False' }] },
  }
}

/** A queue-proxy that holds requests, or answers otherwise, before a container; resolves with a pod of both. */
async function counting(status = 204, token = 'secret') {
  let holds = 0
  const own = await knowing(token)
  const server = createServer((incoming, response) => {
    if (!incoming.url?.startsWith('/hold'))
      return response.end(
        JSON.stringify({ proof: proofOf(token, String(incoming.headers[CHALLENGE_HEADER])) }),
      )
    holds += 1
    return response.writeHead(incoming.headers.authorization === `Bearer ${token}` ? status : 401).end()
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = (server.address() as AddressInfo).port
  const both = pod('a', port)
  both.spec?.containers?.push({ name: 'function', ports: [{ name: 'user-port', containerPort: own }] })
  return { both, port, own, holds: () => holds, close: () => server.close().closeAllConnections() }
}

const portOf = (call: { url: string } | undefined): number => Number(new URL(call?.url ?? '').port)

function podsOf(tokens: Record<string, string>): DirectPods {
  const pods = new DirectPods((revision) => tokens[revision])
  followed.push(pods)
  return pods
}

const proved = (pods: DirectPods, count: number, revision = 'r-1') =>
  vi.waitFor(() => expect(pods.count(revision).direct).toBe(count), 5_000)

test('calls go to the ready container that has the fewest, up to what each takes at once', async () => {
  const pods = podsOf({ 'r-1': 'secret' })
  const [a, b] = [await knowing('secret'), await knowing('secret')]
  expect(pods.take('r-1', 2)).toBeUndefined()
  pods.changed(pod('a', a), false)
  pods.changed(pod('b', b), false)
  await proved(pods, 2)
  const calls = [1, 2, 3, 4].map(() => pods.take('r-1', 2))
  const ports = calls.map((call) => Number(new URL(call?.url ?? '').port))
  expect(ports.toSorted()).toEqual([a, a, b, b].toSorted())
  expect(ports[0]).not.toBe(ports[1])
  expect(pods.take('r-1', 2)).toBeUndefined()
  calls[0]?.done(true)
  expect(pods.take('r-1', 2)?.url).toBe(calls[0]?.url)
  expect(pods.take('r-2', 2)).toBeUndefined()
})

test('a call that waits gets the first container with room, those before it first, and nothing when it is over', async () => {
  const pods = podsOf({ 'r-1': 'secret' })
  const [first, second, given] = [new AbortController(), new AbortController(), [] as string[]]
  const waits = (name: string, { signal }: AbortController) =>
    pods.takeWhenFree('r-1', 1, signal).then((call) => {
      given.push(`${name} ${call !== undefined}`)
      return call
    })
  const calls = [waits('first', first), waits('second', second)] as const
  pods.changed(pod('a', await knowing('secret')), false)
  const call = await calls[0]
  expect(given).toEqual(['first true'])
  call?.done(true)
  ;(await calls[1])?.done(true)
  pods.take('r-1', 1)
  const third = waits('third', second)
  second.abort()
  expect(await third).toBeUndefined()
  expect(await pods.takeWhenFree('r-1', 1, second.signal)).toBeUndefined()
})

test('who listens at the address of a container and does not know the token gets no call', async () => {
  const pods = podsOf({ 'r-1': 'secret' })
  pods.changed(pod('stranger', await knowing('another')), false)
  pods.changed(pod('ours', await knowing('secret')), false)
  await proved(pods, 1)
  await pause(50)
  expect(pods.count('r-1')).toEqual({ ready: 2, direct: 1 })
})

test('containers that are not ready, are to end or are gone get no call', async () => {
  const pods = podsOf({ 'r-1': 'secret' })
  const port = await knowing('secret')
  pods.changed(pod('a', port, { ready: false }), false)
  expect(pods.count('r-1').ready).toBe(0)
  pods.changed(pod('a', port), false)
  await proved(pods, 1)
  const ending = pod('a', port)
  pods.changed({ ...ending, metadata: { ...ending.metadata, deletionTimestamp: 'now' } }, false)
  expect(pods.take('r-1', 2)).toBeUndefined()
  pods.changed(pod('b', port), false)
  await proved(pods, 1)
  pods.changed(pod('b', port), true)
  expect(pods.take('r-1', 2)).toBeUndefined()
})

test('a container that did not take its call has to prove itself again', async () => {
  const pods = podsOf({ 'r-1': 'secret' })
  const port = await knowing('secret')
  pods.changed(pod('a', port), false)
  await proved(pods, 1)
  pods.take('r-1', 1)?.done(false)
  expect(pods.count('r-1').direct).toBe(0)
  await proved(pods, 1)
  expect(pods.take('r-1', 1)).toBeDefined()
})

test('a container that does not answer yet is asked for its proof again', async () => {
  const port = await knowing('secret')
  const server = servers.pop() as Server
  await new Promise((resolve) => server.close(resolve))
  const pods = podsOf({ 'r-1': 'secret' })
  pods.changed(pod('a', port), false)
  await pause(50)
  expect(pods.count('r-1')).toEqual({ ready: 1, direct: 0 })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  await proved(pods, 1)
})

test('a function that nobody is to call yet is asked for its proof when it is', async () => {
  const tokens: Record<string, string> = {}
  const pods = podsOf(tokens)
  pods.changed(pod('a', await knowing('secret')), false)
  await pause(50)
  expect(pods.count('r-1')).toEqual({ ready: 1, direct: 0 })
  tokens['r-1'] = 'secret'
  pods.prove()
  await proved(pods, 1)
})

test('calls go past a queue-proxy that is told of them, for as long as it can be', async () => {
  const pods = podsOf({ 'r-1': 'secret' })
  const { both, port, own, holds, close } = await counting()
  pods.changed(both, false)
  await vi.waitFor(() => {
    const call = pods.take('r-1', 1)
    call?.done(true)
    expect(portOf(call)).toBe(own)
  })
  const before = holds()
  const call = pods.take('r-1', 1)
  await vi.waitFor(() => expect(holds()).toBeGreaterThan(before))
  close()
  call?.done(true)
  // it is asked again by way of the queue-proxy, which is gone
  await vi.waitFor(() => {
    pods.take('r-1', 1)?.done(true)
    expect(pods.count('r-1')).toEqual({ ready: 1, direct: 0 })
  })
  expect(port).not.toBe(own)
})

test.each([
  ['does not know how to hold a request', 404, 'secret'],
  ['is not reached itself', 204, 'another'],
])('where a container %s, calls go by its queue-proxy', async (_, status, token) => {
  const pods = podsOf({ 'r-1': 'secret' })
  const { both, port } = await counting(status)
  if (token !== 'secret')
    both.spec?.containers?.splice(1, 1, {
      name: 'function',
      ports: [{ containerPort: await knowing(token) }],
    })
  pods.changed(both, false)
  await proved(pods, 1)
  await pause(100)
  expect(portOf(pods.take('r-1', 1))).toBe(port)
})
