/** What the service answers is what it kept; what a crash leaves half done is made good at the next start. */
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { configFor, newFolder, removeFolder, type Started, start } from './support/service.ts'

const text = (name: string) => `${name} = Task()\nTaskGraph(list=[])\n`

let dataDir: string
let started: Started | undefined
beforeEach(async () => {
  dataDir = newFolder()
  started = await start(configFor(dataDir))
})
afterEach(async () => {
  await started?.service.close()
  removeFolder(dataDir)
})

const client = () => (started as Started).client
const below = (...parts: string[]) => path.join(dataDir, 'projects', ...parts)
async function restart(whileStopped: () => void): Promise<void> {
  await started?.service.close()
  started = undefined
  whileStopped()
  started = await start(configFor(dataDir))
}

test('a version counts as saved also when its workflow file cannot be written, and the file follows', async () => {
  const project = await client().ok('createProject', { body: { name: 'Kept', text: text('one') } })
  const file = below(project.id, project.workflowFile)
  // A folder where the file belongs: no rename replaces it.
  rmSync(file)
  mkdirSync(path.join(file, 'x'), { recursive: true })
  const saved = await client().call('saveVersion', {
    path: { project: project.id },
    body: { base: 1, text: text('two'), layout: { nodes: {} } },
  })
  const { headVersion } = await client().ok('getProject', { path: { project: project.id } })
  expect([saved.status, headVersion]).toEqual([201, 2])
  await restart(() => rmSync(file, { recursive: true }))
  expect(readFileSync(file, 'utf8')).toBe(text('two'))
})

test('a start repairs what a killed service left', async () => {
  const ids = []
  for (const name of ['Behind', 'Unnamed', 'Half deleted'])
    ids.push((await client().ok('createProject', { body: { name, text: text('one') } })).id)
  const [behind, unnamed, halfDeleted] = ids
  const draft = '.hivemind-tmp-0123456789abcdef'
  await restart(() => {
    writeFileSync(below(behind, 'behind.hive.py'), text('older'))
    mkdirSync(below(behind, 'tasks'))
    writeFileSync(below(behind, draft), 'half')
    writeFileSync(below(behind, 'tasks', draft), 'half')
    renameSync(below(unnamed), below(`.new-${unnamed}`))
    renameSync(below(halfDeleted), below(`.old-${halfDeleted}`))
    mkdirSync(below('.new-never-kept-123456'))
  })
  expect(readdirSync(below()).sort()).toEqual([...ids].sort())
  expect(readFileSync(below(behind, 'behind.hive.py'), 'utf8')).toBe(text('one'))
  expect(readdirSync(below(behind)).sort()).toEqual(['behind.hive.py', 'tasks'])
  expect(readdirSync(below(behind, 'tasks'))).toEqual([])
  expect(existsSync(below(unnamed, 'unnamed.hive.py'))).toBe(true)
})
