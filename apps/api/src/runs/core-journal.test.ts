/** Journals of runs: what a kill leaves at their end, and what cannot be read. */
import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import type { CoreEvent } from '@hivemind/orchestrator'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CoreJournals } from './core-journal.ts'

let folder: string
let journals: CoreJournals

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'hivemind-journal-'))
  journals = new CoreJournals(folder)
})
afterEach(() => rmSync(folder, { recursive: true }))

const item = (seq: number, bytes = 10): CoreEvent => ({
  type: 'item',
  at: seq + 0.25,
  task: 1,
  device: 2,
  seq,
  ref: { kind: 'inline', type: 'application/octet-stream', bytes: new Uint8Array(bytes).fill(seq) },
})
const fileOf = (run: string) => path.join(folder, 'run-journals', `${run}.journal`)

async function keep(run: string, events: CoreEvent[]): Promise<void> {
  const journal = journals.open(run)
  for (const event of events) journal.add(event)
  await journal.close()
}

test('gives back what it was given, also what is larger than what is read at once', async () => {
  const events = [item(0), item(1, 3_000_000), item(2, 0)]
  await keep('a', events)
  expect(isDeepStrictEqual([...journals.events('a')], events)).toBe(true)
  await keep('a', [item(3)])
  expect(isDeepStrictEqual([...journals.events('a')], [...events, item(3)])).toBe(true)
})

test('is there as soon as it is open, so that a kill at once costs no run', async () => {
  const journal = journals.open('a')
  expect(journals.has('a')).toBe(true)
  expect([...journals.events('a')]).toEqual([])
  await journal.close()
  expect(journals.has('a')).toBe(true)
})

test('cut at any byte, it has the whole records before, and goes on behind them', async () => {
  const events = [item(0), item(1), item(2)]
  await keep('a', events)
  const whole = readFileSync(fileOf('a'))
  for (let end = 0; end < whole.length; end++) {
    writeFileSync(fileOf('a'), whole.subarray(0, end))
    const known = journals.has('a') ? [...journals.events('a')] : []
    expect(known).toEqual(events.slice(0, known.length))
    await keep('a', [item(9)])
    expect([...journals.events('a')]).toEqual([...known, item(9)])
  }
})

test('a record that is damaged ends it', async () => {
  await keep('a', [item(0), item(1)])
  const bytes = readFileSync(fileOf('a'))
  bytes[bytes.length - 1] = (bytes.at(-1) as number) ^ 1
  writeFileSync(fileOf('a'), bytes)
  expect([...journals.events('a')]).toEqual([item(0)])
  appendFileSync(fileOf('a'), Buffer.alloc(8, 255))
  expect([...journals.events('a')]).toEqual([item(0)])
})

test('one of another format is none', async () => {
  await keep('a', [item(0)])
  expect(journals.has('a')).toBe(true)
  truncateSync(fileOf('a'), 3)
  expect(journals.has('a')).toBe(false)
  expect(journals.has('nobody')).toBe(false)
})

test('one that cannot be written is given up, and leaves no file', async () => {
  const journal = journals.open('a')
  rmSync(path.join(folder, 'run-journals'), { recursive: true })
  journal.add(item(0))
  await journal.close()
  new CoreJournals(folder)
  expect(readdirSync(path.join(folder, 'run-journals'))).toEqual([])
})

test('one that cannot be made is given up, and leaves no file', async () => {
  rmSync(path.join(folder, 'run-journals'), { recursive: true })
  const journal = journals.open('a')
  journal.add(item(0))
  await journal.close()
  new CoreJournals(folder)
  expect(readdirSync(path.join(folder, 'run-journals'))).toEqual([])
})

test('forgets all runs but those that are named', async () => {
  for (const run of ['a', 'b', 'c']) await keep(run, [item(0)])
  journals.keepOnly(new Set(['b']))
  journals.remove('nobody')
  expect(readdirSync(path.join(folder, 'run-journals'))).toEqual(['b.journal'])
})
