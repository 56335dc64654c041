/** Bound data-flow graphs on every engine. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  bindGraph,
  type DataFlowGraph,
  GraphError,
  type Lambda,
  type LambdaFunction,
  type Store,
} from '../src/index.ts'
import type { Engine } from './conformance.ts'
import { ENGINES } from './engines.ts'
import { text, textOf } from './values.ts'

const MODULE = new URL('./code/lambdas.ts', import.meta.url).href

/** A graph of two stages in pools of its own: `first` puts to two pools, in one of which `second` runs. */
const graphOf = (root: string): DataFlowGraph => ({
  id: 'two-stages',
  pools: [
    { pathname: `${root}/in`, persistence: 'transient' },
    { pathname: `${root}/middle`, persistence: 'transient' },
    { pathname: `${root}/kept`, persistence: 'persistent' },
    { pathname: `${root}/out` },
  ],
  graph: [
    {
      pathname: `${root}/in`,
      lambdas: [
        {
          id: 'first',
          hooks: 'trigger',
          destinations: [{ [`${root}/middle/a`]: 'trigger_put' }, { [`${root}/kept`]: 'put' }],
        },
      ],
    },
    {
      pathname: `${root}/middle/a`,
      lambdas: [{ id: 'second', stateful: true, config: '!', destinations: [{ [`${root}/out`]: 'put' }] }],
    },
  ],
})

const shout: LambdaFunction = ({ bytes }, { config }) =>
  text(
    Buffer.from(bytes ?? [])
      .toString()
      .toUpperCase() + (config ?? ''),
  )

