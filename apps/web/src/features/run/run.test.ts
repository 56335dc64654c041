import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { RunDetail, RunEvent, Span, TaskState } from '../../api/types.ts'
import { bytesOf, imageType } from '../reports/bytes.ts'
import { failures } from './failures.ts'
import { headlines, parseInputs, words } from './outputs.ts'
import { fold, MAX_LOGS, merged, type RunView, viewOf } from './runState.ts'
import { measure, timeline } from './spans.ts'

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
  result: { state: 'starting', startedAt: 0, endedAt: 0, outputs: [], spans: [], tasks: [], losses: [] },
  logs: [],
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
const plain = (view: RunView) => ({ ...view, tasks: [...view.tasks] })

describe('folding run events', () => {
  test('tells the whole story', () => {
    const view = fold(viewOf(run), events)
    expect(view).toMatchObject({ state: 'succeeded', message: 'Done.', startedAt: 2, endedAt: 8 })
    expect(view.tasks.get('detect')).toEqual(task(2, 'done'))
    expect([view.logs.length, view.spans.length, view.outputs.length, view.devices.length]).toEqual([
      1, 1, 1, 1,
    ])
  })
  test('is the same however the events are cut into batches or repeated', () => {
    const whole = plain(fold(viewOf(run), events))
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: events.length }),
        fc.integer({ min: 0, max: events.length }),
        (cut, back) => {
          const early = fold(viewOf(run), events.slice(0, cut))
          expect(plain(fold(early, events.slice(Math.max(0, cut - back))))).toEqual(whole)
        },
      ),
    )
  })
  test('a late joiner who loads first and hears old events again sees no change', () => {
    const loaded = viewOf({
      ...run,
      state: 'succeeded',
      message: 'Done.',
      result: {
        ...run.result,
        state: 'succeeded',
        startedAt: 2,
        endedAt: 8,
        spans: [span(0, 3, 4)],
        tasks: [task(2, 'done')],
      },
    })
    const view = fold(loaded, events)
    expect(view.spans).toBe(loaded.spans)
    expect(view.state).toBe('succeeded')
    expect(view.tasks.get('detect')).toEqual(task(2, 'done'))
  })
  test('keeps the newest log lines only', () => {
    const many = Array.from(
      { length: MAX_LOGS + 10 },
      (_, at): RunEvent => ({
        type: 'log',
        at,
        line: { at, level: 'info', source: 'run', text: 'x' },
      }),
    )
    const view = fold(viewOf(run), many)
    expect(view.logs).toHaveLength(MAX_LOGS)
    expect(view.logs[0]?.at).toBe(10)
  })
  test('device events survive a reload of the run', () => {
    expect(merged(viewOf(run), fold(viewOf(run), events)).devices).toHaveLength(1)
  })
})

describe('measured spans', () => {
  test('failed invocations are counted but not timed', () => {
    const [measured] = measure([
      span(0, 0, 10),
      span(1, 0, 30),
      span(2, 0, 9999, { status: 'failed', error: 'x' }),
    ])
    expect(measured).toMatchObject({ task: 'detect', invocations: 3, failed: 1, bytesOut: 60 })
    expect(measured?.p50Ms).toBe(21)
    expect(measured?.breakdown.execution).toBe(20)
  })
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
      failed(1, 'device-1', 'Error: a\n  at run (x.mjs:1)'),
      failed(2, 'device-2', 'Error: a\n  at run (x.mjs:1)'),
      span(3, 0, 1),
    ]),
  ).toEqual([
    {
      task: 'detect',
      title: 'Error: a',
      text: 'Error: a\n  at run (x.mjs:1)',
      count: 2,
      devices: ['device-1', 'device-2'],
    },
    { task: 'detect', title: 'Error: b', text: 'Error: b', count: 1, devices: ['device-1'] },
  ])
})
