/** Backups of a service that runs: made by itself, and good for a folder whose database is torn. */
import { existsSync, readdirSync, statSync, truncateSync } from 'node:fs'
import path from 'node:path'
import { listBackups, restore } from '@hivemind/data-folder'
import { afterAll, expect, test, vi } from 'vitest'
import { log } from '../src/common/log.ts'
import { migrations, openDatabase } from '../src/database/database.ts'
import { backUpDataFolder } from '../src/storage/backups.ts'
import { until } from './support/client.ts'
import { configFor, newFolder, removeFolder, start } from './support/service.ts'

const dataDir = newFolder()
const config = configFor(dataDir)
afterAll(() => removeFolder(dataDir))

test('a torn database comes back from the backup that was made while it ran', {
  timeout: 240_000,
}, async () => {
  const first = await start(config)
  const create = (name: string) =>
    first.client.ok('createProject', { body: { name, example: 'hello-swarm' } })
  const kept = await create('Kept')
  await first.service.store.createPool('/kept', { persistence: 'persistent' })
  const value = { type: 'text/plain', bytes: Buffer.from('before') }
  await first.service.store.put('/kept/a', value)
  const writing = Promise.all(Array.from({ length: 5 }, (_, n) => create(`Meanwhile ${n}`)))
  await first.service.backups.make()
  await writing
  const [backup] = await listBackups(config.backupDir)
  expect(backup?.reason).toBe('hourly')
  // Once nothing is written any more, there is no further backup.
  const newest = async () => (await listBackups(config.backupDir))[0]?.dir
  await until(async () => {
    const before = await newest()
    await first.service.backups.make()
    return (await newest()) === before
  })
  const last = await newest()
  await first.service.store.put('/kept/a', { ...value, bytes: Buffer.from('later') })
  await first.service.backups.make()
  expect(await newest()).not.toBe(last)
  await first.service.close()

  const files = readdirSync(path.join(dataDir, 'db'), { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(dataDir, 'db', file))
    .filter((file) => statSync(file).isFile())
  for (const file of files) truncateSync(file, Math.floor(statSync(file).size / 2))
  await expect(start(config)).rejects.toThrow(/could not be opened.*hivemind restore/s)

  await restore((backup as { dir: string }).dir, dataDir)
  const second = await start(config)
  const projects = await second.client.ok('listProjects')
  expect(projects.map(({ name }: { name: string }) => name)).toContain('Kept')
  const version = await second.client.ok('getVersion', { path: { project: kept.id, version: 1 } })
  const [{ path: file }] = version.files
  const content = await second.client.call('getVersionFile', {
    path: { project: kept.id, version: 1 },
    query: { path: file },
  })
  expect(content.status).toBe(200)
  expect(String((await second.service.store.get('/kept/a'))?.bytes)).toBe('before')
  await second.service.close()
})

test('an upgrade of the tables is preceded by a backup, and a new folder by none', {
  timeout: 240_000,
}, async () => {
  const folder = newFolder()
  const own = configFor(folder)
  const backUp = async (database: Parameters<typeof backUpDataFolder>[1]) => {
    await backUpDataFolder(own, database, { embedded: null }, 'upgrade')
  }
  const first = await openDatabase(folder, undefined, backUp)
  expect(existsSync(own.backupDir)).toBe(false)
  const [last] = Object.keys(await migrations()).slice(-1)
  await first.db
    .deleteFrom('kysely_migration' as never)
    .where('name' as never, '=', last as never)
    .execute()
  await first.close()
  // The last migration is run again, on tables that have it: only that it was preceded by a backup matters here.
  await openDatabase(folder, undefined, backUp).then(
    (database) => database.close(),
    () => {},
  )
  expect((await listBackups(own.backupDir)).map(({ reason }) => reason)).toEqual(['upgrade'])
  removeFolder(folder)
})

test('off loopback the service says at start what the embedded database does not promise', {
  timeout: 240_000,
}, async () => {
  const folder = newFolder()
  const warn = vi.spyOn(log, 'warn')
  const { service } = await start(configFor(folder, { host: '0.0.0.0', password: 'x' }))
  await service.close()
  expect(warn.mock.calls.flat().filter((text) => String(text).includes('DATABASE_URL'))).toHaveLength(1)
  warn.mockClear()
  await (await start(configFor(folder))).service.close()
  expect(warn).not.toHaveBeenCalled()
  removeFolder(folder)
})
