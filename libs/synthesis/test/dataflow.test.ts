/** The data-flow graph of a placement, and what it does in a store. */
import { mkdtemp, rm } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import {
  bindGraph,
  type DataFlowGraph,
  type LambdaFunction,
  openEmbeddedStore,
  openRedisStore,
  parseGraph,
  type Store,
} from '@hivemind/store'
import type { Task, Workflow } from '@hivemind/workflow'
import { describe, expect, it } from 'vitest'
import { startRedis } from '../../store/test/redis-servers.ts'
import { synthesise } from '../src/index.ts'
import { filesOf, fromEdges, task, workflowOf } from './fixtures.ts'

/** The graph that synthesis emits, read back from its file. */
function graphOf(workflow: Workflow): DataFlowGraph {
  const placement = Object.fromEntries(workflow.tasks.map(({ name }) => [name, 'cloud' as const]))
  const { artefacts } = synthesise({ name: 'small', workflow, placement, files: filesOf(workflow) })
  return parseGraph(artefacts.find((artefact) => artefact.path === 'dataflow.json')?.text ?? '')
}

/** The tasks of `fromEdges` behind an input, `in`, which the first one reads. */
const behindInput = (
  workflow: Workflow,
  change: (task: Task, index: number) => Partial<Task> = () => ({}),
): Workflow => ({
  ...workflow,
  tasks: workflow.tasks.map((one, index) => ({
    ...one,
    ...(index === 0 && { dataIn: ['in'] }),
    ...change(one, index),
  })),
})

/** 0 to 1 and 2, both to 3: what 3 writes is the result, and what 0 writes is under `Persist`. */
const diamond = behindInput(
  fromEdges(4, [
    [0, 1],
    [0, 2],
    [1, 3],
    [2, 3],
  ]),
  (_, index) => ({
    ...(index === 0 && { directives: { persist: true } }),
    ...(index === 3 && { dataOut: 'result' }),
  }),
)

describe('the data-flow graph of a workflow', () => {
  it('has a pool for each edge: persistent, to be read again, or passing', () => {
    const chain = graphOf(
      behindInput(
        fromEdges(3, [
          [0, 1],
          [1, 2],
        ]),
      ),
    )
    expect(chain.pools).toEqual([
      { pathname: '/small/in', persistence: 'transient' },
      { pathname: '/small/t0Out', persistence: 'transient' },
      { pathname: '/small/t1Out', persistence: 'transient' },
    ])
    expect(graphOf(diamond).pools).toEqual([
      { pathname: '/small/in', persistence: 'transient' },
      { pathname: '/small/t0Out', persistence: 'persistent' },
      { pathname: '/small/t1Out', persistence: 'volatile' },
      { pathname: '/small/t2Out', persistence: 'volatile' },
      { pathname: '/small/result', persistence: 'volatile' },
    ])
  })

  it('has a lambda for each input of a task, with what the plan says of it', () => {
    const { graph } = graphOf(diamond)
    expect(graph.map(({ pathname, lambdas }) => [pathname, lambdas.map(({ id }) => id)])).toEqual([
      ['/small/in', ['t0']],
      ['/small/t0Out', ['t1', 't2']],
      ['/small/t1Out', ['t3']],
      ['/small/t2Out', ['t3']],
    ])
    expect(graph[0]?.lambdas[0]).toMatchObject({
      stateful: false,
      timeoutMs: 60_000,
      config: { task: 't0', tier: 'cloud', code: 'tasks/t0.mjs', inputs: ['/small/in'] },
      destinations: [{ '/small/t0Out': 'put' }],
    })
    expect(graph[2]?.lambdas[0]?.config).toMatchObject({ inputs: ['/small/t1Out', '/small/t2Out'] })
  })

  it('starts tasks that read nothing, hands on ends without data, and keeps keyed state in order', () => {
    const { pools, graph } = graphOf(
      workflowOf([
        task('a', { children: ['b'], args: { role: 'compute' } }),
        task('b', { parents: ['a'], args: { state: 'device' }, dataOut: 'end' }),
      ]),
    )
    expect(pools?.map(({ pathname }) => pathname)).toEqual(['/small/.start', '/small/.after-a', '/small/end'])
    expect(graph.map(({ pathname, lambdas }) => [pathname, lambdas[0]?.stateful])).toEqual([
      ['/small/.start', false],
      ['/small/.after-a', true],
    ])
  })
})

/** What each task does: it writes its name behind what it has read; `t3` waits for both of its inputs. */
const lambda: LambdaFunction = async ({ key, bytes }, { store, config }) => {
  const { task, inputs } = config as { task: string; inputs: string[] }
  const path = inputs.find((input) => key.startsWith(`${input}/`)) ?? ''
  const texts: string[] = []
  for (const input of inputs) {
    const read = input === path ? bytes : (await store.get(input + key.slice(path.length)))?.bytes
    if (!read) return undefined
    texts.push(`${Buffer.from(read)} ${task}`)
  }
  return { type: 'text/plain', bytes: Buffer.from(texts.join(' + ')) }
}

describe.each<[string, () => Promise<{ store: Store; stop: () => Promise<void> }>]>([
  [
    'embedded',
    async () => {
      const folder = await mkdtemp(path.join(os.tmpdir(), 'hivemind-dataflow-'))
      return {
        store: await openEmbeddedStore({ folder }),
        stop: () => rm(folder, { recursive: true, force: true }),
      }
    },
  ],
  [
    'one Redis',
    async () => {
      const { url, stop } = await startRedis()
      return { store: await openRedisStore({ url }), stop }
    },
  ],
])('an emitted graph (%s)', (_, start) => {
  it('carries objects from the input to the result', async () => {
    const { store, stop } = await start()
    const failures: string[] = []
    const bound = await bindGraph(
      store,
      graphOf(diamond),
      Object.fromEntries(diamond.tasks.map(({ name }) => [name, lambda])),
      { onError: ({ message }) => failures.push(message) },
    )
    for (const item of ['1', '2', '3'])
      await store.triggerPut(`/small/in/device-1/${item}`, { type: 'text/plain', bytes: Buffer.from(item) })
    await bound.drained()
    expect(failures).toEqual([])
    const results = await store.multiGet('/small/result')
    expect(
      Object.fromEntries(
        [...results.objects].map(([key, { bytes }]) => [key, Buffer.from(bytes).toString()]),
      ),
    ).toEqual({
      '/small/result/device-1/1': '1 t0 t1 t3 + 1 t0 t2 t3',
      '/small/result/device-1/2': '2 t0 t1 t3 + 2 t0 t2 t3',
      '/small/result/device-1/3': '3 t0 t1 t3 + 3 t0 t2 t3',
    })
    expect(await store.listKeys('/small/t0Out')).toHaveLength(3)
    await bound.close()
    await store.close()
    await stop()
  })
})
