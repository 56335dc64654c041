/** Devices of other machines: enrolled over the API, with agents of their own that dial in. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { mosquittoAcl } from '@hivemind/agent-protocol/node'
import { afterEach, describe, expect, test } from 'vitest'
import { type Authority, makeAuthority } from '../../../libs/exchange/test/certificates.ts'
import type { Config } from '../src/config/config.ts'
import { type Service, startService } from '../src/service.ts'
import { type BuiltService, buildService, launchBuilt } from './support/built-service.ts'
import { Client, until } from './support/client.ts'
import { configFor, newFolder, removeFolder } from './support/service.ts'

const agentProgram = fileURLToPath(new URL('../../edge-agent/bin/hivemind-edge-agent.mjs', import.meta.url))
const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }

interface Credential {
  broker: string
  ca?: string
  fleet: string
  device: string
  class: string
  token: string
}

/** Bytes of an item: more than travels in a message. */
const LARGE_BYTES = 400_000
const LARGE_ITEMS = 30
const LARGE_SENSOR = `import { setTimeout as pause } from 'node:timers/promises'
export async function* run() {
  for (let n = 0; n < ${LARGE_ITEMS}; n++) {
    await pause(100)
    yield { n, padding: 'x'.repeat(${LARGE_BYTES}) }
  }
}`
const LARGE_JUDGE = `def run(inputs, args, context):
    return inputs['reading']
`
const LARGE_SUMMARY = `export const run = ({ verdict }) => verdict.map(({ value }) => value.n + value.padding.length)`

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const each of undo.splice(0).reverse()) await each()
}, 60_000)

async function started(more: Partial<Config> = {}) {
  const dataDir = newFolder()
  undo.push(() => removeFolder(dataDir))
  let service: Service = await startService(configFor(dataDir, more))
  undo.push(() => service.close())
  const again = async (): Promise<Client> => {
    await service.close()
    service = await startService(configFor(dataDir, more))
    return new Client(service.url)
  }
  return { client: new Client(service.url), again }
}

interface AgentProcess {
  child: ChildProcess
  output: () => string
  /** Exit code, or the signal that ended it. */
  ended: Promise<number | string>
}

/** Starts the agent of a device as a person would on its machine: that of this repository, or an unpacked one. */
function startAgent(credential: Credential, unpacked?: string): AgentProcess {
  const dir = mkdtempSync(path.join(tmpdir(), 'hivemind-device-'))
  const file = path.join(dir, 'credential.json')
  writeFileSync(file, JSON.stringify(credential), { mode: 0o600 })
  const options = ['--config', file, '--dir', path.join(dir, 'agent')]
  const child = unpacked
    ? spawn(path.join(unpacked, 'start'), options, { env: { ...process.env, NODE: process.execPath } })
    : spawn(process.execPath, [agentProgram, ...options])
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk
    })
  const ended = once(child, 'exit').then(([code, signal]) => (code ?? signal) as number | string)
  undo.push(async () => {
    child.kill('SIGKILL')
    await ended
    removeFolder(dir)
  })
  return { child, output: () => output, ended }
}

/** The agent as the service gives it, unpacked. */
async function downloaded({ url }: Client): Promise<string> {
  const dir = newFolder()
  undo.push(() => removeFolder(dir))
  const answer = await fetch(`${url}api/agent`)
  expect(answer.headers.get('content-type')).toBe('application/gzip')
  writeFileSync(path.join(dir, 'agent.tar.gz'), Buffer.from(await answer.arrayBuffer()))
  expect(spawnSync('tar', ['xzf', 'agent.tar.gz'], { cwd: dir }).status).toBe(0)
  return path.join(dir, 'hivemind-agent')
}

const stateOf = async (client: Client, device: string): Promise<string | undefined> =>
  (await client.ok('listDevices')).find(({ id }: { id: string }) => id === device)?.state

const isOnline = (client: Client, device: string) =>
  until(async () => (await stateOf(client, device)) === 'online')

async function deploy(client: Client, project: string, more: Record<string, unknown>) {
  const { id } = await client.ok('createDeployment', {
    path: { project },
    body: { version: 1, placement, ...more },
  })
  return until(async () => {
    const now = await client.ok('getDeployment', { path: { deployment: id } })
    return now.state !== 'starting' && now
  })
}

async function runOf(client: Client, deployment: string) {
  const { id } = await client.ok('startRun', { path: { deployment }, body: { itemsPerDevice: 5 } })
  return until(async () => {
    const now = await client.ok('getRun', { path: { run: id } })
    return now.endedAt !== undefined && now
  })
}

