/** The file of a data-flow graph: what is read, and what is said of faults. */
import { describe, expect, it } from 'vitest'
import { checkGraph, type DataFlowGraph, GraphError, parseGraph } from '../src/index.ts'

const graph: DataFlowGraph = {
  id: 'farm',
  desc: 'From pictures to alarms.',
  pools: [{ pathname: '/farm', persistence: 'persistent', retention: { versions: 3 } }],
  graph: [
    {
      pathname: '/farm/pictures',
      dispatcher: 'all',
      lambdas: [
        {
          id: 'detect',
          stateful: true,
          hooks: 'trigger',
          config: { size: 2 },
          concurrency: 2,
          timeoutMs: 100,
        },
        { id: 'count', destinations: [{ '/farm/counts': 'put' }, { '/farm/alarms': 'trigger_put' }] },
      ],
    },
    { pathname: '/farm/alarms', lambdas: [] },
  ],
}

/** Where a value of the graph is, and what it becomes; removed when undefined. */
type Edit = [place: string, value: unknown]

/** What is said of the graph with some edits. */
const problemsOf = (...edits: Edit[]): readonly string[] => {
  const copy: unknown = structuredClone(graph)
  for (const [place, value] of edits) {
    const fields = place.split('.')
    const last = fields.pop() as string
    const parent = fields.reduce((at, field) => (at as Record<string, unknown>)[field], copy)
    Object.assign(parent as object, { [last]: value })
    if (value === undefined) delete (parent as Record<string, unknown>)[last]
  }
  try {
    checkGraph(copy)
  } catch (error) {
    expect(error).toBeInstanceOf(GraphError)
    return (error as GraphError).problems
  }
  return []
}

describe('the file of a data-flow graph', () => {
  it('is read as it is written', () => {
    expect(parseGraph(JSON.stringify(graph))).toEqual(graph)
  })

  it('must be JSON', () => {
    expect(() => parseGraph('{ "id": "farm", }', 'farm.json')).toThrow(
      /^farm\.json .*\n- It is not JSON: .*position 16/,
    )
  })

  it.each<[string, Edit, string | RegExp]>([
    ['no id', ['id', undefined], 'id is missing: add it.'],
    [
      'a wrong id',
      ['id', 'a b'],
      'id is "a b": give 1 to 100 letters, digits, points, dashes or underscores.',
    ],
    ['no graph', ['graph', undefined], 'graph is missing: add it.'],
    ['a graph that is no list', ['graph', {}], 'graph is {}: give a list [ ... ].'],
    ['a vertex that is none', ['graph.1', 'x'], 'graph[1] is "x": give an object { ... }.'],
    [
      'a misspelt field',
      ['graph.0.lambdas.0.hook', 'both'],
      /^graph\[0\]\.lambdas\[0\]\.hook is unknown: remove it, or use one of id, stateful, hooks,/,
    ],
    [
      'a path that is none',
      ['graph.1.pathname', 'farm'],
      /^graph\[1\]\.pathname is no path: .*must begin with '\/'/,
    ],
    [
      'an unknown hook',
      ['graph.0.lambdas.0.hooks', 'get'],
      'graph[0].lambdas[0].hooks is "get": use trigger or ordered or both.',
    ],
    ['an unknown dispatcher', ['graph.0.dispatcher', 'two'], 'graph[0].dispatcher is "two": use one or all.'],
    [
      'stateful that is no boolean',
      ['graph.0.lambdas.0.stateful', 1],
      'graph[0].lambdas[0].stateful is 1: use true or false.',
    ],
    [
      'a number out of range',
      ['graph.0.lambdas.0.concurrency', 0],
      'graph[0].lambdas[0].concurrency is 0: give a whole number from 1 to 1024.',
    ],
    [
      'an unknown dispatch',
      ['graph.0.lambdas.1.dispatch', 'some'],
      /dispatch is "some": use any or first or last or/,
    ],
    [
      'a stateful lambda whose keys are spread',
      ['graph.0.lambdas.0.dispatch', 'random'],
      'graph[0].lambdas[0].dispatch is random, which spreads the objects of one key, and the lambda is stateful: use key or home.',
    ],
    [
      'a core that is none',
      ['graph.0.lambdas.0.cores', [0, -1]],
      'graph[0].lambdas[0].cores[1] is -1: give a whole number from 0 to 65535.',
    ],
    [
      'a lambda twice',
      ['graph.0.lambdas.1.id', 'detect'],
      /^graph\[0\]\.lambdas\[1\]\.id is 'detect' for the second time/,
    ],
    [
      'a destination with an unknown verb',
      ['graph.0.lambdas.1.destinations', [{ '/farm/x': 'get' }]],
      'graph[0].lambdas[1].destinations[0]["/farm/x"] is "get": use put or trigger_put.',
    ],
    [
      'a destination that is no path',
      ['graph.0.lambdas.1.destinations', [{ x: 'put' }]],
      /^The destination graph\[0\]\.lambdas\[1\]\.destinations\[0\]\.x is no path/,
    ],
    [
      'a pool with a wrong option',
      ['pools.0.persistence', 'forever'],
      /^pools\[0\] cannot be a pool: .*persistence 'forever' is unknown/,
    ],
    [
      'a pool in a pool',
      ['pools.1', { pathname: '/farm/x' }],
      /^pools\[1\]\.pathname is '\/farm\/x', which lies in '\/farm' of pools\[0\]/,
    ],
    [
      'a path twice',
      ['graph.2', { pathname: '/farm/pictures', lambdas: [] }],
      /^graph\[2\]\.pathname is '\/farm\/pictures', as that of graph\[0\]/,
    ],
  ])('refuses %s, and says where', (_, edit, sentence) => {
    const problems = problemsOf(edit)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toEqual(sentence instanceof RegExp ? expect.stringMatching(sentence) : sentence)
  })

  it('has all its faults in one answer', () => {
    expect(problemsOf(['id', ''], ['graph', [{ lambdas: 3 }]])).toHaveLength(3)
  })

  it('has no circles, where what is returned runs the lambda again', () => {
    const back = (hooks: string, by: string) =>
      problemsOf(
        ['graph.1.lambdas', [{ id: 'back', destinations: [{ '/farm/pictures/again': by }] }]],
        ['graph.0.lambdas.0.hooks', hooks],
        ['graph.0.lambdas.1.hooks', hooks],
      )
    expect(back('ordered', 'trigger_put')).toEqual([])
    expect(back('trigger', 'put')).toEqual([])
    expect(back('ordered', 'put')).toEqual([
      expect.stringMatching(
        /^graph goes in a circle, \/farm\/pictures -> \/farm\/alarms -> \/farm\/pictures: /,
      ),
    ])
    expect(problemsOf(['graph.0.lambdas.1.destinations', [{ '/farm': 'put' }]])).toHaveLength(1)
  })
})
