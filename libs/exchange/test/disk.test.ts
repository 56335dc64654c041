/** What a node keeps in its folder: what was flushed is there for the next process, in whatever moment this one is killed. */
import * as fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { open } from 'lmdb'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Disk, JOURNAL_BYTES } from '../src/disk.ts'
import { bytesOf, numberOf, recordOf } from '../src/records.ts'

const room = vi.hoisted(() => ({ bytes: Number.POSITIVE_INFINITY }))
vi.mock('node:fs', async (original) => {
  const real = await original<typeof fs>()
  return {
    ...real,
    // A disk that takes so many bytes more, and then no others.
    writeSync(fd: number, bytes: Buffer, at: number) {
      const taken = Math.min(bytes.length - at, room.bytes)
      if (taken === 0) throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
      room.bytes -= taken
      return real.writeSync(fd, bytes, at, taken)
    },
  }
})

let root: string
const opened: Disk[] = []
beforeEach(() => {
  root = fs.mkdtempSync(path.join(os.tmpdir(), 'hivemind-disk-'))
  room.bytes = Number.POSITIVE_INFINITY
})
afterEach(async () => {
  room.bytes = Number.POSITIVE_INFINITY
  for (const disk of opened.splice(0)) await disk.close()
  fs.rmSync(root, { recursive: true })
})

let folders = 0
const newFolder = (): string => path.join(root, String(++folders))

function openDisk(folder: string): Disk {
  const disk = new Disk(folder)
  opened.push(disk)
  return disk
}

/** The folder as a process that is killed now would leave it. */
function killedCopy(folder: string): string {
  const copy = newFolder()
  fs.cpSync(folder, copy, { recursive: true, filter: (file) => !file.endsWith('.lock') })
  return copy
}

const journalOf = (folder: string): string => path.join(folder, 'journal')

/** All that a folder has of two topics and one kind of value. */
function contentOf(folder: string): unknown {
  const disk = openDisk(folder)
  const topics = ['road', 'sky'].map((topic) =>
    disk.recordsOf(topic, 0).map((record) => [numberOf(record), bytesOf(record).length]),
  )
  return {
    topics,
    state: Object.fromEntries([...disk.stateOf('offset')].map(([[name], value]) => [name, value])),
  }
}

type Step =
  | { kind: 'records'; topic: number; first: number; count: number; bytes: number }
  | { kind: 'drop'; topic: number; upTo: number }
  | { kind: 'save'; name: string; value: unknown }
  | { kind: 'remove'; name: string }
  | { kind: 'flush' }
  | { kind: 'kill' }

const topic = fc.integer({ min: 0, max: 1 })
const number = fc.integer({ min: 1, max: 12 })
const name = fc.constantFrom('ann', 'bob', 'ü "quoted"')
const steps = fc.array(
  fc.oneof(
    fc.record({
      kind: fc.constant('records' as const),
      topic,
      first: number,
      count: fc.integer({ min: 1, max: 4 }),
      // Some make the journal so long that it is written to the database.
      bytes: fc.constantFrom(0, 10, Math.ceil(JOURNAL_BYTES / 3)),
    }),
    fc.record({
      kind: fc.constant('drop' as const),
      topic,
      upTo: fc.oneof(number, fc.constant(Number.MAX_SAFE_INTEGER)),
    }),
    fc.record({ kind: fc.constant('save' as const), name, value: fc.jsonValue() }),
    fc.record({ kind: fc.constant('remove' as const), name }),
    fc.record({ kind: fc.constant('flush' as const) }),
    fc.record({ kind: fc.constant('kill' as const) }),
  ),
  { maxLength: 40 },
)

/** What a folder is to have: topics of numbers to sizes, and values. */
class Model {
  topics = [new Map<number, number>(), new Map<number, number>()]
  state: Record<string, unknown> = {}

  do(step: Step): void {
    if (step.kind === 'save') this.state[step.name] = step.value
    if (step.kind === 'remove') delete this.state[step.name]
    if (step.kind === 'records')
      for (let n = 0; n < step.count; n++) this.topics[step.topic]?.set(step.first + n, step.bytes)
    if (step.kind === 'drop')
      for (const each of [...(this.topics[step.topic]?.keys() ?? [])])
        if (each <= step.upTo) this.topics[step.topic]?.delete(each)
  }

  get content(): unknown {
    const topics = this.topics.map((each) => [...each].toSorted(([a], [b]) => a - b))
    return structuredClone({ topics, state: this.state })
  }
}

function doStep(disk: Disk, step: Step): void {
  if (step.kind === 'records')
    disk.saveRecords(
      ['road', 'sky'][step.topic] as string,
      Array.from({ length: step.count }, (_, n) => recordOf(step.first + n, Buffer.alloc(step.bytes, 7))),
    )
  else if (step.kind === 'drop') disk.dropRecords(['road', 'sky'][step.topic] as string, step.upTo)
  else if (step.kind === 'save') disk.save(['offset', step.name], step.value)
  else if (step.kind === 'remove') disk.remove(['offset', step.name])
  else if (step.kind === 'flush') disk.flush()
}

