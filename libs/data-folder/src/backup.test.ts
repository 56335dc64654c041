import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { backUp, listBackups, pruneBackups } from './backup.ts'
import { lockDataFolder } from './lock.ts'
import { restore } from './restore.ts'

let dir: string
let dataDir: string
let to: string
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'hivemind-backup-'))
  dataDir = path.join(dir, 'data')
  to = path.join(dir, 'backups')
  for (const [file, text] of Object.entries({
    'db/base/1': 'table',
    'db/pg_wal/0001': 'log',
    'projects/p/p.hive.py': 'TaskGraph(list=[])',
    'blobs/ab/cdef': 'blob',
    'checkouts/x': 'made anew',
  })) {
    mkdirSync(path.join(dataDir, path.dirname(file)), { recursive: true })
    writeFileSync(path.join(dataDir, file), text)
  }
  mkdirSync(path.join(dataDir, 'db/pg_twophase'))
})
afterEach(() => rmSync(dir, { recursive: true }))

const make = (more: object = {}) => backUp({ dataDir, to, reason: 'asked', version: '1', ...more })
const read = (file: string) => readFileSync(path.join(dataDir, file), 'utf8')

test('a backup is restored with its empty folders, and what was there is put aside', async () => {
  const backup = await make()
  expect(backup.files.map((file) => file.path)).toEqual([
    'db/base/1',
    'db/pg_wal/0001',
    'projects/p/p.hive.py',
    'blobs/ab/cdef',
  ])
  writeFileSync(path.join(dataDir, 'db/base/1'), 'tor')
  rmSync(path.join(dataDir, 'db/pg_twophase'), { recursive: true })
  writeFileSync(path.join(dataDir, 'projects/p/later.js'), 'later')
  const { replaced } = await restore(backup.dir, dataDir)
  expect([read('db/base/1'), read('projects/p/p.hive.py')]).toEqual(['table', 'TaskGraph(list=[])'])
  expect(statSync(path.join(dataDir, 'db/pg_twophase')).isDirectory()).toBe(true)
  expect(readdirSync(path.join(dataDir, 'projects/p'))).toEqual(['p.hive.py'])
  expect(readFileSync(path.join(replaced, 'projects/p/later.js'), 'utf8')).toBe('later')
  expect(readFileSync(path.join(replaced, 'db/base/1'), 'utf8')).toBe('tor')
})

test.each([
  ['shorter', (file: string) => writeFileSync(file, 'ta'), /db\/base\/1 has 2 bytes instead of 5/],
  ['changed', (file: string) => writeFileSync(file, 'tablE'), /db\/base\/1 was changed/],
  ['missing', (file: string) => rmSync(file), /db\/base\/1 is missing/],
])('a backup with a file that is %s is refused, and nothing changes', async (_, damage, sentence) => {
  const backup = await make()
  writeFileSync(path.join(dataDir, 'db/base/1'), 'newer')
  damage(path.join(backup.dir, 'db/base/1'))
  await expect(restore(backup.dir, dataDir)).rejects.toThrow(sentence)
  expect(read('db/base/1')).toBe('newer')
  expect(readdirSync(dataDir).filter((name) => name.startsWith('.') || name.startsWith('replaced'))).toEqual(
    [],
  )
})

test('nothing is restored into a folder in use, or from what is no backup', async () => {
  const backup = await make()
  const release = lockDataFolder(dataDir)
  await expect(restore(backup.dir, dataDir)).rejects.toThrow(/^Another HiveMind/)
  release()
  await expect(restore(dataDir, dataDir)).rejects.toThrow(/is no backup of HiveMind/)
})

test('what never changes shares its bytes with the data folder, the rest does not', async () => {
  const backup = await make({ share: true })
  const links = (file: string) => statSync(path.join(backup.dir, file)).nlink
  expect([links('blobs/ab/cdef'), links('projects/p/p.hive.py'), links('db/base/1')]).toEqual([2, 1, 1])
  rmSync(path.join(dataDir, 'blobs'), { recursive: true })
  await restore(backup.dir, dataDir)
  expect(read('blobs/ab/cdef')).toBe('blob')
})

test('the database is copied while it stands still, and a failure leaves nothing behind', async () => {
  let frozen = false
  await make({
    freeze: async (copy: () => Promise<void>) => {
      frozen = true
      await copy()
    },
  })
  expect(frozen).toBe(true)
  await expect(make({ freeze: () => Promise.reject(new Error('The disk is gone.')) })).rejects.toThrow('gone')
  expect(readdirSync(to)).toHaveLength(1)
})

test('the newest of each reason are kept', async () => {
  for (const reason of ['hourly', 'asked', 'hourly', 'hourly']) await make({ reason })
  mkdirSync(path.join(to, '.new-interrupted'))
  mkdirSync(path.join(to, 'of somebody else'))
  linkSync(path.join(dataDir, 'checkouts/x'), path.join(to, 'a file'))
  expect(await pruneBackups(to, 'hourly', 2)).toBe(1)
  expect((await listBackups(to)).map(({ reason }) => reason)).toEqual(['hourly', 'hourly', 'asked'])
  expect(readdirSync(to)).toHaveLength(5)
})
