/** Servers of network functions that register: the real command, on Node.js and in C. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const dataDir = newFolder()
const running = new Set<ChildProcess>()
let started: Started

beforeAll(async () => {
  started = await start(configFor(dataDir))
})
afterAll(async () => {
  for (const child of running) child.kill('SIGKILL')
  await started?.service.close()
  removeFolder(dataDir)
})

const CLI = path.resolve(import.meta.dirname, '../../cli/bin/hivemind.mjs')

async function freePort(): Promise<number> {
  const probe = createSocket('udp4')
  probe.bind(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise<void>((resolve) => probe.close(resolve))
  return port
}

/** `hivemind nfu serve .. --register`: the process, and what it has said. */
function serve(code: string, port: number, name: string, ...more: string[]) {
  const url = started.service.url
  const words = [
    'nfu',
    'serve',
    code,
    '--port',
    String(port),
    '--register',
    '--service',
    url,
    '--name',
    name,
    ...more,
  ]
  const child = spawn(process.execPath, [CLI, ...words], { stdio: ['ignore', 'ignore', 'pipe'] })
  running.add(child)
  let said = ''
  child.stderr?.on('data', (bytes) => (said += bytes))
  return { child, said: () => said }
}

const list = () => started.client.ok('listNetworkFunctions')
const named = async (name: string) => (await list()).find((each: { name: string }) => each.name === name)

test('servers register, are given another function, and take their leave', { timeout: 120_000 }, async () => {
  const { client } = started
  const [first, second] = [await freePort(), await freePort()]
  const inC = serve('nfu:max?window=2', second, 'summit', '--in-c')
  const onNode = serve('nfu:average?window=4', first, 'valley', '--next', `127.0.0.1:${second}`, '--keyed')
  const valley = await until(async () => (await named('valley'))?.nextName && named('valley'))
  expect(valley).toMatchObject({
    code: 'nfu:average?window=4',
    address: { host: '127.0.0.1', port: first },
    next: { host: '127.0.0.1', port: second },
    nextName: 'summit',
    keyed: true,
    runtime: 'node',
  })
  expect(await named('summit')).toMatchObject({ code: 'nfu:max?window=2', runtime: 'c', keyed: false })

  // a reading is counted in the next report
  const socket = createSocket('udp4')
  socket.send(Buffer.from('50020007ff07', 'hex'), first, '127.0.0.1')
  await until(async () => (await named('valley')).counters.absorbed === 1)
  socket.close()

  for (const [name, code] of [
    ['valley', 'nfu:min?window=3'],
    ['summit', 'nfu:filter?above=5'],
  ] as const) {
    const asked = await client.ok('changeNetworkFunction', { path: { name }, body: { code } })
    expect(asked.wanted).toBe(code)
    await until(async () => (await named(name)).code === code)
    expect(await named(name)).not.toHaveProperty('wanted')
  }
  // the server in C has no aggregate without a window: it says so, stays what it was, and is not asked again
  await client.ok('changeNetworkFunction', { path: { name: 'summit' }, body: { code: 'nfu:average' } })
  const refused = await until(async () => (await named('summit')).problem && named('summit'))
  expect(refused.code).toBe('nfu:filter?above=5')
  expect(refused.problem).toMatch(/window/)
  expect(refused).not.toHaveProperty('wanted')
  // and it is known until somebody asks for another one
  await new Promise((resolve) => setTimeout(resolve, 6_000))
  expect(await named('summit')).toHaveProperty('problem')

  onNode.child.kill('SIGINT')
  await until(async () => (await named('valley')) === undefined)
  expect(inC.said()).toContain('It stays nfu:filter?above=5')
})

test('a server that says nothing more is forgotten, and its name is free again', {
  timeout: 60_000,
}, async () => {
  const port = await freePort()
  const { child } = serve('nfu:forward', port, 'short-lived')
  await until(async () => named('short-lived'))
  const body = {
    ...{ code: 'nfu:forward', keyed: false, runtime: 'node', counters: {} },
    address: { host: '127.0.0.1', port: 1 },
  }
  const taken = await started.client.call('registerNetworkFunction', { path: { name: 'short-lived' }, body })
  expect([taken.status, taken.body.detail]).toEqual([
    409,
    `Another server at 127.0.0.1:${port} is called 'short-lived': choose another name (--name).`,
  ])
  child.kill('SIGKILL')
  await until(async () => (await named('short-lived')) === undefined)
  expect(
    (await started.client.call('registerNetworkFunction', { path: { name: 'short-lived' }, body })).status,
  ).toBe(200)
})

test('what is no function, and who is not there, is refused', async () => {
  const { client } = started
  const report = {
    ...{ keyed: false, runtime: 'node', counters: {} },
    address: { host: '127.0.0.1', port: 2 },
  }
  const path = { name: 'x' }
  const wrong = await client.call('registerNetworkFunction', {
    path,
    body: { ...report, code: 'nfu:averge' },
  })
  expect([wrong.status, wrong.body.detail]).toEqual([422, expect.stringContaining("There is no op 'averge'")])
  await client.ok('registerNetworkFunction', { path, body: { ...report, code: 'nfu:max?window=2' } })
  const change = (name: string, code: string) =>
    client.call('changeNetworkFunction', { path: { name }, body: { code } })
  expect((await change('x', 'nfu:max?window=0')).status).toBe(422)
  expect((await change('nobody', 'nfu:forward')).status).toBe(404)
  expect((await client.call('removeNetworkFunction', { path })).status).toBe(204)
  expect((await client.call('removeNetworkFunction', { path })).status).toBe(404)
})

test('without the service a server goes on, and registers when it is back', {
  timeout: 120_000,
}, async () => {
  const { said, child } = serve('nfu:forward', await freePort(), 'patient')
  await until(async () => named('patient'))
  const { url } = started.service
  await started.service.close()
  await expect.poll(said, { timeout: 20_000 }).toContain("'patient' is not registered at the moment.")
  expect(child.exitCode).toBeNull()
  started = await start(configFor(dataDir, { port: Number(new URL(url).port) }))
  await until(async () => named('patient'))
  // it says so when it has the service's answer
  await expect.poll(said).toContain("'patient' is registered again.")
})
