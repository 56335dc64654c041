import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { print } from '@hivemind/dsl'
import { parseProfile } from '@hivemind/swarm'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { instanceOf, ORCHARD } from '../test/instances.ts'
import { type Imported, projectFiles, projectName, randomDag, readWfCommons } from './index.ts'

const filesOf = (imported: Imported) =>
  Object.fromEntries(projectFiles(imported, print(imported.workflow)).map(({ path, text }) => [path, text]))

test('a project has a workflow, a profile, task code and a README with every note', () => {
  const imported = readWfCommons(instanceOf(ORCHARD, '1.5'))
  const files = filesOf(imported)
  expect(Object.keys(files)).toEqual(['orchard.hive.py', 'profile.json', 'tasks/replay.mjs', 'README.md'])
  expect(parseProfile(files['profile.json'])).toEqual(imported.profile)
  expect(files['README.md']).toContain('5 tasks, 4 edges; 5.50 s of work')
  expect(files['README.md']?.match(/^- /gm)).toHaveLength(4 + imported.notes.length)
})

test('a title with line breaks and markup stays one line of comment, and literal', () => {
  const imported = { ...randomDag({ tasks: 3, seed: 1 }), about: "a\nb\u2028c <b> [x](y) 'é'", name: 'x' }
  const files = filesOf(imported)
  expect(files['x.hive.py']?.split('\n').slice(0, 2)).toEqual(["# Imported: a b c <b> [x](y) 'é'", ''])
  expect(files['README.md']).toContain("a b c \\<b\\> \\[x\\](y) 'é'")
})

test.each([
  ['Montage (2MASS)', 'Montage-2MASS'],
  ['../../etc/passwd', 'etc-passwd'],
  ['.hidden', 'hidden'],
  ['café\0au/lait', 'cafe-au-lait'],
  ['日本', 'imported'],
  ['x'.repeat(200), 'x'.repeat(60)],
])('a project of %j is called %s', (title, name) => {
  expect(projectName(title)).toBe(name)
})

describe('the replay', () => {
  interface Replay {
    run(inputs: unknown, args: object, context: object): Uint8Array | null
  }
  const logged: string[] = []
  const context = { task: 'sort', log: (text: string) => logged.push(text) }
  let folder: string
  let replay: Replay

  beforeAll(async () => {
    folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-replay-'))
    const file = path.join(folder, 'replay.mjs')
    await writeFile(file, filesOf(randomDag({ tasks: 1, seed: 1 }))['tasks/replay.mjs'] ?? '')
    replay = (await import(pathToFileURL(file).href)) as Replay
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  const timed = (args: object) => {
    const from = performance.now()
    const output = replay.run({ fruit: new Uint8Array(7), more: [{ x: new Uint8Array(3) }] }, args, context)
    return { output, ms: performance.now() - from, log: logged.at(-1) ?? '' }
  }

  test('computes for the traced time made shorter, and hands over bytes of the traced size', () => {
    const { output, ms, log } = timed({ traceMs: 100_000, traceBytes: 5000 })
    expect(ms).toBeGreaterThanOrEqual(99)
    expect(output).toHaveLength(5000)
    expect(log).toMatch(/^read 10 bytes, computed [1-9]\d* turns, wrote 5000 bytes$/)
    expect(timed({ traceMs: 400, traceBytes: 1, speed: 0.5 }).ms).toBeGreaterThanOrEqual(199)
  })

  test('gives the same bytes each time, others for another task', () => {
    const args = { traceMs: 0, traceBytes: 64 }
    expect(timed(args).output).toEqual(timed(args).output)
    expect(replay.run({}, args, { ...context, task: 'weigh' })).not.toEqual(timed(args).output)
  })

  test('has limits, and says so', () => {
    const { output, ms, log } = timed({ traceMs: 1e12, traceBytes: 1e12 })
    expect(ms).toBeLessThan(20_000)
    expect(output).toHaveLength(1_000_000)
    expect(log).toMatch(/time cut from 1000000000 ms; output cut from 1000000000000 bytes/)
  })

  test('hands over nothing where the trace says nothing, and takes no nonsense', () => {
    expect(timed({}).output).toBeNull()
    expect(timed({ traceMs: 'long', traceBytes: -1, speed: Number.NaN }).output).toBeNull()
    expect(timed({ traceBytes: 0 }).output).toHaveLength(0)
  })
})
