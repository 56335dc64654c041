/** `hivemind store graph`: a data-flow graph, checked and run. */
import { openEmbeddedStore } from '@hivemind/store'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startRedis } from '../../../libs/store/test/redis-servers.ts'
import { exit, hivemind, json, killRunning, scratchProject, start } from './command.ts'

let scratch: Awaited<ReturnType<typeof scratchProject>>
let file: string
let lambdas: string
beforeAll(async () => {
  scratch = await scratchProject()
  file = await scratch.write('graph.json', JSON.stringify(graph))
  const code = await scratch.write(
    'lambdas/louder.mjs',
    `export default ({ bytes }) => {
  const text = Buffer.from(bytes).toString()
  if (text === 'no') throw new Error('not this one')
  return { type: 'text/plain', bytes: Buffer.from(text + '!') }
}`,
  )
  lambdas = code.slice(0, code.lastIndexOf('/'))
})
afterAll(async () => {
  killRunning()
  await scratch.remove()
})

const graph = {
  id: 'loud',
  pools: [
    { pathname: '/loud/in', persistence: 'transient' },
    { pathname: '/loud/out', persistence: 'persistent' },
  ],
  graph: [{ pathname: '/loud/in', lambdas: [{ id: 'louder', destinations: [{ '/loud/out': 'put' }] }] }],
}

it('says what is wrong with a graph, and where', async () => {
  expect((await hivemind('store', 'graph', 'check', file)).stderr).toContain('is fine: 1 lambdas at 1 paths.')
  const wrong = await scratch.write(
    'wrong.json',
    JSON.stringify({ ...graph, graph: [{ pathname: 'in', lambdas: [{}] }] }),
  )
  const told = await hivemind('store', 'graph', 'check', wrong, '--json')
  expect(told.code).toBe(exit.workflow)
  expect(JSON.parse(told.stdout)).toEqual({
    ok: false,
    problems: [
      expect.stringContaining('graph[0].pathname is no path'),
      'graph[0].lambdas[0].id is missing: add it.',
    ],
  })
})

it('runs a graph with the code of a folder over an input', { timeout: 120_000 }, async () => {
  const input = await scratch.write(
    'in.jsonl',
    '{"key": "/loud/in/1", "text": "hello"}\n{"key": "/loud/in/2", "bytes": "bm8="}\n',
  )
  const folder = `${scratch.folder}/data`
  const outcome = await hivemind(
    ...['store', 'graph', 'run', file, '--lambdas', lambdas, '--folder', folder, '--input', input, '--json'],
  )
  expect(json(outcome)).toEqual([
    { pathname: '/loud/in', id: 'louder', queued: 0, running: 0, done: 1, failed: 1, dropped: 0 },
  ])
  expect(outcome.stderr).toContain('louder failed for /loud/in/2: not this one')
  const store = await openEmbeddedStore({ folder })
  expect(Buffer.from((await store.get('/loud/out/1'))?.bytes ?? []).toString()).toBe('hello!')
  await store.close()
})

it('serves a shared store until it is interrupted', { timeout: 120_000 }, async () => {
  const redis = await startRedis()
  const where = ['--lambdas', lambdas, '--redis', redis.url]
  const serving = start(['store', 'graph', 'run', file, ...where])
  await expect.poll(serving.said, { timeout: 60_000 }).toContain('is bound')
  const input = await scratch.write('one.jsonl', '{"key": "/loud/in/1", "text": "hi"}\n')
  // Another member of the same groups, which ends when they have nothing left.
  const { code } = await hivemind('store', 'graph', 'run', file, ...where, '--input', input)
  expect(code).toBe(exit.fine)
  serving.kill('SIGINT')
  expect((await serving.outcome).stderr).not.toMatch(/^\s+at /m)
  await redis.stop()
})

it.each([
  [['--lambdas', 'nowhere', '--folder', 'x'], "--lambdas is 'nowhere', which is no folder"],
  [['--lambdas', 'docs', '--folder', 'x'], "docs has no code of the lambda 'louder': add louder.mjs"],
])('refuses %j', async (options, sentence) => {
  const { code, stderr } = await hivemind('store', 'graph', 'run', file, ...options)
  expect(code).toBe(exit.usage)
  expect(stderr).toContain(sentence)
})

it('refuses no store, and two', async () => {
  const { code, stderr } = await hivemind('store', 'graph', 'run', file, '--lambdas', lambdas)
  expect(code).toBe(exit.usage)
  expect(stderr).toContain('Name one store')
})
