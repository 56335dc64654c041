import { readFileSync } from 'node:fs'
import { check } from '@hivemind/dsl'
import { explain, explore, tornado } from '@hivemind/placement'
import { completeProfile, fleetByName } from '@hivemind/swarm'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Candidate, ExplorationJob } from '../../../api/types.ts'
import { scaleOf } from '../../reports/scale.ts'
import { breakdownData } from '../candidates.ts'
import { differences } from '../compare/comparison.ts'
import { atPercent, cdfPoints, distributionData } from '../compare/distribution.ts'
import { spanOf, traceOf, tracesData } from '../compare/itemTraces.ts'
import { endSentence, goalsOf, overTimeData, pointsOver } from '../compare/overTime.ts'
import { metrics } from '../metrics.ts'
import { embeddedData } from '../report/reportData.ts'
import { distributionOf, TRACED } from '../whatif/detail.ts'
import type { Scenario } from '../whatif/knobs.ts'
import { countsUpTo, curves } from '../whatif/screen.ts'
import { limitSentences } from '../why/limits.ts'
import { tornadoBars } from '../why/tornadoBars.ts'
import { representatives } from './FrontBars.tsx'
import { csvOf, jsonOf } from './plotData.ts'
import { anyRange, isWithin, nudged, rangesText } from './ranges.ts'

const folder = new URL('../../../../../../examples/people-recognition/', import.meta.url)
const text = readFileSync(new URL('people-recognition.hive.py', folder), 'utf8')
const { workflow } = check(text)
const fleet = fleetByName('paper-drones')
if (!workflow || !fleet) throw new Error('no example')
const scenario: Scenario = {
  workflow,
  fleet,
  profile: completeProfile(workflow),
  itemsPerDevice: 8,
  seed: 1,
}
const result = await explore(scenario)
const { candidates } = result
const at = (n: number): Candidate => {
  const candidate = candidates[n]
  if (!candidate) throw new Error(`no candidate ${n}`)
  return candidate
}

