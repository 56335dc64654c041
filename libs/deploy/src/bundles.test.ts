import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import type { Bundle } from '@hivemind/synthesis'
import { afterAll, expect, test } from 'vitest'
import { unpackBundle } from './bundles.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-bundles-'))
afterAll(() => rmSync(folder, { recursive: true }))
const project = path.join(folder, 'project')
mkdirSync(path.join(project, 'tasks'), { recursive: true })

const text = (index: number): string => `export const run = () => ${index}\n`
const files = Array.from({ length: 20 }, (_, index) => {
  const file = `tasks/${index}.mjs`
  writeFileSync(path.join(project, file), text(index))
  return {
    path: file,
    hash: createHash('sha256').update(text(index)).digest('hex'),
    bytes: text(index).length,
  }
})
const bundle: Bundle = { hash: 'a'.repeat(64), task: 'first', entry: 'tasks/0.mjs', files }

test('a bundle that many tasks share is unpacked at the same time for all of them', async () => {
  const into = path.join(folder, 'shared')
  const found = await Promise.all(Array.from({ length: 8 }, () => unpackBundle(project, bundle, into)))
  expect(new Set(found).size).toBe(1)
  const [at = ''] = found
  for (const [index, { path: file }] of files.entries())
    expect(readFileSync(path.join(at, file), 'utf8')).toBe(text(index))
  expect(readdirSync(into)).toEqual([path.basename(at)])
})

test('a file that has changed since is named; the bundle can be unpacked when it is as it was', async () => {
  const into = path.join(folder, 'changed')
  const file = path.join(project, 'tasks/3.mjs')
  writeFileSync(file, 'other')
  await expect(unpackBundle(project, bundle, into)).rejects.toThrow("'tasks/3.mjs' changed while")
  writeFileSync(file, text(3))
  expect(readFileSync(path.join(await unpackBundle(project, bundle, into), 'tasks/3.mjs'), 'utf8')).toBe(
    text(3),
  )
})

test('a bundle that somebody has changed where it is kept is unpacked anew', async () => {
  const into = path.join(folder, 'spoilt')
  const at = await unpackBundle(project, bundle, into)
  writeFileSync(path.join(at, 'tasks/3.mjs'), 'other')
  expect(await unpackBundle(project, bundle, into)).toBe(at)
  expect(readFileSync(path.join(at, 'tasks/3.mjs'), 'utf8')).toBe(text(3))
  rmSync(path.join(at, 'tasks/5.mjs'))
  await unpackBundle(project, bundle, into)
  expect(readFileSync(path.join(at, 'tasks/5.mjs'), 'utf8')).toBe(text(5))
  expect(readdirSync(into)).toEqual([path.basename(at)])
})
