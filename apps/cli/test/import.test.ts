/** `hivemind import`: what it writes, what it refuses, and that the other commands take what it wrote. */
import { mkdir, mkdtemp, readdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hivemind, killRunning, start } from './command.ts'

const STG = '4\n0 0 0\n1 2 1 0\n2 7 1 0\n3 1 2 1 2\n4 5 1 2\n5 0 2 3 4\n'

const instance = {
  name: 'Tea (two cups)',
  schemaVersion: '1.5',
  workflow: {
    specification: {
      tasks: [
        { name: 'boil', id: 'boil.1', parents: [], children: ['pour.2', 'pour.3'], outputFiles: ['hot.txt'] },
        {
          name: 'pour',
          id: 'pour.2',
          parents: ['boil.1'],
          children: [],
          inputFiles: ['hot.txt'],
          outputFiles: ['a'],
        },
        {
          name: 'pour',
          id: 'pour.3',
          parents: ['boil.1'],
          children: [],
          inputFiles: ['hot.txt'],
          outputFiles: ['b'],
        },
      ],
      files: [
        { id: 'hot.txt', sizeInBytes: 200_000 },
        { id: 'a', sizeInBytes: 10 },
        { id: 'b', sizeInBytes: 20 },
      ],
    },
    execution: {
      makespanInSeconds: 3,
      executedAt: '2026-01-01T00:00:00Z',
      tasks: [
        { id: 'boil.1', runtimeInSeconds: 2 },
        { id: 'pour.2', runtimeInSeconds: 1 },
        { id: 'pour.3', runtimeInSeconds: 1 },
      ],
    },
  },
}

let folder: string
const at = (name: string) => path.join(folder, name)

beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-import-'))
  await writeFile(at('tea.json'), JSON.stringify(instance))
  await writeFile(at('small.stg'), STG)
})
afterAll(async () => {
  killRunning()
  await rm(folder, { recursive: true, force: true })
})

describe('import', () => {
  it('makes a project that the other commands take', async () => {
    const made = await hivemind('import', at('tea.json'), '--out', at('tea'), '--json')
    expect(made.code).toBe(0)
    expect(JSON.parse(made.stdout)).toMatchObject({ name: 'tea', folder: at('tea'), tasks: 3, edges: 2 })
    expect((await readdir(at('tea'))).sort()).toEqual(['README.md', 'profile.json', 'tasks', 'tea.hive.py'])
    const checked = await hivemind('check', at('tea'), '--json')
    expect(JSON.parse(checked.stdout)).toEqual({ diagnostics: [] })
    const graph = await hivemind('graph', at('tea'), '--json')
    expect(JSON.stringify(JSON.parse(graph.stdout))).toContain('pour_3')
    const explored = await hivemind('explore', at('tea'), '--json')
    expect(explored.code).toBe(0)
    const { front, inputs } = JSON.parse(explored.stdout)
    expect(front.length).toBeGreaterThan(0)
    expect(inputs.profile.tasks.boil_1.cloud.serviceMs.mean).toBe(2000)
  })

  it('without --out, makes a folder with the name of the workflow', async () => {
    const made = await start(['import', at('tea.json')], {}, folder).outcome
    expect(made.code).toBe(0)
    expect(made.stderr).toContain('3 tasks, 2 edges')
    expect(await readdir(at('Tea-two-cups'))).toContain('Tea-two-cups.hive.py')
  })

  it('tells a task graph by its text, and reads the format it is told', async () => {
    expect((await hivemind('import', at('small.stg'), '--out', at('one'))).code).toBe(0)
    const forced = await hivemind('import', at('small.stg'), '--out', at('two'), '--format', 'wfcommons')
    expect(forced.code).toBe(1)
    expect(forced.stderr).toContain('it is not JSON')
    expect((await hivemind('import', at('small.stg'), '--format', 'dot')).code).toBe(2)
  })

  it('overwrites nothing', async () => {
    await mkdir(at('mine'))
    await writeFile(at('mine/notes.txt'), 'mine')
    for (const out of ['mine', 'mine/notes.txt']) {
      const refused = await hivemind('import', at('tea.json'), '--out', at(out))
      expect(refused.code).toBe(2)
      expect(refused.stderr).toContain('exists already')
    }
    expect(await readFile(at('mine/notes.txt'), 'utf8')).toBe('mine')
    const below = await hivemind('import', at('tea.json'), '--out', at('mine/notes.txt/tea'))
    expect(below.code).not.toBe(0)
    expect(below.stderr).not.toMatch(/^\s+at /m)
  })

  it('leaves nothing behind when it fails', async () => {
    const before = await readdir(folder)
    const texts: [string | Uint8Array, RegExp][] = [
      ['', /neither a WfCommons instance/],
      ['hello', /--format wfcommons\|stg/],
      ['{"name": 1', /not JSON/],
      ['{}', /schemaVersion: it is missing/],
      [Uint8Array.of(0xff, 0xfe, 0x00), /not UTF-8/],
      [JSON.stringify(instance).replace('"boil.1"]', '"kettle"]'), /'kettle' is no task of this file/],
      ['2\n1 1 1 2\n2 1 1 1\n', /cycle/],
    ]
    for (const [text, message] of texts) {
      await writeFile(at('bad'), text)
      const refused = await hivemind('import', at('bad'), '--out', at('never'))
      expect(refused.stderr).toMatch(message)
      expect(refused.stderr).not.toMatch(/^\s+at /m)
      expect(refused.code).toBe(1)
    }
    expect((await hivemind('import', at('no-such-file'))).code).toBe(2)
    expect((await hivemind('import', folder)).stderr).toContain('is not a file')
    await truncate(at('bad'), 100 * 1024 * 1024)
    const large = await hivemind('import', at('bad'), '--out', at('never'))
    expect(large.stderr).toMatch(/104857600 bytes; at most 67108864 are read/)
    await rm(at('bad'))
    expect(await readdir(folder)).toEqual(before)
  })

  it('says when the workflow is more than the language takes', async () => {
    const ids = Array.from({ length: 400 }, (_, index) => `step_with_a_rather_long_name_${index}`)
    const tasks = ids.map((id, index) => ({
      name: id,
      id,
      parents: ids.slice(0, index),
      children: [],
      inputFiles: ids.slice(0, index),
      outputFiles: [id],
    }))
    const document = { schemaVersion: '1.5', name: 'dense', workflow: { specification: { tasks } } }
    await writeFile(at('dense.json'), JSON.stringify(document))
    const refused = await hivemind('import', at('dense.json'), '--out', at('never'))
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/more than the language takes: .*2000000/s)
  })
})
