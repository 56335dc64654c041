/** Deployments that outlive the service: taken up again after a crash, and ended by themselves when nobody comes back. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { buildService, launchBuilt } from './support/built-service.ts'
import { type Client, until } from './support/client.ts'
import { newFolder, removeFolder } from './support/service.ts'

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

interface Resource {
  name: string
  pid?: number
}

const pidsOf = ({ resources }: { resources: Resource[] }): Record<string, number | undefined> =>
  Object.fromEntries(resources.map(({ name, pid }) => [name, pid]))

const placement = { readSensor: 'edge', judge: 'cloud', summary: 'cloud' }

/** hello-swarm on two devices, ready to run. */
async function deployed(client: Client) {
  const { id: project } = await client.ok('createProject', {
    body: { name: 'Hello', example: 'hello-swarm' },
  })
  const { id } = await client.ok('createDeployment', {
    path: { project },
    body: { version: 1, placement, agents: 2 },
  })
  const record = await until(async () => {
    const now = await client.ok('getDeployment', { path: { deployment: id } })
    return now.state !== 'starting' && now
  })
  expect(record).toMatchObject({ state: 'ready' })
  return record
}

const ended = (client: Client, run: string) =>
  until(async () => {
    const now = await client.ok('getRun', { path: { run } })
    return now.endedAt !== undefined && now
  })

describe('a service that is killed', { timeout: 240_000 }, () => {
  const folders: string[] = []
  const folder = () => {
    const made = newFolder()
    folders.push(made)
    return made
  }

  let build: string
  const launch = (dataDir: string, leaseSeconds: number) =>
    launchBuilt(build, dataDir, { HIVEMIND_LEASE_SECONDS: String(leaseSeconds) })

  beforeAll(() => {
    build = buildService('api-attach')
  })
  afterAll(() => {
    for (const made of folders) removeFolder(made)
    if (build) removeFolder(build)
  })

  test('finds its deployment again, and the run goes on', async () => {
    const dataDir = folder()
    const first = await launch(dataDir, 60)
    const record = await deployed(first.client)
    const path = { deployment: record.id }
    const pids = pidsOf(record)
    expect(Object.keys(pids).sort()).toEqual(['device-1', 'device-2', 'judge', 'summary'])
    const { id: run } = await first.client.ok('startRun', { path, body: {} })
    await until(async () => (await first.client.ok('getRun', { path: { run } })).spanCount > 2)
    await first.kill()
    expect(Object.values(pids).every((pid) => pid !== undefined && isAlive(pid))).toBe(true)

    const second = await launch(dataDir, 60)
    const { client } = second
    const again = await client.ok('getDeployment', { path })
    expect(again).toMatchObject({ state: 'ready', message: 'Ready to run.' })
    expect(pidsOf(again)).toEqual(pids)
    const whole = await ended(client, run)
    expect(whole).toMatchObject({
      state: 'succeeded',
      result: { losses: [], outputs: [{ task: 'summary' }] },
    })
    // The report has each reading that was judged once, by this service or the one before.
    const judge = whole.result.tasks.find(({ task }: { task: string }) => task === 'judge')
    expect(judge.done).toBeGreaterThan(2)
    expect(whole.result.outputs[0].value.readings).toBe(judge.done)
    expect(whole.logs.map(({ text }: { text: string }) => text)).toContain(
      'The service was restarted; the run goes on from where it was.',
    )
    const { id: next } = await client.ok('startRun', { path, body: { itemsPerDevice: 5 } })
    expect(await ended(client, next)).toMatchObject({
      state: 'succeeded',
      result: { losses: [], outputs: [{ task: 'summary' }] },
    })
    expect(pidsOf(await client.ok('getDeployment', { path }))).toEqual(pids)
    await client.ok('undeploy', { path })
    await until(() => Object.values(pids).every((pid) => pid !== undefined && !isAlive(pid)))
    second.child.kill('SIGTERM')
    await second.ended
  })

  test('and stays away: its processes end with their lease, and are started anew when it comes after all', async () => {
    const dataDir = folder()
    const first = await launch(dataDir, 3)
    const { id: deployment, ...deployedAs } = await deployed(first.client)
    const pids = Object.values(pidsOf(deployedAs))
    await first.kill()
    await until(() => pids.every((pid) => pid !== undefined && !isAlive(pid)))
    const second = await launch(dataDir, 3)
    const record = await second.client.ok('getDeployment', { path: { deployment } })
    expect(record.state).toBe('ready')
    const anew = Object.values(pidsOf(record))
    expect(anew.filter((pid) => pids.includes(pid))).toEqual([])
    await second.client.ok('undeploy', { path: { deployment } })
    await until(() => anew.every((pid) => pid !== undefined && !isAlive(pid)))
    second.child.kill('SIGTERM')
    await second.ended
  })
})
