/** A process of the tests that writes a log of what its clients do, until it is killed. Arguments: folder, log, number. */
import { openSync, writeSync } from 'node:fs'
import { openEmbeddedStore, VersionConflictError } from '../../src/index.ts'
import { text, textOf } from '../values.ts'
import type { LogLine } from '../write-log.ts'

const [folder = '', file = '', number = ''] = process.argv.slice(2)
const CLIENTS = 4
const OPERATIONS_PER_KEY = 40

// Written at once: what was logged before a kill is in the file.
const log = openSync(file, 'a')
const write = (line: LogLine) => writeSync(log, `${JSON.stringify(line)}\n`)

const store = await openEmbeddedStore({ folder })
await store.createPool('/faults', { persistence: 'persistent' })
process.send?.('ready')
let operations = 0

async function client(name: number): Promise<void> {
  for (let n = 0; ; n++) {
    // The last keys of the process before are gone on with.
    const key = `/faults/${Math.floor(++operations / OPERATIONS_PER_KEY)}-${Number(number) >> 1}`
    const id = `${number}.${name}.${n}`
    if (n % 3 === 0) {
      write({ id, key, start: 'put', value: id })
      await store.put(key, text(id))
      write({ id })
      continue
    }
    write({ id, key, start: 'get' })
    const read = await store.get(key)
    const seen = textOf(read) ?? ''
    write({ id, seen })
    if (n % 3 === 1) continue
    const over = `${id}+`
    write({ id: over, key, start: 'put', value: over, expected: seen })
    try {
      await store.put(key, text(over), { expectedVersion: read?.version ?? 0 })
      write({ id: over })
    } catch (error) {
      if (!(error instanceof VersionConflictError)) throw error
      write({ id: over, refused: true })
    }
  }
}
for (let name = 0; name < CLIENTS; name++) void client(name)
