/** Versions are text and files: saving, comparing, deploying and rolling back, on both databases. */
import { mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { DeploymentSpec } from '@hivemind/deploy'
import { BlobStore } from '@hivemind/values/node'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Config } from '../src/config/config.ts'
import { openDatabase } from '../src/database/database.ts'
import { type Client, until } from './support/client.ts'
import { startPostgres, type TestPostgres } from './support/postgres.ts'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const TEXT = `TaskGraph(list=[sense, count])
Task(sense, None, readings, 'tasks/sense.mjs', childTask=[count])
Task(count, readings, total, 'tasks/count.mjs', parentTask=sense)
`
const PLACEMENT = { sense: 'edge', count: 'cloud' }

describe.each(['embedded', 'postgresql'] as const)('on the %s database', (kind) => {
  const dataDir = newFolder()
  let postgres: TestPostgres | undefined
  let config: Config
  let started: Started
  let client: Client

  beforeAll(async () => {
    if (kind === 'postgresql') postgres = await startPostgres()
    config = configFor(dataDir, postgres ? { databaseUrl: postgres.url } : {})
    started = await start(config)
    client = started.client
  })
  afterAll(async () => {
    await started?.service.close()
    await postgres?.stop()
    removeFolder(dataDir)
  })

  const blobs = () => new BlobStore(path.join(dataDir, 'blobs'))
  const folderOf = (project: string) => path.join(dataDir, 'projects', project)
  const newProject = async () => (await client.ok('createProject', { body: { name: 'V', text: TEXT } })).id
  const put = (project: string, file: string, text: string) =>
    client.ok('putFile', { path: { project }, query: { path: file }, body: { text } })
  const save = (project: string, base: number, text = TEXT) =>
    client.ok('saveVersion', { path: { project }, body: { base, text, layout: { nodes: {} }, message: '' } })
  const changes = async (project: string, version: number, from?: number) =>
    client.ok('compareVersions', {
      path: { project, version },
      ...(from === undefined ? {} : { query: { from: String(from) } }),
    })
  const kinds = (files: { path: string; change: string }[]) =>
    files.map((each) => `${each.change} ${each.path}`)
  const unsaved = async (project: string) =>
    kinds((await client.ok('unsavedFiles', { path: { project } })).files)
  const fileOf = async (project: string, version: number, file: string) =>
    (await client.ok('getVersionFile', { path: { project, version }, query: { path: file } })) as string

  /** Three versions: without files, with two, with one of them changed and the other gone. */
  const threeVersions = async () => {
    const project = await newProject()
    await put(project, 'tasks/sense.mjs', 'sense 1')
    await put(project, 'tasks/count.mjs', 'count 1')
    await save(project, 1)
    await put(project, 'tasks/sense.mjs', 'sense 2')
    await client.ok('deleteFile', { path: { project }, query: { path: 'tasks/count.mjs' } })
    await save(project, 2, `${TEXT}# third\n`)
    return project
  }

  test('a version keeps the files there are when it is saved, and says what it changed', async () => {
    const project = await threeVersions()
    expect(await changes(project, 2)).toMatchObject({ from: 1, version: 2, text: false })
    expect(kinds((await changes(project, 2)).files)).toEqual([
      'added tasks/count.mjs',
      'added tasks/sense.mjs',
    ])
    expect(await changes(project, 3)).toMatchObject({ text: true })
    expect(kinds((await changes(project, 3)).files)).toEqual([
      'removed tasks/count.mjs',
      'changed tasks/sense.mjs',
    ])
    expect(kinds((await changes(project, 3, 1)).files)).toEqual(['added tasks/sense.mjs'])
    expect(kinds((await changes(project, 1, 2)).files)).toEqual([
      'removed tasks/count.mjs',
      'removed tasks/sense.mjs',
    ])
    expect(await fileOf(project, 2, 'tasks/sense.mjs')).toBe('sense 1')
    expect(await fileOf(project, 3, 'tasks/sense.mjs')).toBe('sense 2')
    const gone = await client.call('getVersionFile', {
      path: { project, version: 3 },
      query: { path: 'tasks/count.mjs' },
    })
    expect(gone.status).toBe(404)
    const version = await client.ok('getVersion', { path: { project, version: 2 } })
    expect(version).toMatchObject({ author: 'local', filesFrom: 'saved', errors: 0 })
    expect(version.files.map((file: { path: string }) => file.path)).toEqual([
      'tasks/count.mjs',
      'tasks/sense.mjs',
    ])
  })

  test('changes of files that no version has are told, also those made beside the service', async () => {
    const project = await threeVersions()
    expect(await unsaved(project)).toEqual([])
    await put(project, 'data/a.csv', 'a')
    const file = path.join(folderOf(project), 'tasks/sense.mjs')
    // The same size and, on purpose, the same time of change: only the content tells.
    const past = new Date(Date.now() - 60_000)
    utimesSync(file, past, past)
    expect(await unsaved(project)).toEqual(['added data/a.csv'])
    writeFileSync(file, 'sense 9')
    utimesSync(file, past, past)
    expect(await unsaved(project)).toEqual(['added data/a.csv', 'changed tasks/sense.mjs'])
    await save(project, 3)
    expect(await unsaved(project)).toEqual([])
    expect(await fileOf(project, 4, 'tasks/sense.mjs')).toBe('sense 9')
  })

  test('a version is deployed with its own text and files, whatever was changed since', async () => {
    const project = await newProject()
    await put(project, 'tasks/sense.mjs', 'export default () => 1')
    await put(project, 'tasks/count.mjs', 'export default () => "one"')
    await put(project, 'inputs.json', '{}')
    await save(project, 1)
    await put(project, 'tasks/count.mjs', 'export default () => "two"')
    await save(project, 2)
    await put(project, 'tasks/count.mjs', 'export default () => "not saved"')
    const specs: DeploymentSpec[] = []
    started.target.script = {
      start: async (spec) => {
        specs.push(spec)
      },
    }
    for (const version of [2, 3]) {
      const { id } = await client.ok('createDeployment', {
        path: { project },
        body: { version, placement: PLACEMENT, agents: 1 },
      })
      await until(
        async () => (await client.ok('getDeployment', { path: { deployment: id } })).state === 'ready',
      )
    }
    const code = specs.map((spec) => readFileSync(path.join(spec.projectDir, 'tasks/count.mjs'), 'utf8'))
    expect(code).toEqual(['export default () => "one"', 'export default () => "two"'])
    const [first] = specs
    expect(readdirSync(first?.projectDir ?? '').sort()).toEqual(['inputs.json', 'tasks', 'v.hive.py'])
    // The hash that the bundle was planned with is the hash of what stands there.
    const planned = first?.synthesis.bundles.flatMap(({ files }) =>
      files.map(({ path: name, hash }) => [name, hash]),
    )
    const version = await client.ok('getVersion', { path: { project, version: 2 } })
    const kept = Object.fromEntries(
      version.files.map((file: { path: string; hash: string }) => [file.path, file.hash]),
    )
    expect(planned?.length).toBeGreaterThan(0)
    for (const [name, hash] of planned ?? []) expect(kept[name ?? '']).toBe(hash)
    started.target.script = {}
  })

  test('rolling back brings text and files back as a new version, and loses nothing', async () => {
    const project = await threeVersions()
    await put(project, 'notes.txt', 'not saved yet')
    const at = { path: { project, version: 2 } }
    expect((await client.call('rollBack', { ...at, body: { base: 2 } })).status).toBe(409)
    expect(await unsaved(project)).toEqual(['added notes.txt'])
    const back = await client.ok('rollBack', { ...at, body: { base: 3 } })
    expect(back).toMatchObject({ number: 5, text: TEXT, message: 'Roll back to version 2' })
    expect(kinds((await changes(project, 5, 2)).files)).toEqual([])
    expect(readFileSync(path.join(folderOf(project), 'tasks/sense.mjs'), 'utf8')).toBe('sense 1')
    expect(readFileSync(path.join(folderOf(project), 'tasks/count.mjs'), 'utf8')).toBe('count 1')
    expect(readFileSync(path.join(folderOf(project), 'v.hive.py'), 'utf8')).toBe(TEXT)
    expect(readdirSync(folderOf(project))).not.toContain('notes.txt')
    expect(await unsaved(project)).toEqual([])
    // What no version had was saved first.
    expect(await fileOf(project, 4, 'notes.txt')).toBe('not saved yet')
    expect((await client.ok('getVersion', { path: { project, version: 4 } })).text).toBe(`${TEXT}# third\n`)
    // To the first version, which had no files, where a folder stands in the way of none.
    expect((await client.ok('rollBack', { path: { project, version: 1 }, body: { base: 5 } })).number).toBe(6)
    expect(await client.ok('listFiles', { path: { project } })).toEqual([])
    expect((await client.call('rollBack', { path: { project, version: 9 }, body: { base: 6 } })).status).toBe(
      404,
    )
  })

  test('a file whose content was lost on the disk is told, and nothing is deleted', async () => {
    const project = await threeVersions()
    const version = await client.ok('getVersion', { path: { project, version: 2 } })
    const { hash } = version.files.find((file: { path: string }) => file.path === 'tasks/count.mjs')
    const file = blobs().path(hash)
    const content = readFileSync(file)
    writeFileSync(file, 'broken')
    try {
      const refused = await client.call('rollBack', { path: { project, version: 2 }, body: { base: 3 } })
      expect(refused.status).toBe(409)
      expect(refused.body.detail).toContain('corrupted')
      expect(readFileSync(path.join(folderOf(project), 'tasks/sense.mjs'), 'utf8')).toBe('sense 2')
      const read = await client.call('getVersionFile', {
        path: { project, version: 2 },
        query: { path: 'tasks/count.mjs' },
      })
      expect(read.status).toBe(409)
    } finally {
      writeFileSync(file, content)
    }
  })

  test('what no version refers to is removed at the next start, and the rest stays', async () => {
    const project = await threeVersions()
    const orphan = await blobs().put(Buffer.from('orphan'))
    const old = new Date(Date.now() - 7_200_000)
    const version = await client.ok('getVersion', { path: { project, version: 2 } })
    const hashes = version.files.map((file: { hash: string }) => file.hash)
    for (const hash of [orphan, ...hashes]) utimesSync(blobs().path(hash), old, old)
    await started.service.close()
    started = await start(config)
    client = started.client
    await until(async () => !(await blobs().has(orphan)))
    for (const hash of hashes) expect(await blobs().has(hash)).toBe(true)
  })

  test('versions of before they had files get those of today, and say so', async () => {
    const project = await newProject()
    mkdirSync(path.join(folderOf(project), 'tasks'))
    writeFileSync(path.join(folderOf(project), 'tasks/count.mjs'), 'of today')
    await started.service.close()
    const database = await openDatabase(dataDir, config.databaseUrl)
    await sql`delete from version_files where project_id = ${project}`.execute(database.db)
    await sql`update versions set files_from = null, author = '' where project_id = ${project}`.execute(
      database.db,
    )
    await database.close()
    rmSync(path.join(dataDir, 'blobs'), { recursive: true })
    started = await start(config)
    client = started.client
    const version = await client.ok('getVersion', { path: { project, version: 1 } })
    expect(version).toMatchObject({ filesFrom: 'adopted', author: '' })
    expect(await fileOf(project, 1, 'tasks/count.mjs')).toBe('of today')
  })
})
