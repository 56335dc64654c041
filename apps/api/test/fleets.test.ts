/** Own fleets of a project over HTTP: kept, checked, refused on conflict, explored on, and known to the checks. */
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { type Fleet, fleetByName, fleets } from '@hivemind/swarm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Client, until } from './support/client.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

/** The paper's drones under another name, with half of the bandwidth. */
function half(name = 'half'): Fleet {
  const fleet = fleetByName('paper-drones')
  if (!fleet) throw new Error('There is no fleet.')
  return { ...fleet, name, uplink: { ...fleet.uplink, bandwidthMbps: fleet.uplink.bandwidthMbps / 2 } }
}

const PINNED = `TaskGraph(list=[sense])
Task(sense, None, readings, 'tasks/sense.mjs')
Place(sense, 'Edge:submarine')
`

describe.each(['embedded', 'postgresql'] as const)('on the %s database', (kind) => {
  const dataDir = newFolder()
  let postgres: TestPostgres | undefined
  let started: Started
  let client: Client
  let project = ''

  beforeAll(async () => {
    if (kind === 'postgresql') postgres = await startPostgres()
    started = await start(configFor(dataDir, postgres ? { databaseUrl: postgres.url } : {}))
    client = started.client
    project = (await client.ok('createProject', { body: { name: 'Hello', example: 'hello-swarm' } })).id
  })
  afterAll(async () => {
    await started?.service.close()
    await postgres?.stop()
    removeFolder(dataDir)
  })

  const put = (fleet: unknown, expected: string, name = (fleet as Fleet).name) =>
    client.call('putProjectFleet', { path: { project, fleet: name }, query: { expected }, body: fleet })
  const names = async () =>
    (await client.ok('listProjectFleets', { path: { project } })).map((one: { name: string }) => one.name)
  const explore = async (fleet: string) => {
    const { id } = await client.ok('startExploration', { path: { project }, body: { version: 1, fleet } })
    return until(async () => {
      const now = await client.ok('getExploration', { path: { exploration: id } })
      return now.job.state === 'done' && now
    })
  }

  test('a fleet is made, read, replaced and deleted; every step that is out of date is refused', async () => {
    expect((await put(half(), 'none')).status).toBe(200)
    expect(await names()).toEqual(['paper-drones', 'paper-cars', 'sensor-gateways', 'local', 'half'])
    const at = { path: { project, fleet: 'half' } }
    const { fleet, hash } = await client.ok('getProjectFleet', at)
    expect(fleet).toEqual(half())
    const again = await put(half(), 'none')
    expect([again.status, again.body.detail]).toEqual([409, expect.stringContaining("'half' exists already")])
    const changed = await client.ok('putProjectFleet', {
      ...at,
      query: { expected: hash },
      body: { ...half(), label: 'Mine' },
    })
    const late = await put({ ...half(), label: 'Yours' }, hash)
    expect([late.status, late.body.detail]).toEqual([
      409,
      expect.stringContaining('has been changed meanwhile'),
    ])
    expect((await client.ok('getProjectFleet', at)).fleet.label).toBe('Mine')
    const lateDelete = await client.call('deleteProjectFleet', { ...at, query: { expected: hash } })
    expect(lateDelete.status).toBe(409)
    await client.ok('deleteProjectFleet', { ...at, query: { expected: changed.hash } })
    expect((await client.call('getProjectFleet', at)).status).toBe(404)
    const gone = await put(half(), changed.hash)
    expect([gone.status, gone.body.detail]).toEqual([409, expect.stringContaining('has been deleted')])
    expect((await client.call('deleteProjectFleet', at)).status).toBe(404)
  })

  test('of two that save at the same time one is refused', async () => {
    const replies = await Promise.all([put(half('race'), 'none'), put(half('race'), 'none')])
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 409])
    await client.ok('deleteProjectFleet', { path: { project, fleet: 'race' } })
  })

  test.each<[string, (fleet: Fleet) => unknown, number, string, string]>([
    [
      'a negative bandwidth',
      (f) => ({ ...f, uplink: { ...f.uplink, bandwidthMbps: -1 } }),
      ...([400, 'uplink.bandwidthMbps', 'must be a number from 0.001 to 1,000,000 Mbit/s'] as const),
    ],
    ['a field that no fleet has', (f) => ({ ...f, loss: 1 }), 400, 'loss', 'is not a known field'],
    [
      'no device at all',
      (f) => ({ ...f, devices: f.devices.map((g) => ({ ...g, count: 0 })) }),
      422,
      'devices',
      'must be 1 to 10,000 devices together',
    ],
    [
      'another name than its address',
      (f) => ({ ...f, name: 'other' }),
      422,
      'name',
      "The fleet is called 'other'",
    ],
  ])('%s is refused, naming the field', async (_, broken, status, field, message) => {
    const reply = await put(broken(half('broken')), 'none', 'broken')
    expect(reply.status).toBe(status)
    expect(reply.body.errors[0].field).toBe(field)
    expect(reply.body.errors[0].message).toContain(message)
    expect(await names()).not.toContain('broken')
  })

  test('a fleet that ships with HiveMind is read, and neither replaced nor deleted', async () => {
    const at = { path: { project, fleet: 'paper-drones' } }
    expect((await client.ok('getProjectFleet', at)).hash).toBeUndefined()
    const reply = await put(half('paper-drones'), 'none')
    expect([reply.status, reply.body.detail]).toEqual([422, expect.stringContaining('ships with HiveMind')])
    expect((await client.call('deleteProjectFleet', at)).status).toBe(404)
  })

  test('an exploration keeps the fleet it was made with', async () => {
    const { hash } = await client.ok('putProjectFleet', {
      path: { project, fleet: 'half' },
      query: { expected: 'none' },
      body: half(),
    })
    const before = await explore('half')
    const whole = await explore('paper-drones')
    expect(before.result.inputs.fleetUsed).toEqual(half())
    const p99 = ({
      result,
    }: {
      result: { candidates: { baseline?: string; estimate: { latencyMs: { p99: number } } }[] }
    }) => result.candidates.find(({ baseline }) => baseline === 'all-cloud')?.estimate.latencyMs.p99 ?? 0
    expect(p99(before)).toBeGreaterThan(p99(whole))
    await client.ok('putProjectFleet', {
      path: { project, fleet: 'half' },
      query: { expected: hash },
      body: { ...half(), uplink: { ...half().uplink, delayMs: 500 } },
    })
    const stored = await client.ok('getExploration', { path: { exploration: before.id } })
    expect(stored.result.inputs.fleetUsed).toEqual(half())
    expect((await explore('half')).result.inputs.fleetUsed.uplink.delayMs).toBe(500)
    await client.ok('deleteProjectFleet', { path: { project, fleet: 'half' } })
    const gone = await client.call('startExploration', {
      path: { project },
      body: { version: 1, fleet: 'half' },
    })
    expect([gone.status, gone.body.detail]).toEqual([
      422,
      "There is no fleet 'half' in this project; there are paper-drones, paper-cars, sensor-gateways, local.",
    ])
  })

  test('its device classes can be placed on', async () => {
    const check = async () =>
      (await client.ok('check', { body: { text: PINNED, project } })).diagnostics.map(
        ({ code }: { code: string }) => code,
      )
    expect(await check()).toContain('HM604')
    const fleet = half('subs')
    const [group] = fleet.devices
    if (!group) throw new Error('There is no class.')
    const devices = [{ ...group, class: { ...group.class, name: 'submarine' } }]
    expect((await put({ ...fleet, devices }, 'none')).status).toBe(200)
    expect(await check()).not.toContain('HM604')
    await client.ok('deleteProjectFleet', { path: { project, fleet: 'subs' } })
  })

  test('its file is beside the workflow, no part of versions, and says so when it was broken by hand', async () => {
    await put(half(), 'none')
    const file = path.join(dataDir, 'projects', project, 'half.fleet.json')
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(half())
    expect((await client.ok('unsavedFiles', { path: { project } })).files).toEqual([])
    const write = await client.call('putFile', {
      path: { project },
      query: { path: 'half.fleet.json' },
      body: { text: '{}' },
    })
    expect([write.status, write.body.detail]).toEqual([
      400,
      'path: is a fleet: change it on the Fleets screen',
    ])
    writeFileSync(file, '{"schema": "hivemind.fleet/1"}')
    const listed = await client.ok('listProjectFleets', { path: { project } })
    expect(listed.at(-1)).toMatchObject({
      name: 'half',
      own: true,
      problem: expect.stringContaining('changed by hand'),
    })
    const reply = await client.call('startExploration', {
      path: { project },
      body: { version: 1, fleet: 'half' },
    })
    expect([reply.status, reply.body.detail]).toEqual([422, expect.stringContaining("wrong at 'name'")])
  })

  test('a project has at most 100', async () => {
    for (let index = (await names()).length - fleets().length; index < 100; index += 1)
      expect((await put(half(`f-${index}`), 'none')).status).toBe(200)
    const reply = await put(half('one-more'), 'none')
    expect([reply.status, reply.body.detail]).toEqual([
      409,
      'The project has 100 fleets already. Delete one first.',
    ])
  })
})
