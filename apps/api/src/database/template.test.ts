import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
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

const opened = async (name: string): Promise<PGlite> => {
  const pglite = await openPGlite(path.join(dir, name), path.join(dir, 'cache'))
  open.push(pglite)
  return pglite
}
const templates = (): string[] => readdirSync(path.join(dir, 'cache'))

test('a new database is a copy of the first, which has nothing of what came after', async () => {
  const first = await opened('first')
  await first.exec('create table kept (n int); insert into kept values (1)')
  expect(templates()).toHaveLength(1)
  // a copy that was broken off before
  mkdirSync(path.join(dir, 'second.new'))
  const second = await opened('second')
  expect(existsSync(path.join(dir, 'second.new'))).toBe(false)
  await second.exec('create table kept (n int)')
  expect((await second.query('select * from kept')).rows).toEqual([])
  // one that is there is opened as it is
  await second.exec('insert into kept values (2)')
  await second.close()
  open.pop()
  expect((await (await opened('second')).query('select * from kept')).rows).toEqual([{ n: 2 }])
  expect(templates()).toHaveLength(1)
})

test('without a place for the template each is made anew', async () => {
  writeFileSync(path.join(dir, 'cache'), 'no folder')
  const only = await opened('only')
  expect((await only.query('select 1 as n')).rows).toEqual([{ n: 1 }])
  expect(readdirSync(dir).sort()).toEqual(['cache', 'only'])
})