describe.each(ENGINES)('data-flow graphs (%s)', (_, start) => {
  let engine: Engine
  let store: Store
  let roots = 0
  beforeAll(async () => {
    engine = await start()
    store = engine.store
  })
  afterAll(async () => {
    await store.close()
    await engine.stop()
  })
  const newRoot = () => `/graph-${++roots}`

  it('create their pools, and put what a lambda returns to its destinations under the same key', async () => {
    const root = newRoot()
    const bound = await bindGraph(store, graphOf(root), { first: shout, second: shout })
    await store.triggerPut(`${root}/in/x/1`, text('one'))
    await store.put(`${root}/in/x/2`, text('not a trigger put'))
    await bound.drained()
    expect(textOf(await store.get(`${root}/kept/x/1`))).toBe('ONE')
    expect(textOf(await store.get(`${root}/out/x/1`))).toBe('ONE!')
    expect(await store.listKeys(`${root}/kept`)).toEqual([`${root}/kept/x/1`])
    expect(await store.listKeys(`${root}/out`)).toEqual([`${root}/out/x/1`])
    expect((await store.getPool(`${root}/kept`))?.persistence).toBe('persistent')
    expect(await bound.statistics()).toEqual([
      { pathname: `${root}/in`, id: 'first', queued: 0, running: 0, done: 1, failed: 0, dropped: 0 },
      { pathname: `${root}/middle/a`, id: 'second', queued: 0, running: 0, done: 1, failed: 0, dropped: 0 },
    ])
    await bound.close()
    await store.triggerPut(`${root}/in/x/3`, text('later'))
    expect(await store.get(`${root}/kept/x/3`)).toBeNull()
  })

  it('take nothing, bytes, and several results with keys of their own', async () => {
    const root = newRoot()
    const returned: Record<string, unknown> = {
      nothing: undefined,
      bytes: Buffer.from('raw'),
      several: [{ ...text('a'), key: 'one' }, text('b'), { ...text('c'), key: 'x/two' }],
      none: [],
    }
    const first: LambdaFunction = ({ key }) => returned[key.slice(key.lastIndexOf('/') + 1)]
    const bound = await bindGraph(store, graphOf(root), { first, second: () => undefined })
    for (const each of Object.keys(returned)) await store.triggerPut(`${root}/in/${each}`, text(''))
    await bound.drained()
    const kept = await store.multiGet(`${root}/kept`)
    expect(
      Object.fromEntries([...kept.objects].map(([key, object]) => [key.slice(root.length), textOf(object)])),
    ).toEqual({
      '/kept/bytes': 'raw',
      '/kept/one': 'a',
      '/kept/several': 'b',
      '/kept/x/two': 'c',
    })
    expect(await store.listKeys(`${root}/out`)).toEqual([])
    await bound.close()
  })

  it('fail what cannot be put, and say why', async () => {
    const root = newRoot()
    const errors: string[] = []
    const bound = await bindGraph(
      store,
      graphOf(root),
      { first: ({ key }) => (key.endsWith('/number') ? 3 : { ...text(''), key: '' }), second: shout },
      {
        onError: ({ message }, { key }, { id }) => errors.push(`${id} ${key.slice(root.length)}: ${message}`),
      },
    )
    await store.triggerPut(`${root}/in/number`, text(''))
    await store.triggerPut(`${root}/in/key`, text(''))
    await bound.drained()
    expect(errors).toEqual([
      'first /in/number: The lambda has destinations, and returned number 3: return { type, bytes }, bytes, an array of these, or nothing.',
      expect.stringMatching(/^first \/in\/key: .*is not a path: it must not end with/),
    ])
    expect((await bound.statistics())[0]).toMatchObject({ done: 0, failed: 2 })
    await bound.close()
  })

  it.each(['worker', 'process'] as const)('run lambdas in a %s', async (isolation) => {
    const root = newRoot()
    const errors: string[] = []
    const lambda: Lambda = { module: MODULE, export: 'shout', isolation }
    const bound = await bindGraph(
      store,
      graphOf(root),
      { first: lambda, second: lambda },
      { onError: ({ message }) => errors.push(message) },
    )
    await store.triggerPut(`${root}/in/1`, text('one'))
    await store.triggerPut(`${root}/in/bad`, text('nonsense'))
    await bound.drained()
    expect(textOf(await store.get(`${root}/kept/1`))).toBe('ONE')
    expect(textOf(await store.get(`${root}/out/1`))).toBe('ONE!')
    expect(errors).toEqual([expect.stringMatching(/returned an object with nonsense: return/)])
    await bound.close()
  })

  it('are refused before anything is bound when code or pools are missing', async () => {
    const root = newRoot()
    const graph = graphOf(root)
    graph.pools?.pop()
    const attempt = bindGraph(store, graph, { first: shout })
    await expect(attempt).rejects.toThrow(GraphError)
    await expect(attempt).rejects.toMatchObject({
      problems: [
        "graph[1].lambdas[0] is 'second', of which there is no code: add it to the lambdas (first).",
        `graph[1].lambdas[0].destinations: '${root}/out' lies in no pool: create one, or name it in pools.`,
      ],
    })
    expect(await store.getPool(`${root}/in`)).toBeNull()
  })

  it('have each object handled by one of the processes that bind them, or by all', async () => {
    if (!store.isShared) return
    const root = newRoot()
    const other = await engine.another()
    for (const dispatcher of ['one', 'all'] as const) {
      const graph = graphOf(`${root}/${dispatcher}`)
      for (const vertex of graph.graph) vertex.dispatcher = dispatcher
      const seen: string[] = []
      const first: LambdaFunction = ({ key }) => void seen.push(key)
      const bound = await Promise.all(
        [store, other].map((each) => bindGraph(each, graph, { first, second: shout })),
      )
      for (let n = 0; n < 6; n++) await store.triggerPut(`${root}/${dispatcher}/in/${n}`, text(''))
      for (const each of bound) await each.drained()
      expect(seen).toHaveLength(dispatcher === 'one' ? 6 : 12)
      expect(new Set(seen).size).toBe(6)
      for (const each of bound) await each.close()
    }
    await other.close()
  })
})
