/** Services that stand by: one takes over when the active one is killed or stops, and runs go on there. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { buildService } from './support/built-service.ts'
import { Client, until } from './support/client.ts'
import { freePort } from './support/postgres.ts'
import { newFolder, removeFolder } from './support/service.ts'

const dataDir = newFolder()
let build: string
const children = new Set<ChildProcess>()
const killAll = () => {
  for (const child of children) child.kill('SIGKILL')
}
// An interrupted test leaves no service behind.
process.once('exit', killAll)

beforeAll(() => {
  build = buildService('api-stand-by')
})
afterAll(async () => {
  killAll()
  removeFolder(dataDir)
  if (build) removeFolder(build)
})

interface Member {
  child: ChildProcess
  client: Client
  url: string
  said(): string
  ended: Promise<unknown[]>
}

/** A service on the data folder; others may have it. */
async function member(): Promise<Member> {
  const port = await freePort()
  const args = ['--port', String(port), '--data-dir', dataDir, '--stand-by', '--keep-deployments']
  const child = spawn(process.execPath, [path.join(build, 'main.js'), ...args], {
    env: { PATH: process.env.PATH },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  let said = ''
  child.stdout?.on('data', (chunk: Buffer) => {
    said += chunk
  })
  const url = `http://127.0.0.1:${port}/`
  return { child, client: new Client(url), url, said: () => said, ended: once(child, 'close') }
}

const isActive = ({ said }: Member) => said().includes('HiveMind is ready at')
const standsBy = ({ said }: Member) => said().startsWith('HiveMind stands by: another one (process ')
const roleOf = async ({ url }: Member) =>
  ((await (await fetch(`${url}api/alive`)).json()) as { role: string }).role

const deploymentOf = async (client: Client) => {
  const { id: project } = await client.ok('createProject', {
    body: { name: 'Hello', example: 'hello-swarm' },
  })
  const { id: deployment } = await client.ok('createDeployment', {
    path: { project },
    body: { version: 1, placement: { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }, agents: 2 },
  })
  await until(async () => (await client.ok('getDeployment', { path: { deployment } })).state === 'ready')
  return { deployment }
}

/** Starts a run and resolves when some of it is done. */
async function underWay(client: Client, at: { deployment: string }): Promise<string> {
  const { id: run } = await client.ok('startRun', { path: at, body: {} })
  await until(async () => (await client.ok('getRun', { path: { run } })).spanCount > 2)
  return run
}

/** The outputs of a run that lost nothing, at its end. */
async function outputsOf(client: Client, run: string): Promise<unknown[]> {
  const whole = await until(async () => {
    const now = await client.ok('getRun', { path: { run } })
    return now.endedAt !== undefined && now
  })
  expect(whole).toMatchObject({ state: 'succeeded', outputCount: 1, result: { losses: [] } })
  return whole.result.outputs.map(({ value }: { value: unknown }) => value)
}

test('killed or stopped, the active service is followed by one that stands by, and no run is lost', {
  timeout: 600_000,
}, async () => {
  const first = await member()
  await until(() => isActive(first))
  const others = [await member(), await member()]
  await until(() => others.every(standsBy))
  expect(await roleOf(first)).toBe('active')
  for (const other of others) {
    expect(await roleOf(other)).toBe('stand-by')
    // An address that is none does not end it.
    expect((await fetch(`${other.url}/`)).status).toBe(503)
    const answer = await fetch(`${other.url}api/projects`)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    expect(await answer.text()).toContain('This service stands by: another one is active.')
  }
  const at = await deploymentOf(first.client)
  const calm = await outputsOf(first.client, await underWay(first.client, at))
  const run = await underWay(first.client, at)

  const killedAt = performance.now()
  first.child.kill('SIGKILL')
  await until(() => others.some(isActive))
  console.info(`Taken over ${Math.round(performance.now() - killedAt)} ms after the kill.`)
  const [second, third] = isActive(others[0] as Member) ? others : [...others].reverse()
  if (!second || !third) throw new Error('There are two others.')
  expect(await roleOf(second)).toBe('active')
  expect(await roleOf(third)).toBe('stand-by')
  expect(await outputsOf(second.client, run)).toEqual(calm)

  const next = await underWay(second.client, at)
  second.child.kill('SIGTERM')
  expect(await second.ended).toEqual([0, null])
  await until(() => isActive(third))
  expect(await outputsOf(third.client, next)).toEqual(calm)
  await third.client.ok('undeploy', { path: at })

  const last = await member()
  await until(() => standsBy(last))
  last.child.kill('SIGTERM')
  expect(await last.ended).toEqual([0, null])
  expect(isActive(last)).toBe(false)
  third.child.kill('SIGTERM')
  expect(await third.ended).toEqual([0, null])
})
