/** `hivemind backup` and `hivemind restore`. */
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { backUp, lockDataFolder } from '@hivemind/data-folder'
import { afterAll, beforeEach, expect, it } from 'vitest'
import { exit, hivemind, killRunning } from './command.ts'

const folders: string[] = []
afterAll(() => {
  killRunning()
  for (const folder of folders) rmSync(folder, { recursive: true })
})

let dataDir: string
let to: string
let file: string
beforeEach(() => {
  const folder = mkdtempSync(path.join(tmpdir(), 'hivemind-cli-'))
  folders.push(folder)
  dataDir = path.join(folder, 'data')
  to = path.join(folder, 'backups')
  file = path.join(dataDir, 'projects/p/p.hive.py')
  mkdirSync(path.dirname(file), { recursive: true })
  writeFileSync(file, 'before')
})

it('backs up and restores', async () => {
  const made = await hivemind('backup', '--data-dir', dataDir, '--to', to, '--json')
  expect(made.code).toBe(exit.fine)
  const { dir, files } = JSON.parse(made.stdout)
  expect(files).toBe(1)
  writeFileSync(file, 'after')
  const restored = await hivemind('restore', dir, '--data-dir', dataDir)
  expect([restored.code, readFileSync(file, 'utf8')]).toEqual([exit.fine, 'before'])
  expect(restored.stdout).toContain('What it held before is in')
})

it('gives the newest backup of a service that runs, and refuses to restore under it', async () => {
  const release = lockDataFolder(dataDir)
  const none = await hivemind('backup', '--data-dir', dataDir)
  expect([none.code, none.stderr]).toEqual([exit.other, expect.stringContaining('has made no backup yet')])
  const own = await backUp({ dataDir, to: path.join(dataDir, 'backups'), reason: 'hourly', version: '1' })
  const made = await hivemind('backup', '--data-dir', dataDir, '--to', to, '--json')
  expect(made.stderr).toContain(`this is its backup of ${own.createdAt}`)
  const { dir } = JSON.parse(made.stdout)
  expect(readFileSync(path.join(dir, 'projects/p/p.hive.py'), 'utf8')).toBe('before')
  const refused = await hivemind('restore', dir, '--data-dir', dataDir)
  expect([refused.code, refused.stderr]).toEqual([exit.other, expect.stringContaining('Another HiveMind')])
  release()
})

it('says what is no data folder', async () => {
  const { code, stderr } = await hivemind('backup', '--data-dir', to)
  expect([code, stderr]).toEqual([exit.usage, expect.stringContaining('is no data folder')])
})