describe('ranges', () => {
  const values = fc.array(fc.double({ min: 0.001, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 30 })
  test('a range that is nudged stays among the values and in order; all values are no range', () => {
    fc.assert(
      fc.property(
        values,
        fc.array(fc.tuple(fc.constantFrom<0 | 1>(0, 1), fc.integer({ min: -12, max: 12 }))),
        (all, steps) => {
          let range: readonly [number, number] | undefined
          for (const [end, by] of steps) {
            range = nudged(all, range, end, by)
            if (!range) continue
            expect(range[0]).toBeLessThanOrEqual(range[1])
            expect(all).toContain(range[0])
            expect(all).toContain(range[1])
            expect(range[0] > Math.min(...all) || range[1] < Math.max(...all)).toBe(true)
          }
        },
      ),
    )
  })
  test('a position on an axis and its value belong together', () => {
    fc.assert(
      fc.property(
        values,
        fc.constantFrom<'linear' | 'log'>('linear', 'log'),
        fc.double({ min: 0.1, max: 0.9, noNaN: true }),
        (all, kind, position) => {
          const scale = scaleOf(all, kind)
          expect(scale.at(scale.valueAt(position))).toBeCloseTo(position, 5)
        },
      ),
    )
  })
  test('candidates are within when every marked figure is', () => {
    const energies = candidates.map(({ estimate }) => estimate.energyJ)
    const range = nudged(energies, undefined, 1, -1)
    if (!range) throw new Error('no range')
    const kept = candidates.filter((each) => isWithin({ energy: range }, each))
    expect(kept.length).toBeLessThan(candidates.length)
    expect(kept.every(({ estimate }) => estimate.energyJ <= range[1])).toBe(true)
    expect(candidates.every((each) => isWithin({ energy: undefined }, each))).toBe(true)
    expect(anyRange({ energy: undefined })).toBe(false)
    expect(rangesText({ energy: [1, 2000] })).toBe('Energy per device 1 J to 2 kJ')
  })
})

describe('two candidates', () => {
  test('the tasks that differ, and every figure with a verdict from the view of B', () => {
    const { tasks, figures } = differences(at(0), at(candidates.length - 1), [])
    for (const { task, a, b } of tasks) {
      expect(a).toBe(at(0).placement[task])
      expect(b).not.toBe(a)
    }
    for (const figure of figures)
      if (figure.verdict === 'better' && figure.label !== metrics.throughput.label)
        expect(figure.b).toBeLessThan(figure.a)
    const same = differences(at(0), at(0), [])
    expect(same.tasks).toEqual([])
    expect(same.figures.every((figure) => figure.verdict === 'same')).toBe(true)
  })
  test('the distribution of a simulated run rises from the smallest to the largest latency', () => {
    const found = distributionOf(scenario, at(0).id, at(0).placement)
    expect(found.items).toEqual({ simulated: 8, all: 8 })
    const points = cdfPoints(found)
    expect(points.length).toBe(101)
    expect(points[0]?.y).toBe(0)
    expect(points.at(-1)?.y).toBe(1)
    for (const [n, point] of points.slice(1).entries())
      expect(point.x).toBeGreaterThanOrEqual(points[n]?.x ?? 0)
    expect(atPercent(found, 99)).toBeGreaterThanOrEqual(atPercent(found, 50))
    expect(csvOf(distributionData([found])).split('\r\n').length).toBe(103)
    const long = distributionOf({ ...scenario, itemsPerDevice: 100_000 }, at(0).id, at(0).placement)
    expect(long.items).toEqual({ simulated: 2500, all: 100_000 })
  })
})

test('the trace of an item: its invocations on one time line, their parts as long as they are', () => {
  const run = distributionOf(scenario, at(0).id, at(0).placement)
  expect(run.traces.map(({ quantile }) => quantile)).toEqual([...TRACED])
  const slowest = traceOf(run, '1')
  expect(slowest?.latencyMs).toBeCloseTo(atPercent(run, 100), 6)
  const { from, to } = spanOf(run.traces)
  for (const { spans } of run.traces)
    for (const span of spans) {
      expect(span.fromMs).toBeGreaterThanOrEqual(from)
      expect(span.toMs).toBeLessThanOrEqual(to)
      const parts = span.network + span.management + span.dataExchange + span.execution
      expect(parts).toBeCloseTo(span.toMs - span.fromMs, 6)
    }
  const rows = tracesData([run]).rows()
  expect(rows.length).toBe(run.traces.reduce((sum, { spans }) => sum + spans.length, 0))
})

test('where the latency goes, as numbers: the tasks, then the whole workflow', () => {
  const { id, estimate } = at(0)
  const rows = Object.entries(estimate.perTask).map(([task, { tier, breakdown }]) => ({
    task,
    tier,
    breakdown,
  }))
  const written = breakdownData(id, estimate.breakdown, rows).rows()
  expect(written.map(([task]) => task)).toEqual([...rows.map(({ task }) => task), 'whole workflow'])
  expect(written.at(-1)?.at(-1)).toBe(estimate.breakdown.execution)
})

test('a run over time ends where its estimate ends, and empty batteries end a mission', () => {
  const run = distributionOf(scenario, at(0).id, at(0).placement)
  expect(goalsOf([run])).toEqual(['battery', 'bandwidth', 'items'])
  const battery = pointsOver(run, run.series.batteryMean, 1)
  expect(battery[0]).toEqual({ x: 0, y: 1 })
  expect(battery.at(-1)?.x).toBe(run.endMs)
  for (const [n, point] of battery.slice(1).entries()) expect(point.y).toBeLessThan(battery[n]?.y ?? 0)
  expect(endSentence(run)).toContain('mission completed')
  const rows = overTimeData([run], 'items').rows()
  expect(rows.at(-1)).toEqual([run.id, 'total', run.endMs, run.series.finished.at(-1)])

  const [group] = scenario.fleet.devices
  if (!group) throw new Error('The fleet has no devices.')
  const weak = { ...group, class: { ...group.class, batteryWh: 0.01 } }
  const empty = distributionOf(
    { ...scenario, fleet: { ...scenario.fleet, devices: [weak] }, itemsPerDevice: 200 },
    at(0).id,
    at(0).placement,
    true,
  )
  expect(empty.stopped).toBe(group.count)
  expect(endSentence(empty)).toMatch(/% of the mission completed, \d+ devices stopped with an empty battery/)
})

test('representatives of many candidates: the baselines, the selected one, and no more than the limit', () => {
  const many = Array.from({ length: 500 }, (_, n) => ({
    ...at(0),
    id: `c${n}`,
    baseline: undefined,
    pareto: true,
  }))
  many[3] = { ...at(0), id: 'c3', baseline: undefined, pareto: false }
  const shown = representatives([...many, at(0)], 'c3', 20)
  expect(shown.length).toBeLessThanOrEqual(20)
  expect(shown.map(({ id }) => id)).toContain('c3')
})

test('tornado bars share one scale, and the base stands within', () => {
  const bars = tornadoBars(tornado({ ...scenario, placement: at(0).placement }).energy, 5)
  expect(bars.bars.length).toBeLessThanOrEqual(5)
  for (const bar of bars.bars)
    for (const position of [bar.lowAt, bar.highAt, bars.baseAt]) {
      expect(position).toBeGreaterThanOrEqual(0)
      expect(position).toBeLessThanOrEqual(1)
    }
  expect(tornadoBars([])).toEqual({ bars: [], baseAt: 0.5 })
})

test('limits in sentences', () => {
  expect(
    limitSentences([{ knob: 'devices', crossovers: [{ at: 48, below: 'met', above: 'latency,execTime' }] }]),
  ).toEqual([
    'From 48 devices up it misses latency and execTime; below that it meets every constraint (quick estimate).',
  ])
})

test('plots as files', () => {
  const data = {
    name: 'x',
    head: ['a', 'b'],
    rows: () =>
      [
        [1, 'one, two'],
        [2, null],
      ] as const,
  }
  expect(csvOf(data)).toBe('a,b\r\n1,"one, two"\r\n2,\r\n')
  expect(JSON.parse(jsonOf(data))).toEqual([
    { a: 1, b: 'one, two' },
    { a: 2, b: null },
  ])
})

test('the data within a report cannot end its script element, and says all inputs', () => {
  const job: ExplorationJob = {
    id: 'e',
    project: 'p',
    request: { version: 1, fleet: 'paper-drones', seed: 1 },
    job: { state: 'done', stage: '', progress: 1, message: '', createdAt: '2026-11-21T00:00:00Z' },
  }
  const data = embeddedData({
    project: 'p',
    job,
    result,
    scenario,
    text: `${text}\n# </script><script>alert(1)</script>`,
    selected: at(0),
    tasks: [],
    why: {
      explanation: explain({ workflow, fleet, exploration: result, id: at(0).id }),
      limits: [],
      tornado: tornado({ ...scenario, placement: at(0).placement }),
    },
    curves: curves(scenario, candidates, countsUpTo(100, 16, 4)),
    run: distributionOf(scenario, at(0).id, at(0).placement),
    version: '1.2.3',
    hash: undefined,
    madeAt: '',
  })
  expect(data).not.toContain('<')
  const read = JSON.parse(data)
  expect(read.text).toContain('</script>')
  expect(read.version).toBe('1.2.3')
  expect(read.exploration.inputs).toEqual(result.inputs)
  expect(read.plots['battery-over-time'].at(-1)).toMatchObject({ candidate: at(0).id, of: 'lowest device' })
  expect(read.plots['tornado-energy'].length).toBeGreaterThan(0)
})
