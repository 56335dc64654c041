/** Fills a pool of a store with so many objects of 4 kB, says so, and writes on until it is killed. */
import { openEmbeddedStore } from '../../src/index.ts'

const [folder = '', objects = '0'] = process.argv.slice(2)
const WINDOW = 500
const value = { type: 'application/octet-stream', bytes: new Uint8Array(4_096).fill(7) }
const store = await openEmbeddedStore({ folder })
await store.createPool('/full', { persistence: 'persistent' })
for (let n = 0; ; n += WINDOW) {
  if (n >= Number(objects)) process.send?.('full')
  await Promise.all(Array.from({ length: WINDOW }, (_, at) => store.put(`/full/${n + at}`, value)))
}
