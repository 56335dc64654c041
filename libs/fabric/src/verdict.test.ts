import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { FabricCache, readVerdict, type Verdict, writeVerdict } from './index.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'hm-verdict-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const cache = new FabricCache(folder)
const full: Verdict = {
  suite: 'full',
  passedAt: '2026-01-02T03:04:05.000Z',
  simulations: 200,
  proofs: 34,
  plantedBugs: 150,
}
const quick: Verdict = { ...full, suite: 'quick', plantedBugs: 50 }

test('sources that were not tested have no verdict', () => {
  expect(readVerdict(cache, 'a1')).toBeUndefined()
})

test('a verdict is of the sources that were tested, and a full one stays', () => {
  writeVerdict(cache, 'a1', quick)
  expect(readVerdict(cache, 'a1')).toEqual(quick)
  expect(readVerdict(cache, 'b2')).toBeUndefined()
  writeVerdict(cache, 'a1', full)
  writeVerdict(cache, 'a1', quick)
  expect(readVerdict(cache, 'a1')).toEqual(full)
})

test('a file that cannot be read is no verdict', () => {
  writeFileSync(path.join(folder, 'verdicts/c3.json'), '{')
  expect(readVerdict(cache, 'c3')).toBeUndefined()
})
