import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Up } from '@hivemind/agent-protocol'
import {
  type Broker,
  deviceAuthenticator,
  devicePassword,
  linkByUrl,
  newFleetSecret,
  startBroker,
} from '@hivemind/agent-protocol/node'
import type { Synthesis } from '@hivemind/synthesis'
import { decodeValue, MemoryDataPort } from '@hivemind/values'
import { BlobStore } from '@hivemind/values/node'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { desiredDeployment } from '../src/agents/desired.ts'
import { LocalAgents, type LocalAgentsOptions, type LocalDevice } from '../src/agents/local-agents.ts'
import { type DataEndpoint, startDataEndpoint } from '../src/data-endpoint.ts'
import { processesIn, until as waitUntil } from './processes.ts'
import { placements, projectDir, synthesised, walk } from './walk.ts'

// only bounds a hang: agents start slowly on a busy machine
vi.setConfig({ testTimeout: 180_000 })
const until = (done: () => boolean, what: string): Promise<void> => waitUntil(done, what, 60_000)

const FLEET = 'tests'
const SERVICE = { username: 'service', password: randomUUID() }

let dir: string
let secret: string
let broker: Broker
let endpoint: DataEndpoint
let blobs: BlobStore
const agents: LocalAgents[] = []

const startTestBroker = (port = 0): Promise<Broker> => {
  const device = deviceAuthenticator({ fleet: FLEET, secret })
  return startBroker({
    port,
    authenticate: (user, password) =>
      user === SERVICE.username && password === SERVICE.password
        ? { role: 'service', fleet: FLEET }
        : device(user, password),
  })
}

beforeEach(async () => {
  dir = mkdtempSync(path.join(tmpdir(), 'hivemind-agents-'))
  secret = newFleetSecret()
  broker = await startTestBroker()
  blobs = new BlobStore(path.join(dir, 'blobs'))
  endpoint = await startDataEndpoint({
    data: new MemoryDataPort(),
    blobs,
    authenticate: (user, password) => password === devicePassword(secret, user),
  })
})
afterEach(async () => {
  await Promise.all(agents.splice(0).map((each) => each.stop()))
  await endpoint.close()
  await broker.close()
  await until(() => processesIn(dir).length === 0, 'no process is left')
  rmSync(dir, { recursive: true, force: true })
})

function service(options: Partial<LocalAgentsOptions> = {}) {
  const seen = { up: [] as string[], lost: [] as string[], messages: [] as { device: string; up: Up }[] }
  const local = new LocalAgents({
    fleet: FLEET,
    secret,
    brokerUrl: () => broker.url,
    openLink: linkByUrl({ url: broker.url, clientId: `service-${randomUUID()}`, ...SERVICE }),
    boot: randomUUID(),
    dir: path.join(dir, 'agents'),
    life: 'bound',
    onUp: (device) => seen.up.push(device),
    onLost: (_device, message, again) => seen.lost.push(`${message} ${again ? 'again' : 'for good'}`),
    onMessage: (device, up) => void seen.messages.push({ device, up }),
    ...options,
  })
  agents.push(local)
  return { local, seen }
}

const drone: LocalDevice = {
  device: 'device-1',
  class: 'drone',
  battery: { capacityWh: 10, idleW: 3, coreW: 1 },
}
const rover: LocalDevice = { device: 'device-2', class: 'rover', position: { x: 1, y: 2 } }

/** The fixture with its kinds declared, all on the devices but the count over the swarm. */
async function synthesis(pauseMs = 0): Promise<Synthesis> {
  const workflow = walk({ frames: { args: { pauseMs } } })
  const kinds: Record<string, 'stream' | 'object'> = { frame: 'stream', where: 'object' }
  const data = workflow.data.map((each) => {
    const kind = kinds[each.name]
    return kind ? { ...each, declared: true, kind } : each
  })
  return synthesised(placements.edge, { ...workflow, data })
}

const begin = (run: string, lane: string) => ({
  t: 'start' as const,
  run,
  deployment: 'walk',
  lane,
  generation: 1,
  devices: ['device-1', 'device-2'],
  inputs: {},
  done: {},
  states: {},
  generators: {},
})

