/** `hivemind fmt`: one layout, the same meaning, and nothing written unless told to. */
import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { exit, hivemind, json, killRunning, scratchProject, small, type Write } from './command.ts'

let write: Write
let remove: () => Promise<void>

beforeAll(async () => {
  ;({ write, remove } = await scratchProject())
})
afterAll(async () => {
  killRunning()
  await remove()
})

const wild = `# Why it is so.\n${small.replaceAll(', ', ' ,   ')}# The end.\n`

it('keeps comments and meaning, writes only when told, and then has nothing left to do', async () => {
  const file = await write('wild/wild.hive.py', wild)
  const { changed, text } = json<{ changed: boolean; text: string }>(await hivemind('fmt', file, '--json'))
  expect(changed).toBe(true)
  expect(text).toContain('# Why it is so.')
  expect(text).toContain('# The end.')
  expect((await hivemind('fmt', file)).stdout).toBe(text)
  expect(await readFile(file, 'utf8')).toBe(wild)
  expect((await hivemind('fmt', file, '--check')).code).toBe(exit.workflow)
  expect((await hivemind('fmt', file, '--write')).code).toBe(exit.fine)
  expect(await readFile(file, 'utf8')).toBe(text)
  expect((await hivemind('fmt', file, '--check')).code).toBe(exit.fine)
})

it('refuses what cannot be read, and leaves it alone', async () => {
  const file = await write('torn/torn.hive.py', 'Task(sense, None\n')
  const outcome = await hivemind('fmt', file, '--write')
  expect(outcome.code).toBe(exit.workflow)
  expect(outcome.stderr).toContain('errors of syntax')
  expect(await readFile(file, 'utf8')).toBe('Task(sense, None\n')
})
