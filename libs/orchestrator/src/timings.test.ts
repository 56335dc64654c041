import { check } from '@hivemind/dsl'
import type { Workflow } from '@hivemind/workflow'
import { expect, test } from 'vitest'
import { timingsOf } from './timings.ts'
import type { RunResult, Span } from './types.ts'

function workflow(): Workflow {
  const text = [
    "TaskGraph(list=['watch', 'near', 'far', 'count'])",
    "Data(frame, kind='stream', rate='10/s')",
    "Task(watch, None, frame, 'watch.mjs', childTask=['near', 'far'])",
    "Task(near, frame, turn, 'near.mjs', parentTask=['watch'], childTask=[])",
    "Task(far, frame, found, 'far.mjs', parentTask=['watch'], childTask=['count'])",
    "Task(count, found, total, 'count.mjs', parentTask=['far'], childTask=[])",
    "Synchronize(count, 'all')",
  ].join('\n')
  const { workflow, diagnostics } = check(text, { fileExists: () => true })
  if (!workflow) throw new Error(JSON.stringify(diagnostics))
  return workflow
}

type Row = [
  task: string,
  tier: 'cloud' | 'edge',
  device: string,
  seq: number,
  queuedAt: number,
  endedAt: number,
]

/** Spans whose execution fills the time from `queuedAt` to `endedAt`. */
function result(rows: Row[], items: Record<string, number> = {}): RunResult {
  const spans = rows.map(
    ([task, tier, device, seq, queuedAt, endedAt]): Span => ({
      task,
      tier,
      device,
      seq,
      queuedAt,
      startedAt: queuedAt,
      endedAt,
      worker: device,
      breakdown: { network: 0, management: 0, dataExchange: 0, execution: endedAt - queuedAt },
      bytesIn: 0,
      bytesOut: 0,
      items: items[task] ?? 1,
      status: 'ok',
      attempt: 1,
    }),
  )
  return { state: 'succeeded', startedAt: 0, endedAt: 500, outputs: [], spans, tasks: [], losses: [] }
}

const stream: Row[] = [
  ['watch', 'edge', 'device-1', 0, 0, 230],
  ['far', 'cloud', 'device-1', 0, 120, 150],
  ['far', 'cloud', 'device-1', 1, 225, 290],
  ['count', 'cloud', '*', 0, 292, 300],
]

test('an item is captured when the task beside its sensor sees it', () => {
  const near: Row[] = [
    ['near', 'edge', 'device-1', 0, 100, 104],
    ['near', 'edge', 'device-1', 1, 200, 206],
  ]
  const timings = timingsOf(workflow(), result([...stream, ...near], { watch: 2 }), [])
  expect(timings.tasks).toEqual({ watch: [230], near: [4, 6], far: [50, 90], count: [10] })
  expect(timings.endToEnd).toEqual([50, 90])
  expect(timings.runMs).toBe(500)
})

test('without such a task it is captured when it leaves the device, if that is known', () => {
  const sent = [105, 210].map((sentAt, seq) => ({ key: { task: 'watch', device: 'device-1', seq }, sentAt }))
  expect(timingsOf(workflow(), result(stream, { watch: 2 }), sent).endToEnd).toEqual([45, 80])
  expect(timingsOf(workflow(), result(stream, { watch: 2 }), []).endToEnd).toEqual([30, 65])
})

test('failed tries do not count', () => {
  const { spans, ...run } = result(stream, { watch: 2 })
  const failed = spans.map((span) => ({ ...span, status: 'failed' as const }))
  const timings = timingsOf(workflow(), { ...run, spans: failed }, [])
  expect(timings).toEqual({ tasks: {}, endToEnd: [], runMs: 500 })
})
