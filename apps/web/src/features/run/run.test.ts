import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { DeploymentRecord, RunDetail, RunEvent, Span, TaskState } from '../../api/types.ts'
import { bytesOf, imageType } from '../reports/bytes.ts'
import { agentsText } from './agents.ts'
import { failures, placesIn } from './failures.ts'
import { headlines, parseInputs, words } from './outputs.ts'
import { LiveRun, MAX_SPANS, type RunView } from './runState.ts'
import { sandboxSentence } from './sandbox.ts'
import { timeline } from './spans.ts'
import { staleness } from './staleness.ts'

const task = (done: number, state: TaskState['state'] = 'running'): TaskState => ({
  task: 'detect',
  tier: 'edge',
  state,
  started: done + (state === 'running' ? 1 : 0),
  done,
  failed: 0,
})
const span = (seq: number, startedAt: number, endedAt: number, more: Partial<Span> = {}): Span => ({
  task: 'detect',
  device: 'device-1',
  seq,
  tier: 'edge',
  worker: 'agent-1',
  queuedAt: startedAt - 1,
  startedAt,
  endedAt,
  breakdown: { network: 0, management: 1, dataExchange: 0, execution: endedAt - startedAt },
  bytesIn: 10,
  bytesOut: 20,
  items: 1,
  status: 'ok',
  attempt: 1,
  ...more,
})
const run: RunDetail = {
  id: 'r',
  project: 'p',
  deployment: 'd',
  request: { inputs: {} },
  state: 'starting',
  message: '',
  createdAt: '2026-11-21T00:00:00Z',
  result: { state: 'starting', startedAt: 0, endedAt: 0, outputs: [], tasks: [], losses: [] },
  outputCount: 0,
  logs: [],
  devices: [],
  statistics: [],
  spanCount: 0,
  lastEvent: 100,
}
const events: RunEvent[] = [
  { type: 'state', at: 1, state: 'starting' },
  { type: 'state', at: 2, state: 'running' },
  { type: 'task', at: 3, task: task(0) },
  { type: 'log', at: 3, line: { at: 3, level: 'info', source: 'detect', text: 'hello' } },
  { type: 'span', at: 4, span: span(0, 3, 4) },
  { type: 'task', at: 4, task: task(1) },
  { type: 'device', at: 5, device: 'device-2', state: 'lost', message: 'No heartbeat.' },
  { type: 'output', at: 6, output: { task: 'dedup', data: 'people', device: '*', seq: 0, value: { n: 2 } } },
  { type: 'task', at: 7, task: task(2, 'done') },
  { type: 'state', at: 8, state: 'succeeded', message: 'Done.' },
]
/** Ids go on from the last that the loaded run contains. */
const numbered = events.map((event, index) => ({ id: 101 + index, event }))
const plain = (view: RunView) => ({ ...view, tasks: [...view.tasks] })
const folded = (loaded: RunDetail, ...batches: (typeof numbered)[]): LiveRun => {
  const live = new LiveRun(loaded)
  for (const batch of batches) for (const { id, event } of batch) live.apply(id, event)
  return live
}

