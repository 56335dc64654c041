import { check } from '@hivemind/dsl'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { LogLine, RunOutput, Span } from '../../../api/types.ts'
import { devicesAt } from '../devices.ts'
import { nextBar, timeline } from '../spans.ts'
import { invocationsOf, nearest } from './choices.ts'
import { partsOf, piecesOf } from './parts.ts'
import { inputsOf, linesOf, nameOf, outputsOf, pathsOf, spanOfLine, spanOfOutput, traceOf } from './trace.ts'
import { moved, zoomed } from './useZoom.ts'

const { workflow } = check(
  `TaskGraph(list=['sense', 'judge', 'sum'])
Task(sense, None, reading, 'sense.mjs', childTask=['judge'])
Task(judge, reading, verdict, 'judge.mjs', parentTask=['sense'], childTask=['sum'])
Task(sum, verdict, report, 'sum.mjs', parentTask=['judge'])
Synchronize(sum, 'all')
`,
  { fileExists: () => true },
)

const span = (
  task: string,
  device: string,
  seq: number,
  from: number,
  to: number,
  more: Partial<Span> = {},
): Span => ({
  task,
  device,
  seq,
  tier: device === '*' ? 'cloud' : 'edge',
  worker: device === '*' ? `${task}-1` : device,
  queuedAt: from,
  startedAt: from + 1,
  endedAt: to,
  breakdown: { network: 1, management: 2, dataExchange: 0.5, execution: to - from - 4 },
  bytesIn: 0,
  bytesOut: 0,
  items: 1,
  status: 'ok',
  attempt: 1,
  ...more,
})
const spans = [
  span('sense', 'd1', 0, 0, 30, {
    items: 2,
    startedAt: 5,
    breakdown: { network: 0, management: 6, dataExchange: 4, execution: 20 },
  }),
  span('judge', 'd1', 0, 10, 20),
  span('judge', 'd1', 1, 20, 32),
  span('judge', 'd2', 0, 12, 24),
  span('sum', '*', 0, 33, 50),
]
const line = (at: number, source: string, device?: string): LogLine => ({
  at,
  level: 'info',
  source,
  text: 'x',
  ...(device && { device }),
})

test('the queue stands apart from management; what no part says is the rest', () => {
  expect(partsOf(span('judge', 'd1', 0, 10, 20))).toEqual({
    queue: 1,
    pace: 0,
    network: 1,
    management: 1,
    dataExchange: 0.5,
    execution: 6,
    other: 0.5,
  })
  // A stream waits between its items, too: that is no queue.
  expect(partsOf(spans[0] as Span)).toMatchObject({ queue: 0, pace: 5, management: 1, other: 0 })
})

test('the pieces of a bar fill it without gaps, whatever its parts', () => {
  const ms = fc.double({ min: 0, max: 1e4, noNaN: true })
  fc.assert(
    fc.property(
      ms,
      ms,
      ms,
      ms,
      ms,
      ms,
      fc.constantFrom('cloud', 'edge'),
      (a, b, network, management, dataExchange, execution, tier) => {
        const own = span('judge', 'd1', 0, 100, 100 + a + b, {
          startedAt: 100 + a,
          tier: tier as Span['tier'],
          breakdown: { network, management, dataExchange, execution },
        })
        const pieces = piecesOf(own)
        let at = own.queuedAt
        for (const piece of pieces) {
          expect(piece.from).toBeCloseTo(at, 6)
          at = piece.to
        }
        if (pieces.length > 0) expect(at).toBeCloseTo(own.endedAt, 6)
      },
    ),
  )
})

test('a trace has a row for each step, and one for each link that it takes', () => {
  const paths = pathsOf(workflow, spans)
  if (!paths) throw new Error('There are no paths.')
  const trace = traceOf(paths, { task: 'judge', device: 'd1', seq: 1 })
  expect(
    trace?.rows.map((row) =>
      row.kind === 'span' ? row.step.span.task : `${row.source.task}>${row.target.task}`,
    ),
  ).toEqual(['sense', 'judge', 'judge>sum', 'sum'])
  expect([trace?.from, trace?.to]).toEqual([0, 50])
  expect(trace?.rows[2]).toMatchObject({ from: 31, to: 33 })
  expect(traceOf(paths, { task: 'judge', device: 'd9', seq: 1 })).toBeUndefined()
  expect(pathsOf(null, spans)).toBeUndefined()
  expect(nameOf({ task: 'judge', device: 'd1', seq: 1 })).toBe('item 1 of d1')
  expect(nameOf({ task: 'sum', device: '*', seq: 0 })).toBe('sum, whole swarm')
})