const newProject = async (client: Client): Promise<string> =>
  (await client.ok('createProject', { body: { name: 'Hello', example: 'hello-swarm' } })).id

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  await new Promise((resolve) => server.close(resolve))
  return port
}

/** A Mosquitto of this test, with TLS where there is an authority that vouches for it; `admit` gives a device the password that the service shows once. */
async function mosquitto(authority?: Authority) {
  const port = await freePort()
  const dir = newFolder()
  const pem = (name: string, text: string): string => {
    writeFileSync(path.join(dir, name), text)
    return path.join(dir, name)
  }
  const certificate = await authority?.issue('IP:127.0.0.1')
  const passwords = path.join(dir, 'passwords')
  writeFileSync(passwords, '')
  const setPassword = (user: string, password: string): void => {
    const { status, stderr } = spawnSync('mosquitto_passwd', ['-b', passwords, user, password])
    if (status !== 0) throw new Error(String(stderr))
  }
  setPassword('service', 'of the service')
  const config = path.join(dir, 'mosquitto.conf')
  const rights = path.join(dir, 'acl')
  writeFileSync(rights, '')
  writeFileSync(
    config,
    [
      `listener ${port} 127.0.0.1`,
      'allow_anonymous false',
      `password_file ${passwords}`,
      `acl_file ${rights}`,
      'set_tcp_nodelay true',
      ...(certificate
        ? [`certfile ${pem('cert.pem', certificate.cert)}`, `keyfile ${pem('key.pem', certificate.key)}`]
        : []),
      ...(process.getuid?.() === 0 ? ['user root'] : []),
    ].join('\n'),
  )
  const child = spawn('mosquitto', ['-c', config], { stdio: 'ignore' })
  const ended = once(child, 'exit')
  undo.push(async () => {
    child.kill('SIGKILL')
    await ended
    removeFolder(dir)
  })
  return {
    broker: {
      url: `${authority ? 'mqtts' : 'mqtt'}://127.0.0.1:${port}`,
      username: 'service',
      password: 'of the service',
      ...(authority && { ca: authority.ca }),
    },
    admit: ({ fleet, device, token }: Credential) => {
      setPassword(device, token)
      writeFileSync(rights, mosquittoAcl(fleet, 'service'))
      child.kill('SIGHUP')
    },
  }
}

