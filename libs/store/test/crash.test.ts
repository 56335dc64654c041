import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEmbeddedStore } from '../src/index.ts'
import { contentOf } from './crash-content.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const KILLS = soak ? 200 : 10
const writer = path.join(import.meta.dirname, 'writer.ts')

describe.each(['persistent', 'buffered'] as const)(
  'an embedded store whose process is killed',
  (persistence) => {
    let folder: string
    beforeAll(async () => {
      folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-crash-'))
    })
    afterAll(() => rm(folder, { recursive: true, force: true }))

    it(
      `loses no acknowledged write of a ${persistence} pool (${KILLS} kills)`,
      async () => {
        const acknowledged = new Map<string, number>()
        for (let kill = 0; kill < KILLS; kill++) {
          const before = acknowledged.size
          await writeAndKill(String(kill), 5 + ((kill * 37) % 100), acknowledged)
          expect(acknowledged.size).toBeGreaterThan(before)
          await checkStore(String(kill), acknowledged)
        }
      },
      KILLS * 20_000,
    )

    /** Runs the writer and kills it some time after its first acknowledged write. */
    async function writeAndKill(
      round: string,
      afterMs: number,
      acknowledged: Map<string, number>,
    ): Promise<void> {
      const child = spawn(process.execPath, [writer, folder, round, persistence], {
        stdio: ['ignore', 'pipe', 'inherit'],
      })
      const ended = once(child, 'exit')
      let writing = false
      for await (const line of createInterface({ input: child.stdout })) {
        const [version, key] = line.split(' ')
        if (!key) continue
        if (!writing) setTimeout(() => child.kill('SIGKILL'), afterMs)
        writing = true
        acknowledged.set(key, Number(version))
      }
      expect(await ended).toEqual([null, 'SIGKILL'])
    }

    /** Everything acknowledged is there, everything there is whole, and versions have no gap. */
    async function checkStore(round: string, acknowledged: ReadonlyMap<string, number>): Promise<void> {
      const store = await openEmbeddedStore({ folder })
      const changes = await store.changes('/crash')
      expect(changes.map(({ version }) => version)).toEqual(changes.map((_, at) => at + 1))
      const versions = new Map(changes.map(({ key, version }) => [key, version]))
      for (const [key, version] of acknowledged)
        if (versions.get(key) !== version) expect.unreachable(`${key} (version ${version}) is lost`)
      const { objects } = await store.multiGet(`/crash/${round}`)
      for (const [key, { bytes }] of objects)
        if (Buffer.compare(bytes, contentOf(key)) !== 0) expect.unreachable(`${key} is torn`)
      await store.close()
    }
  },
)
