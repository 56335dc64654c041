import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { projectDir } from '../test/walk.ts'
import { readProject } from './project.ts'

let dir = ''
beforeEach(() => {
  dir = mkdtempSync(path.join(tmpdir(), 'hivemind-project-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const put = (name: string, text = ''): void => {
  mkdirSync(path.dirname(path.join(dir, name)), { recursive: true })
  writeFileSync(path.join(dir, name), text)
}

test('lists every file with its hash, and finds the workflow by its ending', async () => {
  const project = await readProject(projectDir)
  expect(project.name).toBe('walk')
  expect(project.files.map((file) => file.path)).toContain('tasks/measure.py')
  const scale = project.files.find((file) => file.path === 'data/scale.json')
  expect(scale).toEqual({
    path: 'data/scale.json',
    hash: '68ad4f90fd5eedf03d989cd614b1a1da92ccb7965662d6eaf2524c85dbb8325b',
    bytes: 14,
  })
})

test('reads inputs, leaves out what is no part of a project', async () => {
  put('job.hive.py')
  put('inputs.json', '{"area": [1, 2]}')
  put('node_modules/x/index.js')
  const { inputs, files, profile } = await readProject(dir)
  expect(inputs).toEqual({ area: [1, 2] })
  expect(files.map((file) => file.path)).toEqual(['inputs.json', 'job.hive.py'])
  expect(profile).toBeUndefined()
})

type Files = Record<string, string>
const cases: [string, Files, RegExp][] = [
  ['no workflow', {}, /holds no workflow/],
  ['two workflows', { 'a.hive.py': '', 'b.hive.py': '' }, /holds 2 workflows \(a.hive.py, b.hive.py\)/],
  [
    'broken inputs',
    { 'a.hive.py': '', 'inputs.json': '{' },
    /'inputs.json' of the project is not valid JSON/,
  ],
  ['a list as inputs', { 'a.hive.py': '', 'inputs.json': '[]' }, /must be a JSON object/],
  ['a broken profile', { 'a.hive.py': '', 'profile.json': '{"schema":"x"}' }, /is not a profile/],
]

test.each(cases)('%s: refused with a sentence', async (_, files, message) => {
  for (const [name, text] of Object.entries(files)) put(name, text)
  await expect(readProject(dir)).rejects.toMatchObject({
    name: 'ProjectError',
    message: expect.stringMatching(message),
  })
})

test('a link that leads out of the folder is refused', async () => {
  put('a.hive.py')
  symlinkSync('/etc/passwd', path.join(dir, 'secret'))
  await expect(readProject(dir)).rejects.toThrow(/'secret' is a symbolic link/)
})

test('a folder that is not there', async () => {
  await expect(readProject(path.join(dir, 'gone'))).rejects.toThrow(/cannot be read/)
})