describe('folding run events', () => {
  test('tells the whole story', () => {
    const view = folded(run, numbered).view()
    expect(view).toMatchObject({ state: 'succeeded', message: 'Done.', startedAt: 1, endedAt: 8 })
    expect(view.tasks.get('detect')).toEqual(task(2, 'done'))
    expect([view.logs.length, view.spans.length, view.outputs.length, view.devices.length]).toEqual([
      1, 1, 1, 1,
    ])
    expect(view.losses).toEqual(['No heartbeat.'])
  })
  test('is the same however the events are cut into batches or repeated', () => {
    const whole = plain(folded(run, numbered).view())
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: events.length }),
        fc.integer({ min: 0, max: events.length }),
        (cut, back) => {
          const live = folded(run, numbered.slice(0, cut), numbered.slice(Math.max(0, cut - back)))
          expect(plain(live.view())).toEqual(whole)
        },
      ),
    )
  })
  test('a late joiner who loads first and hears old events again sees no change', () => {
    const loaded: RunDetail = {
      ...run,
      state: 'succeeded',
      message: 'Done.',
      result: { ...run.result, state: 'succeeded', startedAt: 2, endedAt: 8, tasks: [task(2, 'done')] },
      lastEvent: 200,
    }
    const live = new LiveRun(loaded)
    live.addSpans([span(0, 3, 4)])
    const before = plain(live.view())
    for (const { id, event } of numbered) live.apply(id, event)
    live.addSpans([span(0, 3, 4)])
    expect(plain(live.view())).toEqual(before)
    expect(before.tasks).toEqual([['detect', task(2, 'done')]])
  })
  test('a device that was lost and came back is no loss', () => {
    const back = { type: 'device', at: 6, device: 'device-2', state: 'respawned', message: 'Back.' } as const
    const live = folded(run, [...numbered, { id: 199, event: back }])
    expect(live.view().losses).toEqual([])
    expect(live.view().devices).toHaveLength(2)
  })
  test('keeps a bounded number of spans, and figures that count all of them', () => {
    const live = new LiveRun(run)
    live.addSpans(Array.from({ length: MAX_SPANS + 5 }, (_, seq) => span(seq, seq, seq + 1)))
    const statistics = [
      {
        task: 'detect',
        tier: 'edge' as const,
        invocations: MAX_SPANS + 5,
        failed: 0,
        missed: 0,
        p50Ms: 1,
        p90Ms: 1,
        p99Ms: 1,
        breakdown: { network: 0, management: 0, dataExchange: 0, execution: 1 },
        bytesIn: 0,
        bytesOut: 0,
      },
    ]
    live.setFigures({ statistics, spanCount: MAX_SPANS + 5 })
    live.setFigures({ statistics: [], spanCount: 3 })
    expect(live.view().spans).toHaveLength(MAX_SPANS)
    expect(live.view()).toMatchObject({ spanCount: MAX_SPANS + 5, statistics })
  })
})

describe('measured spans', () => {
  test('the timeline puts overlapping spans of one worker in rows, edge before cloud', () => {
    const line = timeline([
      span(0, 0, 10, { worker: 'w', tier: 'cloud' }),
      span(1, 5, 15, { worker: 'w', tier: 'cloud' }),
      span(2, 10, 20, { worker: 'w', tier: 'cloud' }),
      span(0, 0, 10, { worker: 'agent-10' }),
      span(0, 0, 10, { worker: 'agent-2' }),
    ])
    expect(line.lanes.map((lane) => [lane.worker, lane.rows])).toEqual([
      ['agent-2', 1],
      ['agent-10', 1],
      ['w', 2],
    ])
    expect(line).toMatchObject({ from: -1, to: 20, hidden: 0 })
  })
  test('draws a bounded number: failed ones and the longest', () => {
    const many = Array.from({ length: 50 }, (_, n) => span(n, n * 100, n * 100 + n))
    const line = timeline([...many, span(99, 0, 0, { status: 'failed' })], 10)
    expect(line.hidden).toBe(41)
    const drawn = line.lanes.flatMap((lane) => lane.bars.map((bar) => bar.span.seq))
    expect(drawn).toContain(99)
    expect(drawn).toContain(49)
    expect(drawn).not.toContain(0)
  })
})

describe('outputs', () => {
  const output = (value: unknown, device = '*', seq = 0) => ({
    task: 'dedup',
    data: 'people',
    device,
    seq,
    value,
  })
  test('the count of unique people is the headline', () => {
    expect(headlines([output({ uniquePeople: 24, clusters: [1] })], ['dedup'])).toEqual([
      { task: 'dedup', data: 'people', label: 'Unique people', value: '24' },
    ])
  })
  test('of a stream the last item counts, of several devices the first', () => {
    const outputs = [output(1, 'device-1', 0), output(5, 'device-1', 3), output(9, 'device-2', 9)]
    expect(headlines(outputs, ['dedup'])[0]?.value).toBe('5')
  })
  test('what has no figure has no headline', () => {
    expect(
      headlines(
        [output([1, 2]), output(null), output({ $bytes: 'AAAA' }), output({ frame: 'a' })],
        ['dedup'],
      ),
    ).toEqual([])
  })
  test('bytes and images are told apart', () => {
    expect(bytesOf({ $bytes: 'iVBORw0KGgoAAA', $truncated: true })).toEqual({
      base64: 'iVBORw0KGgoAAA',
      truncated: true,
    })
    expect(imageType('iVBORw0KGgoAAA')).toBe('image/png')
    expect(imageType('AAAA')).toBeUndefined()
    expect(bytesOf([1])).toBeUndefined()
  })
  test('names become words', () => {
    expect(words('uniquePeople')).toBe('Unique people')
    expect(words('face_count')).toBe('Face count')
  })
  test('inputs must be one JSON object', () => {
    expect(parseInputs(' ')).toEqual({ value: {} })
    expect(parseInputs('{"a":1}')).toEqual({ value: { a: 1 } })
    expect(parseInputs('[1]')).toHaveProperty('error')
    expect(parseInputs('{a}')).toHaveProperty('error')
  })
})

