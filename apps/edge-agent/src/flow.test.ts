import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { NodeRedNode } from '@hivemind/synthesis'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FlowHost } from './flow.ts'
import type { FlowMessage } from './messages.ts'

const dir = mkdtempSync(path.join(tmpdir(), 'hivemind-flow-'))
const arrived: string[] = []
const lines: string[] = []
let flow: FlowHost

beforeAll(async () => {
  flow = await FlowHost.start(
    dir,
    (deployment, task, { payload }) => arrived.push(`${deployment} ${task} ${payload}`),
    (text) => lines.push(text),
  )
})
afterAll(() => rmSync(dir, { recursive: true, force: true }))

const message = (payload: string): FlowMessage => ({ topic: 't', payload })
const task = (id: string, ...wires: string[]): NodeRedNode => ({
  id,
  type: 'hivemind-task',
  z: 'tab',
  task: id,
  wires: [wires],
})
const tab: NodeRedNode = { id: 'tab', type: 'tab' }
const arrives = async (count: number): Promise<string[]> => {
  const from = Date.now()
  while (arrived.length < count && Date.now() - from < 10_000)
    await new Promise((resolve) => setTimeout(resolve, 5))
  // what should not come has the time to
  await new Promise((resolve) => setTimeout(resolve, 50))
  return arrived.splice(0).sort()
}

test('starts in an empty folder without a word', () => {
  expect(lines).toEqual([])
})

test('messages go along the wires of their own deployment, also when several have the same ids', async () => {
  await flow.load('one', [tab, task('a', 'b'), task('b')])
  await flow.load('two', [tab, task('a', 'b', 'c'), task('b'), task('c')])
  flow.send('one', 'a', message('x'))
  flow.send('two', 'a', message('y'))
  expect(await arrives(3)).toEqual(['one b x', 'two b y', 'two c y'])
})

test('a flow is loaded in place of the former one; a wrong one leaves it as it was', async () => {
  await flow.load('one', [tab, task('a', 'c'), task('c')])
  await expect(flow.load('one', [tab, task('a'), { id: 'f', type: 'function' }])).rejects.toThrow(
    'Its flow has nodes that this agent does not have: function.',
  )
  flow.send('one', 'a', message('z'))
  flow.send('two', 'a', message('y'))
  expect(await arrives(3)).toEqual(['one c z', 'two b y', 'two c y'])
  expect(() => flow.send('one', 'b', message('x'))).toThrow("The flow has no node for the task 'b'.")
})

test('the flow of a deployment is removed without touching others', async () => {
  await flow.unload('one')
  expect(() => flow.send('one', 'a', message('x'))).toThrow()
  flow.send('two', 'a', message('y'))
  expect(await arrives(2)).toEqual(['two b y', 'two c y'])
})