/** Values of the items of a task that a run has sent, by number. */
const valuesOf = (messages: { up: Up }[], run: string, task: string): unknown[] =>
  messages.flatMap(({ up }) =>
    up.t === 'item' && up.run === run && up.task === task && up.ref?.kind === 'inline'
      ? [[up.seq, (decodeValue(up.ref) as { sum?: number }).sum]]
      : [],
  )
const doneOf = (messages: { up: Up }[], run: string, task: string): number =>
  messages.filter(({ up }) => up.t === 'done' && up.run === run && up.task === task).length

test('agents of several classes start, apply what they are to run, and do their part of a run', async () => {
  const { local, seen } = service()
  await local.start([drone, rover])
  expect(local.inventory.online().map(({ id, class: c }) => [id, c])).toEqual([
    ['device-1', 'drone'],
    ['device-2', 'rover'],
  ])
  const deployment = await desiredDeployment('walk', await synthesis(), projectDir, blobs)
  const desired = { revision: 1, deployments: [deployment], dataUrl: endpoint.url }
  await Promise.all(['device-1', 'device-2'].map((device) => local.apply(device, desired)))
  await local.send('device-2', begin('r1', 'device-2'))
  await until(() => doneOf(seen.messages, 'r1', 'loud') === 6, 'the run on the device')
  // frames of value 10 + seq measure twice of it, and only 20 and more are loud
  const values = valuesOf(seen.messages, 'r1', 'loud')
  expect(values.sort()).toEqual([0, 1, 2, 3, 4, 5].map((seq) => [seq, 2 * (10 + seq)]))
  const spans = seen.messages.flatMap(({ up }) => (up.t === 'done' ? [up.span] : []))
  expect(spans.every(({ ok, startedAt, endedAt }) => ok && startedAt <= endedAt)).toBe(true)
  await until(() => local.inventory.get('device-1')?.telemetry?.batteryWh !== undefined, 'telemetry')
  expect(local.inventory.get('device-1')?.telemetry?.batteryWh).toBeLessThanOrEqual(10)
  expect(local.inventory.get('device-2')?.telemetry?.position).toEqual({ x: 1, y: 2 })
  expect(local.logs('device-1').join()).toContain('deployment walk: ready')
  // what is no longer wanted ends, with its processes
  const before = processesIn(dir).length
  await local.apply('device-2', { revision: 2, deployments: [], dataUrl: endpoint.url })
  await until(() => processesIn(dir).length < before, 'the processes of the tasks end')
  await local.stop(['device-2'])
  expect(local.inventory.list().map(({ id }) => id)).toEqual(['device-1'])
  await until(() => processesIn(path.join(dir, 'agents', 'device-2')).length === 0, 'it ends')
})

test('a deployment that cannot be fetched is reported with its reason, and a wrong hash is refused', async () => {
  const { local } = service()
  await local.start([drone])
  const wrong = { id: 'walk', plan: '0'.repeat(64), flow: '1'.repeat(64), bundles: {} }
  const applied = local.apply('device-1', { revision: 1, deployments: [wrong], dataUrl: endpoint.url })
  await expect(applied).rejects.toThrow(/Device 'device-1': .*HTTP 404/)
  expect(local.inventory.get('device-1')?.problem).toContain("Deployment 'walk' could not be applied")
  const plan = await blobs.put(Buffer.from('{"schema":"another"}'))
  const other = local.apply('device-1', {
    revision: 2,
    deployments: [{ ...wrong, plan }],
    dataUrl: endpoint.url,
  })
  await expect(other).rejects.toThrow('Its plan is not one that this agent can read.')
})

test('an agent that is killed is started again and applies by itself what it ran; its tasks do not outlive it', async () => {
  const { local, seen } = service()
  await local.start([drone])
  const deployment = await desiredDeployment('walk', await synthesis(200), projectDir, blobs)
  await local.apply('device-1', { revision: 1, deployments: [deployment], dataUrl: endpoint.url })
  await local.send('device-1', begin('r1', 'device-1'))
  await until(() => seen.messages.some(({ up }) => up.t === 'item'), 'it works')
  const former = new Set(processesIn(path.join(dir, 'agents')))
  expect(former.size).toBeGreaterThan(1)
  process.kill(local.pidOf('device-1') ?? 0, 'SIGKILL')
  await until(() => seen.up.length === 2, 'it is there again')
  expect(seen.lost).toEqual(['Agent device-1 was lost (SIGKILL). again'])
  await until(() => processesIn(dir).every((pid) => !former.has(pid)), 'nothing of the former agent is left')
  seen.messages.length = 0
  await local.send('device-1', begin('r2', 'device-1'))
  await until(() => doneOf(seen.messages, 'r2', 'frames') === 1, 'it works again')
})