test('failures of one kind are told once, most frequent first', () => {
  const failed = (seq: number, device: string, error: string) =>
    span(seq, 0, 1, { status: 'failed', error, device })
  expect(
    failures([
      failed(0, 'device-1', 'Error: b'),
      failed(1, 'device-1', 'Error: a\n  at run (x.mjs:1:2)'),
      failed(2, 'device-2', 'Error: a\n  at run (x.mjs:1:2)'),
      span(3, 0, 1),
    ]),
  ).toEqual([
    {
      task: 'detect',
      message: 'Error: a',
      stack: '  at run (x.mjs:1:2)',
      places: [{ file: 'x.mjs', line: 1 }],
      count: 2,
      devices: ['device-1', 'device-2'],
      first: { device: 'device-1', seq: 1 },
    },
    {
      task: 'detect',
      message: 'Error: b',
      stack: '',
      places: [],
      count: 1,
      devices: ['device-1'],
      first: { device: 'device-1', seq: 0 },
    },
  ])
})

test('the stack of a failure is found in the log, and says the message no second time', () => {
  const logged = (source: string, text: string) => ({ at: 1, level: 'error' as const, source, text })
  const told = "Task 'detect': too dark"
  const [one] = failures(
    [span(0, 0, 1, { status: 'failed', error: told })],
    [
      logged('other', `${told}\nError: too dark\n    at run (no.mjs:1:1)`),
      logged('detect', `${told}\nError: too dark\n    at see (lib/eye.mjs:7:3)\n    at tasks/detect.mjs:2:9`),
    ],
  )
  expect(one?.stack).toBe('    at see (lib/eye.mjs:7:3)\n    at tasks/detect.mjs:2:9')
  expect(one?.places).toEqual([
    { file: 'lib/eye.mjs', line: 7 },
    { file: 'tasks/detect.mjs', line: 2 },
  ])
})

test('of a stack of Python the innermost line comes first', () => {
  const stack =
    'Traceback\n  File "tasks/a.py", line 3, in run\n    look()\n  File "tasks/eye.py", line 9, in look\n'
  expect(placesIn(stack)).toEqual([
    { file: 'tasks/eye.py', line: 9 },
    { file: 'tasks/a.py', line: 3 },
  ])
})

describe('whether a deployment is older than the project', () => {
  const deployed = (version: number): DeploymentRecord => ({ request: { version } }) as DeploymentRecord
  const file = (path: string) => ({ path, change: 'changed' as const, bytes: 1 })

  test('nothing is said of the newest version without file changes', () => {
    expect(staleness(deployed(2), { version: 2, files: [] })).toBeUndefined()
  })

  test('a newer version and file changes are named', () => {
    expect(staleness(deployed(1), { version: 3, files: [file('tasks/judge.py')] })).toBe(
      'Version 3 is newer than version 1, which is deployed. tasks/judge.py changed since version 3 was saved, and would not run.',
    )
  })

  test('of many files the first are named', () => {
    expect(staleness(deployed(1), { version: 1, files: ['a', 'b', 'c', 'd', 'e'].map(file) })).toContain(
      'a, b, c and 2 more files changed',
    )
  })
})

test('only task code that is not confined, or does not run, is spoken of', () => {
  expect(sandboxSentence(undefined)).toBeUndefined()
  expect(sandboxSentence('on')).toBeUndefined()
  expect(sandboxSentence('off')).toMatch(/without a sandbox.*hivemind doctor/)
  expect(sandboxSentence('refused')).toMatch(/No task code runs.*hivemind doctor/)
})

test('the devices of a deployment are said with its edge nodes, where a task is on one', () => {
  expect(agentsText({ agents: 3, placement: { sense: 'edge', judge: 'cloud' }, edgeNodes: 2 })).toBe(
    '3 edge agents',
  )
  expect(agentsText({ agents: 3, placement: { sense: 'edge', judge: 'edge-node' }, edgeNodes: 2 })).toBe(
    '3 edge agents, 2 edge nodes',
  )
  expect(agentsText({ devices: ['drone-7'], placement: { judge: 'edge-node' } })).toBe('drone-7, 1 edge node')
})
