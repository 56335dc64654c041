/** `hivemind check`: what it finds, where, and what it mends. */
import { readFile, stat } from 'node:fs/promises'
import path from 'node:path'
import { fleetByName } from '@hivemind/swarm'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  exit,
  helloSwarm,
  hivemind,
  json,
  killRunning,
  scratchProject,
  small,
  type Write,
} from './command.ts'

let project: string
let write: Write
let remove: () => Promise<void>

beforeAll(async () => {
  ;({ project, write, remove } = await scratchProject())
})
afterAll(async () => {
  killRunning()
  await remove()
})

interface Diagnosis {
  diagnostics: {
    code: string
    severity: string
    from: number
    to: number
    line: number
    column: number
    message: string
    fixes: unknown[]
  }[]
}

it('says that a good workflow is good', async () => {
  const outcome = await hivemind('check', helloSwarm, '--json')
  expect(json<Diagnosis>(outcome)).toEqual({ diagnostics: [] })
})

it('lists what is wrong with place, sentence and fixes, and mends what is certain', async () => {
  const text = small.replace("childTask=['sum']", "childTask=['summ']")
  const file = await write('broken/broken.hive.py', text)
  const { diagnostics } = json<Diagnosis>(await hivemind('check', file, '--json'), exit.workflow)
  expect(diagnostics.length).toBeGreaterThan(0)
  for (const diagnostic of diagnostics) {
    expect(diagnostic).toMatchObject({
      code: expect.stringMatching(/^HM\d{3}$/),
      severity: expect.stringMatching(/^(error|warning|hint)$/),
      from: expect.any(Number),
      to: expect.any(Number),
      line: expect.any(Number),
      column: expect.any(Number),
      message: expect.stringMatching(/\w.*[.?]$/s),
      fixes: expect.any(Array),
    })
    const before = text.slice(0, diagnostic.from).split('\n')
    expect([diagnostic.line, diagnostic.column]).toEqual([before.length, (before.at(-1) ?? '').length + 1])
    expect(diagnostic.to).toBeGreaterThanOrEqual(diagnostic.from)
  }
  const plain = await hivemind('check', file)
  expect(plain.code).toBe(exit.workflow)
  expect(plain.stdout).toContain(`${file}:${diagnostics[0]?.line}:${diagnostics[0]?.column}: `)

  const fixed = await hivemind('check', file, '--fix')
  expect(fixed.stderr).toContain("fixed: Write 'sum'")
  expect(fixed.code).toBe(exit.fine)
  expect(await readFile(file, 'utf8')).toContain("childTask=['sum']")
})

it('leaves a file it has nothing to mend in as it is', async () => {
  const workflow = path.join(project, 'hello-swarm.hive.py')
  const before = await stat(workflow)
  expect((await hivemind('check', project, '--fix')).code).toBe(exit.fine)
  expect((await stat(workflow)).mtimeMs).toBe(before.mtimeMs)
})

it('knows the device classes of the own fleets beside the workflow', async () => {
  const file = await write('subs/subs.hive.py', `${small}Place(sense, 'Edge:submarine')\n`)
  await write('subs/tasks/sense.mjs', 'export default () => 1\n')
  await write('subs/tasks/sum.mjs', 'export default () => 1\n')
  const codes = async (expected: number) => {
    const { diagnostics } = json<Diagnosis>(await hivemind('check', file, '--json'), expected)
    return diagnostics.map(({ code }) => code)
  }
  expect(await codes(exit.workflow)).toContain('HM604')
  const drones = fleetByName('paper-drones')
  const [group] = drones?.devices ?? []
  if (!drones || !group) throw new Error('There is no fleet.')
  const devices = [{ ...group, class: { ...group.class, name: 'submarine' } }]
  await write('subs/sea.fleet.json', JSON.stringify({ ...drones, name: 'sea', devices }))
  expect(await codes(exit.fine)).not.toContain('HM604')
})
