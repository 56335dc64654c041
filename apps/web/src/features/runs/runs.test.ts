import { check } from '@hivemind/dsl'
import { SpanStatistics } from '@hivemind/orchestrator'
import { describe, expect, test } from 'vitest'
import type { Placement, Span, Tier } from '../../api/types.ts'
import { type ComparedRun, compareRuns, sampleOf, verdictOf } from './comparison.ts'
import { filterOf, withFilter } from './filter.ts'
import { sentencesOf } from './sentences.ts'

const { workflow } = check(`TaskGraph(list=['sense', 'judge', 'sort', 'report'])
Data(readings, kind='stream')
Data(verdicts, kind='object')
Data(sorted, kind='object')
Data(out, kind='object')
Task(sense, None, readings, 'sense.mjs', parentTask=None, childTask=['judge'])
Task(judge, readings, verdicts, 'judge.mjs', parentTask=['sense'], childTask=['sort'])
Task(sort, verdicts, sorted, 'sort.mjs', parentTask=['judge'], childTask=['report'])
Task(report, sorted, out, 'report.mjs', parentTask=['sort'], childTask=[])
Synchronize(report, 'all')
`)

/** An item that is ready at `at`, and done by a task in `network` + `execution` ms. */
const span = (
  task: string,
  seq: number,
  at: number,
  network: number,
  execution: number,
  tier: Tier = 'cloud',
): Span => ({
  task,
  device: 'device-1',
  seq,
  tier,
  worker: task,
  queuedAt: at,
  startedAt: at + network,
  endedAt: at + network + execution,
  breakdown: { network, management: 0, dataExchange: 0, execution },
  bytesIn: 10,
  bytesOut: 5,
  items: 1,
  status: 'ok',
  attempt: 1,
})

/** A run of `count` items, each judged in `network` + 5 ms and sorted in `sorting` ms, with `jitter` ms on every other. */
function run(
  { count = 8, network = 1, sorting = 2, jitter = 0.2, failed = 0 },
  placement: Placement = { sense: 'edge', judge: 'cloud', sort: 'cloud', report: 'cloud' },
): ComparedRun {
  if (!workflow) throw new Error('The workflow of the test has errors.')
  const spans = Array.from({ length: count }, (_, seq) => {
    const at = 1_000 + seq * 100
    const judged = network + (seq % 2) * jitter
    return [span('judge', seq, at, judged, 5), span('sort', seq, at + judged + 5, 0, sorting)]
  }).flat()
  const stream = { ...span('sense', 0, 900, 0, 100 * count, 'edge'), items: count }
  const broken = Array.from({ length: failed }, (_, seq) => ({
    ...span('judge', count + seq, 5_000, 1, 1),
    status: 'failed' as const,
  }))
  const all = [stream, ...spans, ...broken]
  const statistics = new SpanStatistics()
  for (const one of all) statistics.add(one)
  return {
    result: { state: 'succeeded', startedAt: 900, endedAt: 6_000, outputs: [], tasks: [], losses: [] },
    workflow,
    placement,
    statistics: statistics.tasks(),
    spans: all,
  }
}
const told = (first: ComparedRun, second: ComparedRun) => sentencesOf(compareRuns(first, second))

describe('two runs', () => {
  test('the slower one, the task and the part that make it so, in a sentence', () => {
    const [sentence, ...others] = told(run({}), run({ network: 4 }))
    expect(sentence).toBe(
      'The second run is 37% slower end to end (11.1 ms an item instead of 8.1 ms); most of it is judge, 3 ms more, mostly network.',
    )
    expect(others).toEqual([])
    expect(told(run({ network: 4 }), run({}))[0]).toBe(
      'The second run is 27% faster end to end (8.1 ms an item instead of 11.1 ms); most of it is judge, 3 ms less, mostly network.',
    )
  })

  test('what pulls the other way is no cause', () => {
    const comparison = compareRuns(run({ sorting: 20 }), run({ network: 30, sorting: 2 }))
    expect(comparison.tasks.map(({ task, verdict }) => [task, verdict])).toEqual([
      ['sense', 'few'],
      ['judge', 'slower'],
      ['sort', 'faster'],
    ])
    expect(sentencesOf(comparison)[0]).toContain('most of it is judge, 29 ms more')
  })

  test('a sensor that takes longer for more items is no cause', () => {
    const { tasks } = compareRuns(run({}), run({ count: 30 }))
    expect(tasks.map(({ task, isOfItem }) => [task, isOfItem])).toEqual([
      ['sense', false],
      ['judge', true],
      ['sort', true],
    ])
    expect(tasks[0]?.second?.p50Ms).toBeGreaterThan(2_000)
  })

  test('a difference below the spread of either is noise, and few items say nothing', () => {
    expect(told(run({ jitter: 3 }), run({ jitter: 3, network: 3 }))[0]).toBe(
      'Within the noise: an item takes 9.5 ms end to end in the first run and 11.5 ms in the second, and the middle half of the items of one run spreads over 3 ms.',
    )
    expect(told(run({ count: 4 }), run({ network: 400 }))[0]).toBe(
      'Too few items to compare: 4 in the first run and 8 in the second; 5 of each are needed.',
    )
  })

  test('moved tasks and failures are said', () => {
    const moved: Placement = { sense: 'edge', judge: 'edge', sort: 'cloud', report: 'cloud' }
    const comparison = compareRuns(run({}), run({ failed: 2 }, moved))
    expect(comparison.moved).toEqual([{ task: 'judge', from: 'cloud', to: 'edge' }])
    expect(sentencesOf(comparison).slice(1)).toEqual([
      'Moved to another tier: judge from Cloud to Edge.',
      'Failed invocations: 0 in the first run, 2 in the second.',
    ])
  })

  test('the rule: five times of each, and the greater interquartile spread', () => {
    const of = (...times: number[]) => sampleOf(times)
    expect(of(5, 1, 2, 4, 3)).toMatchObject({ count: 5, p50Ms: 3, spreadMs: 2 })
    expect(of().p50Ms).toBeNaN()
    expect(verdictOf(of(1, 1, 1, 1), of(9, 9, 9, 9, 9))).toBe('few')
    expect(verdictOf(of(1, 1, 1, 1, 1), of(1, 1, 1, 1, 1))).toBe('noise')
    expect(verdictOf(of(1, 2, 3, 4, 5), of(5, 5, 5, 5, 5))).toBe('noise')
    expect(verdictOf(of(1, 2, 3, 4, 5), of(6, 6, 6, 6, 6))).toBe('slower')
    expect(verdictOf(of(6, 6, 6, 6, 6), of(1, 2, 3, 4, 5))).toBe('faster')
  })
})

test('the filter is read from the URL, and what is none is ignored', () => {
  const filter = (query: string) => filterOf(new URLSearchParams(query))
  expect(filter('state=failed&version=3&text=broker&other=1')).toEqual({
    state: 'failed',
    version: 3,
    text: 'broker',
  })
  expect(filter('state=odd&version=two&text=')).toEqual({})
  expect(filter(`version=0&text=${'a'.repeat(300)}`)).toEqual({ text: 'a'.repeat(200) })
  const search = withFilter(new URLSearchParams('state=failed&other=1'), 'version', '2')
  expect(search.toString()).toBe('state=failed&other=1&version=2')
  expect(withFilter(search, 'state', '').toString()).toBe('other=1&version=2')
})
