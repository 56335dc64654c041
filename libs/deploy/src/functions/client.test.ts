/** The way of a call: directly to a process, or by the address that knows of all. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { encodeValue } from '@hivemind/values'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { FunctionClient, type FunctionEndpoint } from './client.ts'

const servers: Server[] = []
let client: FunctionClient
beforeEach(() => {
  client = new FunctionClient()
})
afterEach(async () => {
  await client.close()
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))))
})

/** Answers every call with a status; its address, and what it was asked. */
async function answering(status: number) {
  const asked: { host?: string | undefined; authorization?: string | undefined }[] = []
  const server = createServer((incoming, response) => {
    const { host, authorization } = incoming.headers
    asked.push({ host, authorization })
    incoming.resume().on('end', () => response.writeHead(status).end())
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked }
}

/** The address of nobody. */
async function nowhere(): Promise<string> {
  const { url } = await answering(204)
  const server = servers.pop()
  await new Promise((resolve) => server?.close(resolve))
  return url
}

/** Calls a function that has one process with room; resolves with what that was told at the end. */
async function call(by: FunctionEndpoint, direct: string): Promise<boolean[]> {
  const ends: boolean[] = []
  const endpoint = {
    ...by,
    direct: async () => ({ url: direct, done: (taken: boolean) => void ends.push(taken) }),
  }
  const inputs = { x: { kind: 'one' as const, value: encodeValue(1) } }
  await client.invoke(() => endpoint, { id: 'c', task: 'work', ...place, inputs }, { onItem: () => {} })
  return ends
}

test('a call goes to the process that has room, with the name and the token of the function', async () => {
  const [process, ingress] = [await answering(204), await answering(204)]
  const ends = await call({ url: ingress.url, host: 'work.example', token: 't' }, process.url)
  expect(ends).toEqual([true])
  expect(process.asked).toEqual([{ host: 'work.example', authorization: 'Bearer t' }])
  expect(ingress.asked).toEqual([])
})

test.each([
  ['is gone', nowhere],
  ['takes no more calls', async () => (await answering(503)).url],
])('a process that %s leaves the call to the address that knows of all', async (_, process) => {
  const ingress = await answering(204)
  expect(await call({ url: ingress.url }, await process())).toEqual([false])
  expect(ingress.asked).toHaveLength(1)
})

test('a call that fails has ended at its process', async () => {
  const ends: boolean[] = []
  const { url } = await answering(500)
  const direct = async () => ({ url, done: (taken: boolean) => void ends.push(taken) })
  await expect(client.invoke(() => ({ url, direct }), work, { onItem: () => {} })).rejects.toThrow(/500/)
  expect(ends).toEqual([true])
})

const place = { workflow: 'patrol', run: 'r', lane: 'd', index: 0, devices: ['d'], seq: 0 }
const work = { id: 'c', task: 'work', ...place, inputs: {} }
const invoke = (endpoint: FunctionEndpoint) => client.invoke(() => endpoint, work, { onItem: () => {} })

test('a call of a function at zero tells how long it waited for a container, where its way tells', async () => {
  const { url } = await answering(204)
  const isAtZero = () => true
  expect(await invoke({ url, isAtZero })).toMatchObject({ fromZero: true })
  expect(await invoke({ url, isAtZero })).not.toHaveProperty('containerMs')
  const direct = async () => {
    await pause(60)
    return { url, done: () => {} }
  }
  const { containerMs } = await invoke({ url, isAtZero, direct })
  expect(containerMs).toBeGreaterThanOrEqual(59)
  for (const warm of [{}, { isAtZero: () => false }])
    expect(await invoke({ url, direct, ...warm })).not.toHaveProperty('fromZero')
})

test('a call that is broken off says what has happened to its function, where that is known', async () => {
  const memory = async () => ({ message: 'its container used too much memory.', memory: true as const })
  const gone = { url: (await answering(502)).url, whyBroken: memory }
  await expect(invoke(gone)).rejects.toMatchObject({
    kind: 'memory',
    message: "The function 'work' failed: its container used too much memory.",
  })
  await expect(invoke({ ...gone, whyBroken: async () => undefined })).rejects.toMatchObject({
    kind: 'crash',
    message: "The function 'work' answered 502: ",
  })
  // what the function itself says needs no explanation
  const refused = { ...gone, url: (await answering(400)).url }
  await expect(invoke(refused)).rejects.toThrow("The function 'work' answered 400: ")
})
