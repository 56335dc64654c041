/** A disk that fills up: every answer is true, and all goes on once there is room. */
import { execFileSync } from 'node:child_process'
import { closeSync, openSync, readFileSync, rmSync, writeSync } from 'node:fs'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const dataDir = newFolder()
let mounted = false
let started: Started | undefined

beforeAll(async () => {
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=128m', 'tmpfs', dataDir], { stdio: 'pipe' })
    mounted = true
  } catch {
    return
  }
  started = await start(configFor(dataDir))
})
afterAll(async () => {
  await started?.service.close()
  if (mounted) execFileSync('/bin/umount', [dataDir])
  removeFolder(dataDir)
})

const filler = path.join(dataDir, 'filler')
function fillDisk(): void {
  const file = openSync(filler, 'a')
  for (const size of [1_000_000, 4_096, 512])
    try {
      for (;;) writeSync(file, Buffer.alloc(size))
    } catch (error) {
      expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC')
    }
  closeSync(file)
}

/** Text that no compression makes small. */
const bulk = (bytes: number) =>
  Array.from({ length: bytes / 10 }, () => Math.random().toString(36).slice(2, 12).padEnd(10, '0')).join('')

test('answers are true while the disk is full, and a run that ended meanwhile is kept after it', async (context) => {
  if (!started) return context.skip('mounting needs rights that this machine does not give')
  const { client, target } = started
  const project = await client.ok('createProject', { body: { name: 'Full', example: 'hello-swarm' } })
  const at = { project: project.id as string }
  const { text } = await client.ok('getVersion', { path: { ...at, version: 1 } })
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  target.script.run = async (_, tell) => {
    await finished
    for (let line = 0; line < 50; line++)
      tell({
        type: 'log',
        at: Date.now(),
        line: { at: Date.now(), level: 'info', source: 'run', text: bulk(5_000) },
      })
    return {}
  }
  const deployment = await client.ok('createDeployment', {
    path: at,
    body: { version: 1, agents: 1, placement: { readSensor: 'edge', judge: 'edge', summary: 'cloud' } },
  })
  await until(
    async () => (await client.ok('getDeployment', { path: { deployment: deployment.id } })).state === 'ready',
  )
  const run = await client.ok('startRun', { path: { deployment: deployment.id }, body: {} })

  await started.service.store.createPool('/full', { persistence: 'persistent' })

  fillDisk()
  let base = 1
  const refusals = []
  for (let attempt = 0; attempt < 8; attempt++) {
    const body = { base, text: `# ${bulk(50_000)}\n${text}`, layout: { nodes: {} } }
    const saved = await client.call('saveVersion', { path: at, body })
    const { headVersion } = await client.ok('getProject', { path: at })
    expect([201, 507]).toContain(saved.status)
    expect([attempt, headVersion]).toEqual([attempt, saved.status === 201 ? base + 1 : base])
    if (saved.status === 507) refusals.push(saved.body.detail)
    base = headVersion
  }
  expect(refusals.length).toBeGreaterThan(0)
  expect(refusals[0]).toContain('is full')
  const before = await client.ok('listProjects')
  const refused = await client.call('createProject', { body: { name: 'None', text: `# ${bulk(50_000)}` } })
  expect(refused.status).toBe(507)
  expect(await client.ok('listProjects')).toEqual(before)
  const put = () =>
    client.call('putStoreObject', { query: { key: '/full/a' }, bytes: new Uint8Array(1_000_000) })
  expect((await put()).status).toBe(507)

  finish()
  await until(async () => (await client.ok('getRun', { path: { run: run.id } })).state === 'succeeded')

  rmSync(filler)
  expect((await put()).status).toBe(200)
  const saved = await client.ok('saveVersion', { path: at, body: { base, text, layout: { nodes: {} } } })
  expect(saved.number).toBe(base + 1)
  expect(readFileSync(path.join(dataDir, 'projects', project.id, project.workflowFile), 'utf8')).toBe(text)
  // The end of the run is in the database once another service finds it there.
  await new Promise((resolve) => setTimeout(resolve, 20_000))
  await started.service.close()
  started = await start(configFor(dataDir))
  const kept = await started.client.ok('getRun', { path: { run: run.id } })
  expect([kept.state, kept.logs.length]).toEqual(['succeeded', 50])
}, 240_000)