test('an agent that hangs is noticed by its silence, ended and started again', async () => {
  const { local, seen } = service()
  await local.start([drone])
  process.kill(local.pidOf('device-1') ?? 0, 'SIGSTOP')
  await until(() => seen.lost.length === 1, 'it is lost')
  await until(() => seen.up.length === 2, 'it is there again')
  expect(local.inventory.get('device-1')?.state).toBe('online')
})

test('an agent that ends again and again is given up with a sentence', async () => {
  const command = [process.execPath, '-e', 'console.error("no such thing"); process.exit(7)']
  const { local, seen } = service({ command: [...command, '--'], maxRestarts: 1 })
  await expect(local.start([drone])).rejects.toThrow('Agent device-1 was lost (exit code 7). no such thing')
  expect(seen.lost.length).toBe(2)
})

test('a broker that restarts is found again, and no agent is lost over it', async () => {
  const { local, seen } = service()
  await local.start([drone, rover])
  const { port } = broker
  await broker.close()
  await new Promise((resolve) => setTimeout(resolve, 1_500))
  broker = await startTestBroker(port)
  await until(() => local.channel.connected, 'the service is connected')
  await local.send('device-1', { t: 'stop', run: 'none' })
  await local.send('device-2', { t: 'stop', run: 'none' })
  await new Promise((resolve) => setTimeout(resolve, 4_000))
  expect(seen.lost).toEqual([])
  expect(seen.up).toEqual(expect.arrayContaining(['device-1', 'device-2']))
  expect(seen.up.length).toBe(2)
})

test('a service that restarts attaches the agents that run, and starts those that have ended', async () => {
  const life = { leaseSeconds: 60 }
  const first = service({ life })
  await first.local.start([drone, rover])
  const records = first.local.records()
  const pids = records.map(({ pid }) => pid)
  await first.local.detach()
  agents.length = 0
  process.kill(pids[1] ?? 0, 'SIGKILL')
  await until(() => processesIn(path.join(dir, 'agents', 'device-2')).length === 0, 'it has ended')
  const second = service({ life })
  // An agent is faster than a service that takes up one deployment after the other.
  await until(() => second.local.channel.bootOf('device-1') !== '', 'it calls in before it is known')
  await second.local.attach([drone, rover], records)
  expect(second.local.inventory.get('device-1')?.hello?.cores).toBeGreaterThan(0)
  expect(second.local.pidOf('device-1')).toBe(pids[0])
  expect(second.local.pidOf('device-2')).not.toBe(pids[1])
  const deployment = await desiredDeployment('walk', await synthesis(), projectDir, blobs)
  await second.local.apply('device-1', { revision: 1, deployments: [deployment], dataUrl: endpoint.url })
  // it is watched as if it had been started here
  process.kill(pids[0] ?? 0, 'SIGKILL')
  await until(() => second.seen.up.filter((device) => device === 'device-1').length === 2, 'started again')
  expect(second.seen.lost).toEqual(['Agent device-1 was lost (it ended). again'])
})

test('without its service an agent ends when its lease is over, with all its processes', async () => {
  const { local } = service({ life: { leaseSeconds: 2 } })
  await local.start([drone])
  const deployment = await desiredDeployment('walk', await synthesis(), projectDir, blobs)
  await local.apply('device-1', { revision: 1, deployments: [deployment], dataUrl: endpoint.url })
  await new Promise((resolve) => setTimeout(resolve, 3_000))
  expect(processesIn(path.join(dir, 'agents')).length).toBeGreaterThan(1)
  await local.detach()
  agents.length = 0
  await until(() => processesIn(path.join(dir, 'agents')).length === 0, 'it ends')
})
