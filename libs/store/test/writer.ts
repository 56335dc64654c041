/**
 * Writes to a store until it is killed, and prints a line for each acknowledged write: its version and its key.
 * Arguments: the folder, a word that begins the keys, and the persistence of the pool.
 */
import { writeSync } from 'node:fs'
import { openEmbeddedStore, type Persistence } from '../src/index.ts'
import { contentOf } from './crash-content.ts'

const never = new Int32Array(new SharedArrayBuffer(4))

/** Writes a line at once, and waits while the pipe is full: its reader may be slower. */
function say(line: string): void {
  let left = Buffer.from(`${line}\n`)
  while (left.length > 0)
    try {
      left = left.subarray(writeSync(1, left))
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(never, 0, 0, 1)
    }
}

const [folder = '', round = '', persistence] = process.argv.slice(2)
const store = await openEmbeddedStore({ folder })
await store.createPool('/crash', { persistence: persistence as Persistence })
say('ready')

async function write(writer: number): Promise<never> {
  for (let n = 0; ; n++) {
    const key = `/crash/${round}/${writer}/${n}`
    const value = { type: 'text/plain', bytes: contentOf(key) }
    const { version } = await (n % 10 === 9
      ? store.putStream(key, value.type, [value.bytes])
      : store.put(key, value))
    say(`${version} ${key}`)
  }
}

await Promise.all([0, 1, 2, 3].map(write))
