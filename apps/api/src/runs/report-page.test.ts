import { SpanStatistics } from '@hivemind/orchestrator'
import { describe, expect, test } from 'vitest'
import { type Report, tasksOf } from './report.ts'
import { reportPage } from './report-page.ts'

const zero = { network: 0, management: 0, dataExchange: 0, execution: 0 }
const evil = `"><img src=x onerror=alert(1)>'&`
const span = (task: string, ms: number, status: 'ok' | 'failed' = 'ok') => ({
  task,
  device: 'device-1',
  seq: 0,
  tier: 'edge' as const,
  worker: 'w',
  queuedAt: 10,
  startedAt: 10,
  endedAt: 10 + ms,
  breakdown: { ...zero, execution: ms },
  bytesIn: 0,
  bytesOut: 0,
  items: 1,
  status,
  attempt: 1,
})

const report = (more: Partial<Report> = {}): Report => ({
  schema: 'hivemind.report/1',
  madeAt: '2026-11-21T00:00:00.000Z',
  project: { id: 'p', name: evil },
  workflow: { name: evil, version: 3, constraints: [{ key: 'execTime', limit: '10s' }] },
  run: {
    id: 'r',
    state: 'failed',
    message: evil,
    startedAt: '2026-11-21T00:00:00.000Z',
    endedAt: '2026-11-21T00:00:01.000Z',
    execTimeMs: 1000,
  },
  deployment: { id: 'd', agents: 2, placement: { [evil]: 'edge' }, candidate: evil },
  inputs: { [evil]: evil },
  estimateSeed: 1,
  tasks: [{ task: evil, tier: 'edge', done: 1, failed: 0 }],
  outputs: [
    { task: evil, data: evil, device: '*', seq: 0, value: { [evil]: 3, text: evil } },
    { task: evil, data: evil, device: 'device-1', seq: 0, value: evil },
  ],
  losses: [evil],
  invocations: 1,
  machine: { processor: evil, cores: 2, memoryGB: 8, system: evil },
  versions: { HiveMind: evil },
  ...more,
})

describe('the report page', () => {
  test('escapes every value, wherever it stands', () => {
    const page = reportPage(report())
    expect(page).not.toContain('<img')
    expect(page).not.toContain(`'&<`)
    expect(page.match(/&quot;&gt;&lt;img/g)?.length).toBeGreaterThan(12)
  })

  test('needs nothing beside it', () => {
    expect(reportPage(report())).not.toMatch(/<script|<link|https?:|url\(|@import/)
  })

  test('is a page for a run that never began', () => {
    const page = reportPage(report({ tasks: [], outputs: [], losses: [], invocations: 0 }))
    expect(page).toContain('The run has no outputs.')
    expect(page).toContain('Nothing was lost.')
    expect(page).not.toMatch(/NaN|undefined|Infinity/)
  })

  test('says when a result has more values than it shows', () => {
    const outputs = Array.from({ length: 80 }, (_, seq) => ({
      task: 't',
      data: 'd',
      device: 'device-1',
      seq,
      value: seq,
    }))
    expect(reportPage(report({ outputs }))).toContain('68 more are in the JSON report.')
  })
})

test('tasks are measured over the invocations that succeeded, and late ones are counted', () => {
  const statistics = new SpanStatistics()
  for (const each of [span('a', 10), span('a', 30), span('a', 1000, 'failed')]) statistics.add(each)
  statistics.add({ ...span('b', 5), missedDeadline: true })
  const states = [
    { task: 'b', tier: 'cloud' as const, state: 'done' as const, started: 1, done: 1, failed: 0, dropped: 2 },
  ]
  const tasks = tasksOf(statistics.tasks(), states, { a: 'edge', b: 'cloud', c: 'cloud' }, undefined)
  expect(tasks[0]).toEqual({
    task: 'a',
    tier: 'edge',
    done: 2,
    failed: 1,
    measured: { p50Ms: 20, p99Ms: 29.8, breakdown: { ...zero, execution: 20 } },
  })
  expect(tasks[1]).toMatchObject({ task: 'b', done: 1, missed: 1, dropped: 2 })
  expect(tasks[2]).toEqual({ task: 'c', tier: 'cloud', done: 0, failed: 0 })
  const page = reportPage(report({ tasks }))
  expect(page).toContain('b: 1 ended after their deadline, 2 were given up because of it.')
})

test('cold starts have their own times, beside those of warm invocations', () => {
  const statistics = new SpanStatistics()
  statistics.add({ ...span('a', 1_900), coldStartMs: 1_890 })
  statistics.add({ ...span('b', 1_500), coldStartMs: 1_400 })
  for (const ms of [5, 7]) statistics.add(span('b', ms))
  const tasks = tasksOf(statistics.tasks(), [], { a: 'cloud', b: 'cloud', c: 'edge' }, undefined)
  expect(tasks[1]?.starts).toMatchObject({ cold: 1, coldP50Ms: 1_500, warm: 2, warmP50Ms: 6 })
  expect(tasks[2]).not.toHaveProperty('starts')
  const page = reportPage(report({ tasks }))
  const row = (...cells: unknown[]) => cells.map((cell) => `<td class="n">${cell}</td>`).join('')
  expect(page).toContain(`<th scope="row">a</th>${row(1, '1,900', '1,900', 0, '–', '–')}`)
  expect(page).toContain(`<th scope="row">b</th>${row(1, '1,500', '1,500', 2, 6, '6.98')}`)
  expect(reportPage(report({ tasks: [] }))).not.toContain('Cold starts')
})

test('the page says of each constraint whether it was met', () => {
  const constraints = [
    {
      key: 'execTime',
      limit: 10,
      value: 12,
      met: false,
      text: 'The run took 12 ms, 2 ms more than its limit.',
    },
  ]
  const page = reportPage(report({ constraints }))
  expect(page).toContain('missed')
  expect(page).toContain('2 ms more than its limit')
})
