import type { Workflow } from '@hivemind/workflow'
import { createElement, type FunctionComponent } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, test } from 'vitest'
import type { Candidate, Placement, TaskState, TaskStatistics } from '../../api/types.ts'
import { CandidateTable } from '../explore/CandidateTable.tsx'
import { CandidatesTable, placementText, TaskTable } from '../explore/report/tables.tsx'
import { MeasuredTable } from '../run/MeasuredTable.tsx'
import { BreakdownTable } from './BreakdownBars.tsx'
import { TaskGraph } from './TaskGraph.tsx'

const names = Array.from({ length: 1000 }, (_, n) => `t${n}`)
const placement: Placement = Object.fromEntries(
  names.map((name, n) => [name, n % 3 === 0 ? 'edge' : 'cloud']),
)
const breakdown = { network: 1, management: 2, dataExchange: 3, execution: 4 }

const markup = <P extends object>(component: FunctionComponent<P>, props: P) =>
  renderToStaticMarkup(createElement(component, props))
const elementsIn = (html: string) => html.match(/<[a-z]/g)?.length ?? 0

test('a workflow of 1,000 tasks is a map of a few paths that together have every task', () => {
  const workflow: Workflow = {
    schema: 'hivemind.workflow/1',
    tasks: names.map((name, n) => ({
      name,
      code: 'x.js',
      dataIn: n === 0 ? [] : [`d${n - 1}`],
      dataOut: `d${n}`,
      parents: n === 0 ? [] : [`t${n - 1}`],
      children: n === 999 ? [] : [`t${n + 1}`],
      args: {},
      directives: {},
    })),
    data: [],
    relations: [],
    constraints: [],
  }
  const html = markup(TaskGraph, { workflow, placement, marked: new Set(['t1', 't2']), label: 'Tasks' })
  expect(elementsIn(html)).toBeLessThan(10)
  expect(html.match(/h188/g)).toHaveLength(1000 + 2)
  expect(html).toContain('aria-label="Tasks; tasks: Edge 334, Cloud 666"')

  const states = new Map(
    names.slice(0, 10).map((task, n): [string, TaskState] => [
      task,
      {
        task,
        state: n === 0 ? 'failed' : 'done',
        tier: 'edge',
        started: 1,
        done: n === 0 ? 0 : 1,
        failed: 0,
      },
    ]),
  )
  const running = markup(TaskGraph, { workflow, placement, states, label: 'Run' })
  expect(elementsIn(running)).toBeLessThan(10)
  expect(running).toContain('aria-label="Run; tasks: Failed 1, Done 9, Waiting 990"')
  const over = markup(TaskGraph, { workflow, placement, states, over: true, label: 'Run' })
  expect(over).toContain('aria-label="Run; tasks: Failed 1, Done 9, Not run 990"')
})

test('what 1,000 tasks of a run took begins with the first 50', () => {
  const statistics = names.map(
    (task): TaskStatistics => ({
      task,
      tier: 'cloud',
      invocations: 1,
      failed: 0,
      missed: 0,
      p50Ms: 1,
      p90Ms: 1,
      p99Ms: 1,
      breakdown,
      bytesIn: 0,
      bytesOut: 0,
    }),
  )
  const taking = {
    taken: new Set<string>(),
    take: () => {},
    busy: false,
    wanted: undefined,
    problem: undefined,
  }
  const html = markup(MeasuredTable, {
    ...{ statistics, estimate: undefined, tasks: names, tookMs: 1, queues: new Map(), project: 'p', taking },
  })
  expect(html.match(/<tr class/g)).toHaveLength(50)
  expect(html).toContain('Show more (950 left)')
})

test('the latency of 1,000 tasks begins with the first 25, and a button tells of the others', () => {
  const rows = names.map((task) => ({ task, tier: 'edge' as const, breakdown }))
  const table = (most: number) =>
    markup(BreakdownTable, { caption: 'Latency', whole: breakdown, rows: rows.slice(0, most) })
  expect(elementsIn(table(1000))).toBeLessThan(600)
  expect(table(1000)).toContain('Show more (975 left)')
  expect(table(25)).not.toContain('Show more')
})

const estimate = {
  latencyMs: { p50: 1, p99: 1, mean: 1 },
  breakdown,
  perTask: {},
  execTimeMs: 1,
  throughput: 1,
  energyJ: 1,
  energyShare: 0,
  bandwidthMBps: 1,
  costPerHour: 1,
  costPerRun: 1,
}
const candidate: Candidate = { id: 'c', placement, estimate, pareto: false, meets: true, violations: [] }

test('the table of 256 candidates of 1,000 tasks begins with 50 and has the selected one', () => {
  const candidates = Array.from(
    { length: 256 },
    (_, n): Candidate => ({
      ...candidate,
      id: `c${String(n).padStart(3, '0')}`,
      estimate: { ...estimate, energyJ: n },
    }),
  )
  const html = markup(CandidateTable, { candidates, tasks: names, selected: 'c200', onSelect: () => {} })
  expect(html.match(/<tr data-testid/g)).toHaveLength(51)
  expect(html).toContain('candidate-row-c200')
  expect(elementsIn(html)).toBeLessThan(1500)
})

test('a report of 1,000 tasks counts tiers and names the 60 tasks that take longest; of few it names all', () => {
  const perTask = Object.fromEntries(
    names.map((task, n) => [
      task,
      { p50Ms: n, p99Ms: n, tier: 'cloud' as const, breakdown: { ...breakdown, execution: n } },
    ]),
  )
  const own = { ...candidate, estimate: { ...estimate, perTask } }
  const rowsIn = (html: string) => [...html.matchAll(/<th scope="row">(t\d+)</g)].map(([, name]) => name)
  const many = markup(TaskTable, { candidate: own, tasks: names })
  expect(rowsIn(many)).toEqual(names.slice(-60).reverse())
  expect(many).toContain('These are the 60 of 1,000 tasks that take longest')
  const few = markup(TaskTable, { candidate: own, tasks: names.slice(0, 40) })
  expect(rowsIn(few)).toEqual(names.slice(0, 40))
  expect(few).not.toContain('longest')

  const table = (tasks: readonly string[]) => markup(CandidatesTable, { rows: [own], selected: 'c', tasks })
  expect(table(names)).toContain('Edge 334, Cloud 666')
  expect(table(names).length).toBeLessThan(2000)
  expect(table(names.slice(0, 4))).toContain('ECCE')
  expect(placementText(own, names.slice(0, 2))).toBe('t0: Edge, t1: Cloud')
})
