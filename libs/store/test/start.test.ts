/** What a full store takes to open after its process was killed: `npm run soak` fills a gigabyte. */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { openEmbeddedStore } from '../src/index.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const OBJECTS = soak ? 262_144 : 2_000
const OPENINGS = soak ? 10 : 2

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-start-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

it(`opens with ${OBJECTS} objects of 4 kB whose writer was killed`, { timeout: 900_000 }, async () => {
  const filler = fork(new URL('./code/filler.ts', import.meta.url), [folder, String(OBJECTS)])
  const ended = once(filler, 'exit')
  await once(filler, 'message')
  filler.kill('SIGKILL')
  expect(await ended).toEqual([null, 'SIGKILL'])
  for (let n = 0; n < OPENINGS; n++) {
    const before = performance.now()
    const store = await openEmbeddedStore({ folder })
    const last = await store.get(`/full/${OBJECTS - 1}`)
    const ms = performance.now() - before
    expect(last?.bytes).toHaveLength(4_096)
    const [newest] = await store.changes('/full', { afterVersion: OBJECTS - 1, limit: 1 })
    expect(newest).toMatchObject({ version: OBJECTS, key: last?.key })
    await store.close()
    if (!soak) continue
    console.log(`Opened and read in ${ms.toFixed(0)} ms.`)
    expect(ms).toBeLessThan(1_000)
  }
})