describe('a device of another machine', { timeout: 300_000 }, () => {
  test('dials in, runs a workflow, comes back after a kill, and is out once it is removed', async () => {
    const { client, again } = await started()
    const credential: Credential = await client.ok('enrolDevice', { body: { id: 'drone-7', class: 'drone' } })
    expect(credential).toMatchObject({ device: 'drone-7', class: 'drone' })
    const dialIn = await client.ok('dialIn')
    expect(dialIn).toEqual({
      broker: credential.broker,
      values: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/),
      onlyHere: [dialIn.broker, dialIn.values],
    })
    expect(await stateOf(client, 'drone-7')).toBe('enrolled')
    expect((await client.call('enrolDevice', { body: { id: 'drone-7' } })).status).toBe(409)
    const project = await newProject(client)

    // Nobody waits for a device that is not there.
    expect(await deploy(client, project, { devices: ['drone-7'] })).toMatchObject({
      state: 'failed',
      message: expect.stringContaining("Device 'drone-7' is not connected"),
    })
    const agent = startAgent(credential)
    await isOnline(client, 'drone-7')
    const deployment = await deploy(client, project, { devices: ['drone-7'] })
    expect(deployment).toMatchObject({ state: 'ready' })
    const own = deployment.resources.find(({ name }: { name: string }) => name === 'drone-7')
    expect(own).toEqual({ kind: 'agent', name: 'drone-7', state: 'ready' })
    expect(await runOf(client, deployment.id)).toMatchObject({ state: 'succeeded', result: { losses: [] } })

    // It is taken; another project has to wait for it.
    expect(await deploy(client, await newProject(client), { devices: ['drone-7'] })).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('belongs to another deployment'),
    })

    agent.child.kill('SIGKILL')
    await agent.ended
    const second = startAgent(credential)
    await until(() => second.output().includes('ready'))
    await until(async () => {
      const { resources } = await client.ok('getDeployment', { path: { deployment: deployment.id } })
      return resources.every(({ state }: { state: string }) => state === 'ready')
    })
    expect(await runOf(client, deployment.id)).toMatchObject({ state: 'succeeded' })

    // The service knows the device, and the device the service, after a restart of either.
    await client.ok('undeploy', { path: { deployment: deployment.id } })
    const restarted = await again()
    await isOnline(restarted, 'drone-7')

    expect((await restarted.call('removeDevice', { path: { device: 'drone-7' } })).status).toBe(204)
    expect(await second.ended).toBe(5)
    expect(second.output()).toContain("refuses the credential of 'drone-7'")
    expect(await stateOf(restarted, 'drone-7')).toBeUndefined()
    expect((await restarted.call('removeDevice', { path: { device: 'drone-7' } })).status).toBe(404)
    expect(
      (
        await restarted.call('createDeployment', {
          path: { project },
          body: { version: 1, placement, devices: ['drone-7'] },
        })
      ).body.detail,
    ).toBe("There is no device 'drone-7': enrol it, or leave it out.")
  })

  test('goes on with values that are too large for a message when the service is killed; those of its run are for it alone', async () => {
    const build = buildService('api-devices')
    undo.push(() => removeFolder(build))
    const dataDir = newFolder()
    undo.push(() => removeFolder(dataDir))
    const launched = async (): Promise<BuiltService> => {
      const service = await launchBuilt(build, dataDir)
      undo.push(service.kill)
      return service
    }
    const first = await launched()
    const { client } = first
    const credential: Credential = await client.ok('enrolDevice', { body: { id: 'drone-7', class: 'drone' } })
    const stranger: Credential = await client.ok('enrolDevice', { body: { id: 'drone-8', class: 'drone' } })
    startAgent(credential)
    await isOnline(client, 'drone-7')
    const project = await newProject(client)
    const files = { 'read-sensor.mjs': LARGE_SENSOR, 'judge.py': LARGE_JUDGE, 'summary.mjs': LARGE_SUMMARY }
    for (const [name, text] of Object.entries(files))
      await client.ok('putFile', { path: { project }, query: { path: `tasks/${name}` }, body: { text } })
    const { text, layout } = await client.ok('getVersion', { path: { project, version: 1 } })
    await client.ok('saveVersion', { path: { project }, body: { base: 1, text, layout } })
    const { id: deployment } = await deploy(client, project, { version: 2, devices: ['drone-7'] })
    const { id: run } = await client.ok('startRun', { path: { deployment }, body: {} })

    /** What a device is answered that asks for a value which is not there. */
    const asked = async (at: Client, { device, token }: Credential): Promise<number> => {
      const { values } = await at.ok('dialIn')
      const authorization = `Basic ${Buffer.from(`${device}:${token}`).toString('base64')}`
      return (await fetch(`${values}/v1/values/${run}.passing/none`, { headers: { authorization } })).status
    }
    const spansOf = async (at: Client): Promise<number> =>
      (await at.ok('listSpans', { path: { run }, query: { task: 'judge' } })).spans.length
    await until(async () => (await spansOf(client)) > 2)
    expect(await asked(client, credential)).toBe(404)
    expect(await asked(client, stranger)).toBe(403)

    await first.kill()
    const { client: restarted } = await launched()
    const ended = await until(async () => {
      const now = await restarted.ok('getRun', { path: { run } })
      return now.endedAt !== undefined && now
    })
    expect(ended).toMatchObject({ state: 'succeeded', result: { losses: [] } })
    const { value } = ended.result.outputs.find(({ task }: { task: string }) => task === 'summary')
    expect(value).toEqual(Array.from({ length: LARGE_ITEMS }, (_, n) => n + LARGE_BYTES))
    // nor for it, once the run is over; a service that has just started asks for patience
    for (const device of [credential, stranger]) expect(await asked(restarted, device)).toBe(503)
  })

  test('finds the service only at an address that it was started for', async () => {
    const { client } = await started({ dialIn: { address: 'swarm.example' } })
    expect(await client.ok('dialIn')).toEqual({
      broker: expect.stringMatching(/^mqtts:\/\/swarm\.example:\d+$/),
      values: expect.stringMatching(/^https:\/\/swarm\.example:\d+$/),
      onlyHere: [],
    })
  })

  test('with a broker of its own elsewhere still says that values are exchanged on this machine alone', async () => {
    const broker = { url: 'mqtt://broker.example:1883', username: 'service', password: 'secret' }
    const { client } = await started({ broker })
    const { values, onlyHere } = await client.ok('dialIn')
    expect(onlyHere).toEqual([values])
    const reached = await started({ broker, dialIn: { address: 'swarm.example' } })
    expect((await reached.client.ok('dialIn')).onlyHere).toEqual([])
  })

  test('is refused with a wrong token; without a broker it says so and goes on trying', async () => {
    const { client } = await started()
    const credential: Credential = await client.ok('enrolDevice', { body: { id: 'drone-8' } })
    const wrong = startAgent({ ...credential, token: 'wrong' })
    expect(await wrong.ended).toBe(5)
    expect(wrong.output()).toContain("refuses the credential of 'drone-8'")
    const other = startAgent({ ...credential, device: 'drone-9' })
    expect(await other.ended).toBe(5)
    const lost = startAgent({ ...credential, broker: 'mqtt://127.0.0.1:1' })
    await until(() => lost.output().includes('not connected to mqtt://127.0.0.1:1'))
    expect(lost.child.exitCode).toBeNull()
    lost.child.kill('SIGTERM')
    expect(await lost.ended).toBe(0)
  })

  test('dials in with TLS, with the agent of the service, and fetches its work with it too; without the authority of its credential it is not let in', async () => {
    const { client, again } = await started({ dialIn: { address: '127.0.0.1' } })
    const { ca = '', ...untrusting }: Credential = await client.ok('enrolDevice', { body: { id: 'drone-7' } })
    expect(untrusting.broker).toMatch(/^mqtts:/)
    const wary = startAgent(untrusting)
    await until(() => /not connected to mqtts:.*certificate/.test(wary.output()))
    wary.child.kill('SIGKILL')
    await wary.ended
    const agent = startAgent({ ...untrusting, ca }, await downloaded(client))
    await isOnline(client, 'drone-7')
    const deployment = await deploy(client, await newProject(client), { devices: ['drone-7'] })
    expect(deployment).toMatchObject({ state: 'ready' })
    expect(await runOf(client, deployment.id)).toMatchObject({ state: 'succeeded', result: { losses: [] } })
    await client.ok('undeploy', { path: { deployment: deployment.id } })
    await isOnline(await again(), 'drone-7')
    expect(agent.child.exitCode).toBeNull()
  })

  test('is an edge node of other devices: it has the functions of the tasks on it, and the service calls them through the door', async () => {
    const { client } = await started({ dialIn: { address: '127.0.0.1' } })
    const ofGateway = { id: 'gate-a', class: 'gateway' }
    startAgent(await client.ok('enrolDevice', { body: ofGateway }), await downloaded(client))
    await isOnline(client, 'gate-a')
    const project = await newProject(client)
    const onNodes = { ...placement, judge: 'edge-node' }
    const machines = { placement: onNodes, edgeMachines: ['gate-a'] }

    const refusal = async (more: Record<string, unknown>) =>
      (await client.call('createDeployment', { path: { project }, body: { version: 1, ...more } })).body
        .detail
    expect(await refusal({ placement, edgeMachines: ['gate-a'] })).toBe(
      'No task is placed on an edge node: leave the machines out.',
    )
    expect(await refusal({ placement: onNodes, edgeMachines: ['gate-x'] })).toBe(
      "There is no device 'gate-x': enrol it, or leave it out.",
    )
    expect(await deploy(client, project, { ...machines, devices: ['gate-a'] })).toMatchObject({
      state: 'failed',
      message: expect.stringContaining('cannot be one of its devices too'),
    })

    const deployment = await deploy(client, project, machines)
    expect(deployment).toMatchObject({ state: 'ready' })
    expect(deployment.resources.map(({ name }: { name: string }) => name)).toContain('judge@gate-a')
    const run = await runOf(client, deployment.id)
    expect(run).toMatchObject({ state: 'succeeded', result: { losses: [] } })
    const { spans } = await client.ok('listSpans', { path: { run: run.id }, query: { task: 'judge' } })
    expect(spans.length).toBe(10)
    for (const { worker } of spans) expect(worker).toMatch(/^judge@gate-a-\d$/)
  })

  test.each([
    ['plain', false, {}],
    ['with TLS of an authority of its own', true, {}],
    ['and at the door for values', true, { dialIn: { address: '127.0.0.1' } }],
  ])('dials in at another broker, %s', async (_, withTls, more) => {
    const authority = withTls ? await makeAuthority() : undefined
    if (authority) undo.push(() => authority.remove())
    const { broker, admit } = await mosquitto(authority)
    const { client } = await started({ broker, ...more })
    const credential: Credential = await client.ok('enrolDevice', { body: { id: 'drone-7' } })
    expect(credential.broker).toBe(broker.url)
    admit(credential)
    startAgent(credential)
    await isOnline(client, 'drone-7')
    const deployment = await deploy(client, await newProject(client), { devices: ['drone-7'] })
    expect(deployment).toMatchObject({ state: 'ready' })
    expect(await runOf(client, deployment.id)).toMatchObject({ state: 'succeeded', result: { losses: [] } })
  })
})