it('has all that was flushed, and nothing else, whenever the process is killed', {
  timeout: 120_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(steps, async (list) => {
      let folder = newFolder()
      let disk = openDisk(folder)
      let model = new Model()
      let flushed = model.content
      for (const step of [...list, { kind: 'kill' as const }]) {
        if (step.kind === 'kill') {
          folder = killedCopy(folder)
          expect(contentOf(folder)).toEqual(flushed)
          disk = opened.at(-1) as Disk
          const { topics, state } = flushed as {
            topics: [number, number][][]
            state: Record<string, unknown>
          }
          model = new Model()
          model.topics = topics.map((each) => new Map(each))
          model.state = structuredClone(state)
        } else {
          doStep(disk, step)
          model.do(step)
          if (step.kind === 'flush') flushed = model.content
        }
      }
      for (const each of opened.splice(0)) await each.close()
    }),
    { numRuns: 100 },
  )
})

it('has what was closed', async () => {
  const folder = newFolder()
  const disk = new Disk(folder)
  disk.saveRecords('road', [recordOf(1, Buffer.from('ice'))])
  disk.save(['offset', 'ann'], { at: [1] })
  await disk.close()
  expect(contentOf(folder)).toEqual({ topics: [[[1, 3]], []], state: { ann: { at: [1] } } })
  expect(fs.statSync(journalOf(folder)).size).toBe(0)
})

it('does again what a process did that was killed after the database was written, before the journal was cleared', () => {
  const folder = newFolder()
  const disk = openDisk(folder)
  disk.saveRecords(
    'road',
    [1, 2, 3].map((each) => recordOf(each, Buffer.alloc(10))),
  )
  disk.dropRecords('road', 2)
  disk.save(['offset', 'ann'], 1)
  disk.remove(['offset', 'ann'])
  disk.save(['offset', 'bob'], 2)
  disk.flush()
  const earlier = fs.readFileSync(journalOf(folder))
  // So long that it is written to the database.
  disk.saveRecords('sky', [recordOf(1, Buffer.alloc(JOURNAL_BYTES))])
  disk.flush()
  expect(fs.statSync(journalOf(folder)).size).toBe(0)
  const copy = killedCopy(folder)
  fs.writeFileSync(journalOf(copy), earlier)
  expect(contentOf(copy)).toEqual({ topics: [[[3, 10]], [[1, JOURNAL_BYTES]]], state: { bob: 2 } })
})

it.each([
  ['cut short', (journal: Buffer, end: number) => journal.subarray(0, end - 1)],
  ['cut short in its head', (journal: Buffer, _: number, start: number) => journal.subarray(0, start + 5)],
  [
    'damaged',
    (journal: Buffer, end: number) => {
      const damaged = Buffer.from(journal)
      damaged.writeUInt8(damaged.readUInt8(end - 1) ^ 1, end - 1)
      return damaged
    },
  ],
  [
    'followed by zeros',
    (journal: Buffer, _: number, start: number) =>
      Buffer.concat([journal.subarray(0, start), Buffer.alloc(50)]),
  ],
])('takes no entry that is %s, and all before it', (_, spoil) => {
  const folder = newFolder()
  const disk = openDisk(folder)
  disk.save(['offset', 'ann'], 1)
  disk.flush()
  const start = fs.statSync(journalOf(folder)).size
  disk.save(['offset', 'ann'], 2)
  disk.save(['offset', 'bob'], 2)
  disk.flush()
  const copy = killedCopy(folder)
  const journal = fs.readFileSync(journalOf(copy))
  fs.writeFileSync(journalOf(copy), spoil(journal, journal.length, start))
  expect(contentOf(copy)).toEqual({ topics: [[], []], state: { ann: 1 } })
})

it('keeps the changes while the disk is full, and half an entry does no harm', () => {
  const folder = newFolder()
  const disk = openDisk(folder)
  disk.save(['offset', 'ann'], 1)
  disk.flush()
  room.bytes = 20
  disk.save(['offset', 'ann'], 2)
  expect(() => disk.flush()).toThrow(/cannot write to its folder: ENOSPC.*Make room on its disk/)
  expect(contentOf(killedCopy(folder))).toEqual({ topics: [[], []], state: { ann: 1 } })
  room.bytes = Number.POSITIVE_INFINITY
  disk.save(['offset', 'bob'], 3)
  disk.flush()
  expect(contentOf(killedCopy(folder))).toEqual({ topics: [[], []], state: { ann: 2, bob: 3 } })
})

it('reads the folder of a node of before there was a journal', async () => {
  const folder = newFolder()
  fs.mkdirSync(folder)
  const before = open({ path: path.join(folder, 'messages'), maxDbs: 4 })
  const record = recordOf(4, Buffer.from('ice'))
  await before.openDB({ name: 'records', encoding: 'binary' }).put(['road', 4], record)
  await before.openDB({ name: 'state', encoding: 'json' }).put(['offset', 'ann'], { at: ['ü'] })
  await before.close()
  expect(contentOf(folder)).toEqual({ topics: [[[4, 3]], []], state: { ann: { at: ['ü'] } } })
})