test('from a line to the invocation that logged it, and back', () => {
  expect(spanOfLine(line(22, 'judge', 'd1'), spans)).toBe(spans[2])
  expect(spanOfLine(line(22, 'judge', 'd2'), spans)).toBe(spans[3])
  expect(spanOfLine(line(22, 'run'), spans)).toBeUndefined()
  expect(spanOfLine(line(220, 'judge', 'd1'), spans)).toBeUndefined()
  const lines = [line(5, 'sense', 'd1'), line(13, 'judge', 'd1'), line(14, 'judge', 'd2')]
  expect(linesOf(spans[1] as Span, lines)).toEqual([lines[1]])
  expect(linesOf(spans[4] as Span, [line(40, 'sum')])).toHaveLength(1)
})

test('from an output to the invocation that gave it, and back; items of a stream belong to their sensor', () => {
  const output = (task: string, device: string, seq: number): RunOutput => ({
    task,
    device,
    seq,
    data: 'x',
    value: seq,
  })
  const outputs = [
    output('sense', 'd1', 0),
    output('sense', 'd1', 1),
    output('judge', 'd1', 1),
    output('judge', 'd2', 1),
  ]
  const paths = pathsOf(workflow, spans)
  if (!paths) throw new Error('There are no paths.')
  expect(spanOfOutput(outputs[1] as RunOutput, paths)).toBe(spans[0])
  expect(spanOfOutput(outputs[2] as RunOutput, paths)).toBe(spans[2])
  expect(outputsOf(spans[0] as Span, outputs)).toEqual(outputs.slice(0, 2))
  expect(outputsOf(spans[2] as Span, outputs)).toEqual([outputs[2]])
  expect(inputsOf(spans[2] as Span, paths, outputs)).toEqual([outputs[1]])
  expect(inputsOf(spans[4] as Span, paths, outputs)).toEqual([outputs[2]])
})

test('another task or device is chosen with the item nearest to the one before', () => {
  const all = invocationsOf(spans)
  expect(nearest(all, { task: 'judge', device: 'd1', seq: 1 })).toEqual({
    task: 'judge',
    device: 'd1',
    seq: 1,
  })
  expect(nearest(all, { task: 'judge', device: 'd2', seq: 1 })).toEqual({
    task: 'judge',
    device: 'd2',
    seq: 0,
  })
  expect(nearest(all, { task: 'sum', device: 'd2', seq: 1 })).toEqual({ task: 'sum', device: '*', seq: 0 })
})

test('a zoomed window keeps its point in place and stays within the whole', () => {
  const all = { from: 0, to: 100 }
  expect(zoomed(all, all, 2, 0)).toEqual({ from: 0, to: 50 })
  expect(zoomed(all, { from: 40, to: 60 }, 2)).toEqual({ from: 45, to: 55 })
  expect(zoomed(all, { from: 80, to: 100 }, 0.1)).toEqual(all)
  expect(moved(all, { from: 80, to: 100 }, 0.5)).toEqual({ from: 80, to: 100 })
  expect(moved(all, { from: 40, to: 60 }, -0.25)).toEqual({ from: 35, to: 55 })
  const window = zoomed(all, all, 1e9)
  expect(window.to - window.from).toBe(0.5)
})

test('arrow keys go along a lane, and to the nearest bar of the lane beside', () => {
  const { lanes } = timeline(spans)
  expect(lanes.map(({ worker }) => worker)).toEqual(['d1', 'd2', 'sum-1'])
  const at = (key: string, from: number, shift = false) => nextBar(lanes, spans[from] as Span, key, shift)
  expect(at('ArrowRight', 1)).toBe(spans[2])
  expect(at('ArrowLeft', 1)).toBe(spans[0])
  expect(at('ArrowDown', 1)).toBe(spans[3])
  expect(at('ArrowUp', 3)).toBe(spans[1])
  expect(at('End', 0)).toBe(spans[2])
  expect(at('Home', 2)).toBe(spans[0])
  expect(at('ArrowDown', 4)).toBeUndefined()
  expect(at('ArrowRight', 1, true)).toBeUndefined()
})

test('devices are what their invocations and events say, at any time', () => {
  const lost = { at: 25, device: 'd2', state: 'lost' as const, message: 'gone' }
  const view = { spans, devices: [lost], state: 'running' as const }
  const brief = (at?: number) =>
    devicesAt(view, at).map(({ device, state, done, running }) => [device, state, done, running.join()])
  expect(brief(15)).toEqual([
    ['d1', 'up', 0, 'sense,judge'],
    ['d2', 'up', 0, 'judge'],
  ])
  expect(brief()).toEqual([
    ['d1', 'up', 3, ''],
    ['d2', 'lost', 1, ''],
  ])
})
