/** A store on a disk that is full: needs the right to mount one. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { openEmbeddedStore, StorageError } from '../src/index.ts'

const disk = mkdtempSync(path.join(os.tmpdir(), 'hivemind-disk-'))
let mounted = false
try {
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk], { stdio: 'ignore' })
  mounted = true
} catch {}
afterAll(() => {
  if (mounted) execFileSync('umount', [disk])
  rmSync(disk, { recursive: true, force: true })
})

it('refuses what a full disk cannot hold, keeps the rest, and goes on once there is room', async (context) => {
  if (!mounted) return context.skip('mounting needs rights that this machine does not give')
  const store = await openEmbeddedStore({ folder: path.join(disk, 'store') })
  await store.createPool('/p', { persistence: 'persistent' })
  await store.createPool('/spare', { persistence: 'persistent' })
  const value = { type: 'a/b', bytes: Buffer.alloc(1_000_000, 7) }
  await store.put('/spare/a', value)
  const refused: unknown[] = []
  let kept = 0
  while (refused.length === 0)
    await store.put(`/p/${kept}`, value).then(
      () => kept++,
      (error) => refused.push(error),
    )
  expect(refused[0]).toBeInstanceOf(StorageError)
  expect(kept).toBeGreaterThan(0)
  expect(await store.listKeys('/p')).toHaveLength(kept)
  // What was refused has left nothing behind: not in the file, and not in memory.
  const { version } = await store.multiGet('/p')
  expect(version).toBe(kept)
  await store.removePool('/spare')
  const next = await store.put(`/p/${kept}`, { type: 'a/b', bytes: new Uint8Array(10) })
  expect(next).toMatchObject({ version: kept + 1, ordinal: 1, previousKeyVersion: 0 })
  await store.removePool('/p')
  await store.createPool('/q', { persistence: 'persistent' })
  expect(await store.put('/q/a', value)).toMatchObject({ version: 1 })
  await store.close()
})
