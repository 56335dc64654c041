import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type BlobSource, Bundles } from './bundles.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'hivemind-bundles-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** A service with some blobs, which counts what it is asked for. */
function service() {
  const blobs = new Map<string, Buffer>()
  const asked: string[] = []
  const put = (content: string | object): string => {
    const bytes = Buffer.from(typeof content === 'string' ? content : JSON.stringify(content))
    const hash = createHash('sha256').update(bytes).digest('hex')
    blobs.set(hash, bytes)
    return hash
  }
  const source: BlobSource = {
    blob: async (hash) => {
      asked.push(hash)
      const bytes = blobs.get(hash)
      if (!bytes) throw new Error(`no blob ${hash}`)
      return (async function* () {
        yield bytes
      })()
    },
  }
  const manifest = (files: Record<string, string>) =>
    put({
      schema: 'hivemind.bundle/1',
      entry: 'a.mjs',
      files: Object.entries(files).map(([file, text]) => ({
        path: file,
        hash: put(text),
        bytes: text.length,
      })),
    })
  return { blobs, asked, put, source, manifest }
}

test('a bundle is fetched once, file by file, and kept over restarts', async () => {
  const { asked, source, manifest } = service()
  const first = manifest({ 'tasks/a.mjs': 'code', 'data/x.json': '{}' })
  const second = manifest({ 'tasks/a.mjs': 'code', 'data/y.json': '[]' })
  const bundles = new Bundles(dir)
  const [folder] = await Promise.all([bundles.unpack(first, source), bundles.unpack(second, source)])
  expect(readFileSync(path.join(folder, 'tasks/a.mjs'), 'utf8')).toBe('code')
  // two manifests, and three different files
  expect(asked.length).toBe(5)
  expect(await new Bundles(dir).unpack(first, source)).toBe(folder)
  expect(asked.length).toBe(5)
})

test('a file outside the folder, other bytes than those of the hash, and a missing file leave no bundle', async () => {
  const { blobs, source, manifest, put } = service()
  const bundles = new Bundles(dir)
  await expect(bundles.unpack(manifest({ '../evil.mjs': 'x' }), source)).rejects.toThrow(
    'a file outside its folder',
  )
  const forged = manifest({ 'a.mjs': 'right' })
  blobs.set(createHash('sha256').update('right').digest('hex'), Buffer.from('wrong'))
  await expect(bundles.unpack(forged, source)).rejects.toThrow('other bytes than those of the blob')
  const incomplete = manifest({ 'a.mjs': 'here', 'b.mjs': 'gone' })
  blobs.delete(createHash('sha256').update('gone').digest('hex'))
  await expect(bundles.unpack(incomplete, source)).rejects.toThrow('no blob')
  await expect(bundles.unpack(put({ schema: 'other' }), source)).rejects.toThrow(
    'is not the manifest of a bundle',
  )
  await expect(bundles.json(put('{'), source)).rejects.toThrow('is not JSON')
  expect(readdirSync(path.join(dir, 'bundles')).filter((name) => !name.endsWith('.tmp'))).toEqual([])
})

test('what no deployment has is removed once it is an hour old; what one has stays, with its files', async () => {
  const { asked, source, manifest, put } = service()
  const bundles = new Bundles(dir)
  const [kept, gone] = [
    manifest({ 'a.mjs': 'kept', 'b.json': 'both' }),
    manifest({ 'a.mjs': 'gone', 'b.json': 'both' }),
  ]
  const [plan, oldPlan] = [put({ plan: 2 }), put({ plan: 1 })]
  for (const hash of [plan, oldPlan]) await bundles.json(hash, source)
  const [folder, old] = [await bundles.unpack(kept, source), await bundles.unpack(gone, source)]
  const fetched = asked.length
  const wanted = { blobs: [plan], bundles: [kept, put({ never: 'fetched' })] }
  await bundles.sweep(wanted)
  expect(existsSync(old)).toBe(true)
  await bundles.sweep(wanted, { olderThanMs: -1 })
  expect(existsSync(old)).toBe(false)
  expect(readFileSync(path.join(folder, 'b.json'), 'utf8')).toBe('both')
  // Only what is gone is fetched again: a manifest, a file of its own, and a plan.
  await bundles.unpack(kept, source)
  await bundles.json(plan, source)
  expect(asked.length).toBe(fetched)
  await bundles.unpack(gone, source)
  await bundles.json(oldPlan, source)
  expect(asked.length).toBe(fetched + 3)
})
