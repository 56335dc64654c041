import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { PGlite } from '@electric-sql/pglite'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openPGlite } from './template.ts'

let dir: string
const open: PGlite[] = []
beforeEach(() => {
  dir = mkdtempSync(path.join(os.tmpdir(), 'hm-template-'))
})
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
  rmSync(dir, { recursive: true, force: true })
})

const opened = async (name: string, table = 'prepared'): Promise<PGlite> => {
  const prepare = async (made: PGlite) => void (await made.exec(`create table ${table} (n int)`))
  const pglite = await openPGlite(path.join(dir, name), { key: table, prepare }, path.join(dir, 'cache'))
  open.push(pglite)
  return pglite
}
const templates = (): string[] => readdirSync(path.join(dir, 'cache'))

test('a new database is a copy of the first, which has nothing of what came after', async () => {
  const first = await opened('first')
  await first.exec('create table kept (n int); insert into kept values (1)')
  expect(templates()).toHaveLength(1)
  await first.exec('insert into prepared values (1)')
  // a copy that was broken off before
  mkdirSync(path.join(dir, 'second.new'))
  const second = await opened('second')
  expect(existsSync(path.join(dir, 'second.new'))).toBe(false)
  await second.exec('create table kept (n int)')
  expect((await second.query('select * from kept')).rows).toEqual([])
  expect((await second.query('select * from prepared')).rows).toEqual([])
  // one that is there is opened as it is
  await second.exec('insert into kept values (2)')
  await second.close()
  open.pop()
  expect((await (await opened('second')).query('select * from kept')).rows).toEqual([{ n: 2 }])
  expect(templates()).toHaveLength(1)
})

test('with another preparation it is made anew; of the templates the newest three stay', async () => {
  await opened('first')
  const [oldest = ''] = templates()
  for (const name of ['b', 'c']) mkdirSync(path.join(dir, 'cache', `database-${name}`))
  // a file system may give the same time to what is made at nearly the same time
  utimesSync(path.join(dir, 'cache', oldest), 1, 1)
  expect(templates()).toHaveLength(3)
  const second = await opened('second', 'other')
  expect((await second.query('select * from other')).rows).toEqual([])
  expect(templates()).toHaveLength(3)
  expect(templates()).not.toContain(oldest)
})

test('a preparation that fails leaves no template', async () => {
  const prepare = async () => {
    throw new Error('no tables')
  }
  const open = openPGlite(path.join(dir, 'first'), { key: 'bad', prepare }, path.join(dir, 'cache'))
  await expect(open).rejects.toThrow('no tables')
  expect(existsSync(path.join(dir, 'cache'))).toBe(false)
})

test('without a place for the template each is made anew', async () => {
  writeFileSync(path.join(dir, 'cache'), 'no folder')
  const only = await opened('only')
  expect((await only.query('select 1 as n')).rows).toEqual([{ n: 1 }])
  expect(readdirSync(dir).sort()).toEqual(['cache', 'only'])
})
