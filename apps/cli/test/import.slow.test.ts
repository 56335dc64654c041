/** An imported project deploys and runs, on the devices and in the cloud, whether or not its edges carry data. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hivemind, killRunning } from './command.ts'

const WITHOUT_DATA = '4\n0 0 0\n1 2 1 0\n2 7 1 0\n3 1 2 1 2\n4 5 1 2\n5 0 2 3 4\n'
const WITH_DATA = '3\n1 4 0\n2 4 1\n1 3\n3 4 2\n1 5\n2 1\n'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-import-run-'))
})
afterAll(async () => {
  killRunning()
  await rm(folder, { recursive: true, force: true })
})

it.each([
  ['all-edge', WITHOUT_DATA, 4],
  ['all-cloud', WITH_DATA, 3],
])('%s', { timeout: 240_000 }, async (placement, text, tasks) => {
  const file = path.join(folder, `${placement}.stg`)
  const project = path.join(folder, placement)
  await writeFile(file, text)
  expect((await hivemind('import', file, '--out', project)).code).toBe(0)
  const ran = await hivemind('run', project, '--agents', '2', '--placement', placement, '--json')
  expect(ran.stderr).toContain('run succeeded')
  expect(ran.code).toBe(0)
  const { tasks: done } = JSON.parse(ran.stdout)
  expect(Object.keys(done)).toHaveLength(tasks)
})
