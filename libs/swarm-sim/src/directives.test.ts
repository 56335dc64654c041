/** What each directive does in a simulation: every test compares a workflow with the same workflow without the statement. */
import type { DataItem, Directives, Relation, Task, Workflow } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { plainFleet, profileOf, tier, workflowOf } from '../test/workflows.ts'
import { estimateClosedForm } from './closed-form/closed-form.ts'
import type { Conditions } from './faults.ts'
import { buildModel, type ModelInput } from './model/build.ts'
import type { Model } from './model/model.ts'
import { simulate, simulateInDetail, traceItems } from './simulate.ts'

const all = { synchronize: { kind: 'all' as const } }
const onEdge = (target = 'all'): Directives => ({ place: { tier: 'edge', target } })
const ms = (value: number) => ({ dimension: 'time' as const, value, text: `${value}ms` })

/** A sensor of one item a second, and two tasks `a` and `b` of 300 and 200 ms that read it. */
function siblings({
  relations = [],
  directives = {},
  args = {},
  place = 'cloud',
  rate = '1/s',
  items = 5,
  devices = 1,
  cores = 1,
  times = { a: 300, b: 200 },
  cloud = {},
}: {
  relations?: Relation[]
  directives?: { a?: Directives; b?: Directives }
  args?: Task['args']
  place?: 'cloud' | 'edge'
  rate?: string
  items?: number
  devices?: number
  cores?: number
  times?: { a: number; b: number }
  cloud?: NonNullable<Parameters<typeof plainFleet>[1]>['cloud']
} = {}): Model {
  const workflow = workflowOf(
    {
      sense: { args: { rate } },
      a: { reads: ['senseOut'], parents: ['sense'], writes: null, directives: directives.a, args },
      b: { reads: ['senseOut'], parents: ['sense'], writes: null, directives: directives.b },
    },
    { relations },
  )
  return buildModel({
    workflow,
    placement: { sense: 'edge', a: place, b: place },
    fleet: plainFleet(devices, { cores, cloud: cloud ?? {} }),
    profile: profileOf({ sense: tier(0), a: tier(times.a), b: tier(times.b) }),
    itemsPerDevice: items,
  })
}

/** The spans of the slowest item, by task: when each began to be worked on, and ended. */
function workOf(model: Model): Record<string, { from: number; to: number }> {
  const [item] = traceItems(model, { seed: 1, quantiles: [1] })
  return Object.fromEntries(
    (item?.spans ?? []).map(({ task, toMs, execution }) => [task, { from: toMs - execution, to: toMs }]),
  )
}

describe('Serial(a, b)', () => {
  const serial = (a: string, b: string, scope?: 'swarm'): Relation => ({
    kind: 'serial',
    a,
    b,
    ...(scope && { scope }),
  })

  test('for one item, a ends before b starts, as the statement says it', () => {
    const { a, b } = workOf(siblings({ relations: [serial('a', 'b')] }))
    expect(b?.from).toBeCloseTo(a?.to ?? 0, 6)
    const other = workOf(siblings({ relations: [serial('b', 'a')] }))
    expect(other.a?.from).toBeCloseTo(other.b?.to ?? 0, 6)
    const without = workOf(siblings())
    expect(without.b?.from).toBeCloseTo(without.a?.from ?? -1, 6)
  })

  test('on one device, no invocation of a overlaps one of b, also for different items', () => {
    // a chain, whose items would be pipelined: one of a beside one of b
    const chain = (relations: Relation[]) =>
      buildModel({
        workflow: workflowOf(
          {
            sense: { args: { rate: '4/s' } },
            a: { reads: ['senseOut'], parents: ['sense'] },
            b: { reads: ['aOut'], parents: ['a'], writes: null },
          },
          { relations },
        ),
        placement: { sense: 'edge', a: 'cloud', b: 'cloud' },
        fleet: plainFleet(2, { cloud: { coresPerServer: 1000 } }),
        profile: profileOf({ sense: tier(0), a: tier(200), b: tier(200) }),
        itemsPerDevice: 20,
      })
    const quantiles = Array.from({ length: 40 }, (_, at) => at / 39)
    /** Pairs of an invocation of a and one of b on one device that overlap. */
    const overlaps = (model: Model): number => {
      const work = traceItems(model, { seed: 1, quantiles }).flatMap(({ device, capturedAtMs, spans }) =>
        spans.map(({ task, toMs, execution }) => ({
          device,
          task,
          from: capturedAtMs + toMs - execution,
          to: capturedAtMs + toMs,
        })),
      )
      const of = (task: string) => work.filter((each) => each.task === task)
      return of('a').flatMap((a) =>
        of('b').filter((b) => a.device === b.device && a.from < b.to - 1e-6 && b.from < a.to - 1e-6),
      ).length
    }
    expect(overlaps(chain([serial('a', 'b')]))).toBe(0)
    expect(overlaps(chain([]))).toBeGreaterThan(10)
  })

  test("scope='swarm': nowhere in the swarm", () => {
    const given = { devices: 4, rate: '0.4/s', items: 6, times: { a: 200, b: 200 } }
    const latency = (relations: Relation[]) =>
      simulate(siblings({ ...given, relations }), { seed: 3 }).latencyMs.mean
    const device = latency([serial('a', 'b')])
    expect(latency([])).toBeCloseTo(200, 6)
    expect(device).toBeCloseTo(400, 6)
    expect(latency([serial('a', 'b', 'swarm')])).toBeGreaterThan(device + 20)
  })
})

describe('Schedule', () => {
  /** Ten items at once for one core: five of `a`, five of `b`. */
  const busy = (a: Directives, place: 'cloud' | 'edge', b: Directives = {}) =>
    siblings({
      directives: { a, b },
      place,
      rate: '1000/s',
      items: 5,
      times: { a: 100, b: 100 },
      cloud: { coresPerServer: 1 },
    })
  const p99 = (model: Model, task: string) => simulate(model, { seed: 1 }).perTask[task]?.p99Ms ?? 0

  test.each(['edge', 'cloud'] as const)(
    'priority: among what waits on the %s, the higher goes first',
    (place) => {
      const without = busy({}, place)
      const first = busy({ schedule: { priority: 5 } }, place)
      const last = busy({ schedule: { priority: -5 } }, place)
      expect(p99(without, 'a')).toBeGreaterThan(800)
      // five of its own, and the one under way
      expect(p99(first, 'a')).toBeLessThan(610)
      expect(p99(first, 'b')).toBeGreaterThan(980)
      expect(p99(last, 'b')).toBeLessThan(610)
    },
  )

  test.each(['edge', 'cloud'] as const)(
    'deadline: of equal priorities on the %s, the nearer one goes first',
    (place) => {
      const due = (value: number): Directives => ({ schedule: { deadline: ms(value) } })
      expect(p99(busy(due(200), place, due(5000)), 'a')).toBeLessThan(610)
      expect(p99(busy(due(5000), place, due(200)), 'b')).toBeLessThan(610)
      expect(p99(busy({}, place), 'a')).toBeGreaterThan(800)
    },
  )

  test('a missed deadline is counted, as a share of the invocations', () => {
    const deadline = (value: number) => ({ schedule: { deadline: ms(value) } })
    // of the five of a, which go first, one or none waits for b
    const { missedDeadlines } = simulate(busy(deadline(250), 'edge'), { seed: 1 })
    expect(missedDeadlines?.a).toBeGreaterThanOrEqual(0.6)
    expect(missedDeadlines?.a).toBeLessThanOrEqual(0.8)
    expect(simulate(busy(deadline(5000), 'edge'), { seed: 1 }).missedDeadlines).toEqual({ a: 0 })
    expect(simulate(busy({}, 'edge'), { seed: 1 }).missedDeadlines).toBeUndefined()
  })

  test.each(['edge', 'cloud'] as const)(
    "onMiss='drop' on the %s: what has not begun by then is given up, and lost",
    (place) => {
      const due = (onMiss?: 'drop'): Directives => ({
        schedule: { deadline: ms(250), ...(onMiss && { onMiss }) },
      })
      const kept = simulateInDetail(busy(due(), place), { seed: 1 })
      expect(kept.items).toMatchObject({ finished: 5, lost: 0 })
      const { items, estimate } = simulateInDetail(busy(due('drop'), place), { seed: 1 })
      expect(items.lost).toBeGreaterThanOrEqual(2)
      expect(items.finished + items.lost).toBe(5)
      expect(estimate.missedDeadlines?.a).toBeGreaterThanOrEqual(0.4)
      // what is given up takes no time
      expect(estimate.execTimeMs).toBeLessThan(kept.estimate.execTimeMs - 150)
    },
  )
})

describe('Isolate', () => {
  const isolate: Directives = { isolate: true }
  const p99 = (model: Model, task: string) => simulate(model, { seed: 1 }).perTask[task]?.p99Ms ?? 0
  /** `b` fills two cores and more; `a` is short. */
  const crowded = (place: 'edge' | 'cloud', a: Directives | undefined, cores = 2) =>
    siblings({
      ...(a && { directives: { a } }),
      place,
      rate: '20/s',
      items: 40,
      times: { a: 10, b: 150 },
      cores,
      cloud: { coresPerServer: cores },
    })

  test.each(['edge', 'cloud'] as const)(
    'on the %s: a core of its own, which others never keep it waiting for',
    (place) => {
      expect(p99(crowded(place, isolate), 'a')).toBeCloseTo(10, 6)
      expect(p99(crowded(place, undefined), 'a')).toBeGreaterThan(500)
    },
  )

  test('only where there are more cores than isolated tasks', () => {
    expect(p99(crowded('edge', isolate, 1), 'a')).toBe(p99(crowded('edge', undefined, 1), 'a'))
  })

  test('on a host that all share, too', () => {
    const on = (a: Directives | undefined, cores: number): Model => ({
      ...crowded('edge', a),
      host: { cores, others: 2 },
      classes: crowded('edge', a).classes.map((each) => ({ ...each, serverPerTask: true })),
    })
    expect(p99(on(isolate, 2), 'a')).toBeCloseTo(10, 6)
    expect(p99(on(undefined, 2), 'a')).toBeGreaterThan(12)
    expect(p99(on(isolate, 1), 'a')).toBe(p99(on(undefined, 1), 'a'))
  })
})

describe('Restore', () => {
  /** One invocation of `a` that emits four items in 4 s, and is interrupted after 2.5 s. */
  const interrupted = (restore?: 'checkpoint' | 'respawn') => {
    const workflow: Workflow = workflowOf(
      {
        plan: { reads: ['orders'], directives: restore ? { restore } : {} },
        act: { reads: ['planOut'], parents: ['plan'], writes: null },
      },
      { data: [{ name: 'planOut', kind: 'stream', declared: true }] },
    )
    const model = buildModel({
      workflow,
      placement: { plan: 'edge', act: 'edge' },
      fleet: plainFleet(1),
      profile: profileOf({ plan: tier(4000, 0, 4), act: tier(0) }),
    })
    const conditions: Conditions = {
      deviceFailures: { at: [{ device: 1, atMs: 2500 }], detectMs: 1000, restartMs: 1000 },
    }
    return simulate(model, { seed: 1, conditions }).execTimeMs
  }

  test('checkpoint: goes on after the last item; respawn: begins again', () => {
    expect(interrupted('respawn')).toBeCloseTo(4500 + 4000, 0)
    expect(interrupted()).toBeCloseTo(4500 + 4000, 0)
    // two of four items are saved
    expect(interrupted('checkpoint')).toBeCloseTo(4500 + 2000, 0)
  })

  test('repartition: all other devices of the class share what is left', () => {
    const run = (devices: number) =>
      simulateInDetail(
        siblings({
          devices,
          items: 60,
          times: { a: 0, b: 0 },
          place: 'edge',
          directives: { a: { restore: 'repartition' } },
        }),
        { seed: 1, conditions: { deviceFailures: { at: [{ device: 2, atMs: 10_000 }] } } },
      )
    // about 50 items over 2, 5 and 10 others, one a second
    for (const [devices, longer] of [
      [3, 25],
      [6, 10],
      [11, 5],
    ] as const) {
      const { items, estimate } = run(devices)
      expect(items).toMatchObject({ emitted: 60 * devices, finished: 60 * devices, lost: 0 })
      expect(Math.abs(estimate.execTimeMs - (60 + longer) * 1000)).toBeLessThan(2000)
    }
  })
})

describe('state', () => {
  /** Items that take 300, then 20 ms in the cloud before they reach `keep`: later ones overtake. */
  const overtaking = (args: Task['args'], place: 'cloud' | 'edge' = 'cloud') => {
    const service = { mean: 160, quantiles: [20, 20, 20, 300, 300, 300], samples: 0 }
    return buildModel({
      workflow: workflowOf({
        sense: { args: { rate: '20/s' } },
        work: { reads: ['senseOut'], parents: ['sense'] },
        keep: { reads: ['workOut'], parents: ['work'], writes: null, args },
      }),
      placement: { sense: 'edge', work: 'cloud', keep: place },
      fleet: plainFleet(3, { cores: 4 }),
      profile: profileOf({ sense: tier(0), work: tier(service), keep: tier(40) }),
      itemsPerDevice: 40,
    })
  }

  test.each(['cloud', 'edge'] as const)('on the %s its items come one at a time and in order', (place) => {
    const model = overtaking({ state: 'device' }, place)
    const quantiles = Array.from({ length: 120 }, (_, at) => at / 119)
    const byDevice = new Map<number, { captured: number; from: number; to: number }[]>()
    for (const { device, capturedAtMs, spans } of traceItems(model, { seed: 1, quantiles })) {
      const { toMs = 0, execution = 0 } = spans.find(({ task }) => task === 'keep') ?? {}
      const to = capturedAtMs + toMs
      byDevice.set(device, [
        ...(byDevice.get(device) ?? []),
        { captured: capturedAtMs, from: to - execution, to },
      ])
    }
    expect(byDevice.size).toBe(3)
    for (const items of byDevice.values()) {
      const inOrder = items.toSorted((a, b) => a.captured - b.captured)
      expect(inOrder.length).toBe(40)
      for (const [at, { from }] of inOrder.entries())
        expect(from).toBeGreaterThanOrEqual((inOrder[at - 1]?.to ?? 0) - 1e-6)
    }
    const without = simulate(overtaking({}, place), { seed: 1 }).latencyMs.mean
    expect(simulate(model, { seed: 1 }).latencyMs.mean).toBeGreaterThan(without + 50)
  })

  test('an item that is lost does not keep the following ones waiting', () => {
    const { items } = simulateInDetail(overtaking({ state: 'device' }, 'edge'), {
      seed: 1,
      conditions: { deviceFailures: { meanMs: 1500, detectMs: 10, restore: 'ignore' } },
    })
    expect(items.lost).toBeGreaterThan(0)
    expect(items.finished + items.lost).toBe(items.emitted)
  })
})

describe('Data', () => {
  const sensing = (data: Partial<DataItem>, outputs = 30) => {
    const model = buildModel({
      workflow: workflowOf(
        { sense: {}, work: { reads: ['senseOut'], parents: ['sense'], writes: null } },
        { data: [{ name: 'senseOut', declared: true, ...data }] },
      ),
      placement: { sense: 'edge', work: 'edge' },
      fleet: plainFleet(1),
      profile: profileOf({ sense: tier(5, 0, outputs), work: tier(1) }),
    })
    return simulateInDetail(model, { seed: 1 })
  }

  test('rate: a sensor emits at that pace', () => {
    const rate = { dimension: 'rate' as const, value: 2, text: '2/s' }
    expect(Math.abs(sensing({ rate }).estimate.execTimeMs - 29 * 500)).toBeLessThan(502)
    // eight a second when nothing is said
    expect(Math.abs(sensing({}).estimate.execTimeMs - 29 * 125)).toBeLessThan(127)
  })

  test("kind='object': exactly one item, whatever runs have shown", () => {
    expect(sensing({ kind: 'object' }).items.planned).toBe(1)
    expect(sensing({}).items.planned).toBe(30)
  })

  test("kind='object' of a task that is called for each item: none is filtered out", () => {
    const filtering = (kind?: 'object') =>
      buildModel({
        workflow: workflowOf(
          {
            sense: { args: { rate: '8/s' } },
            judge: { reads: ['senseOut'], parents: ['sense'] },
            store: { reads: ['judgeOut'], parents: ['judge'], writes: null },
          },
          { data: [{ name: 'judgeOut', declared: true, ...(kind && { kind }) }] },
        ),
        placement: { sense: 'edge', judge: 'edge', store: 'edge' },
        fleet: plainFleet(1),
        profile: profileOf({ sense: tier(0), judge: tier(1, 0, 0.5), store: tier(1) }),
        itemsPerDevice: 20,
      }).tasks[2]?.invocations
    expect(filtering('object')).toBe(20)
    expect(filtering()).toBe(10)
  })
})

describe('a task on the devices behind a barrier', () => {
  const closedLoop = (move: Directives, devices = 4) => {
    const input: ModelInput = {
      workflow: workflowOf({
        sense: { args: { rate: '8/s' } },
        decide: { reads: ['senseOut'], parents: ['sense'], directives: all },
        move: { reads: ['decideOut'], parents: ['decide'], directives: move },
        log: { reads: ['moveOut'], parents: ['move'], writes: null, directives: all },
      }),
      placement: { sense: 'edge', decide: 'cloud', move: 'place' in move ? 'edge' : 'cloud', log: 'cloud' },
      fleet: plainFleet(devices),
      // 1 MB takes a millisecond
      profile: profileOf({
        sense: tier(0, 1000),
        decide: tier(100, 1e6),
        move: tier(400, 1000),
        log: tier(10),
      }),
      itemsPerDevice: 8,
    }
    return buildModel(input)
  }
  const received = ({ execTimeMs, bandwidthMBps }: { execTimeMs: number; bandwidthMBps: number }) =>
    (bandwidthMBps * execTimeMs) / 1000

  test('runs on each of them, with a result that is sent to each', () => {
    const scattered = simulate(closedLoop(onEdge()), { seed: 1 })
    expect(received(scattered)).toBeCloseTo(4 + (32 + 4) / 1000, 6)
    const once = simulate(closedLoop({}), { seed: 1 })
    expect(received(once)).toBeCloseTo(32 / 1000, 6)
    // 10 W for 400 ms on every device
    const { energyJ, execTimeMs } = scattered
    expect(energyJ - (2 * execTimeMs) / 1000).toBeCloseTo(4, 6)
    expect(once.energyJ - (2 * once.execTimeMs) / 1000).toBeCloseTo(0, 6)
  })

  test('runs on those that its pin names; the next barrier waits for all of these', () => {
    const model = closedLoop(onEdge('device-2'))
    const { perTask } = simulate(model, { seed: 1 })
    expect(received(simulate(model, { seed: 1 }))).toBeCloseTo(1 + (32 + 1) / 1000, 6)
    expect(perTask.log?.p50Ms).toBeGreaterThan(10)
    expect(model.tasks.map(({ lanes }) => lanes.length)).toEqual([4, 0, 1, 0])
  })

  test('the closed form agrees', () => {
    for (const model of [closedLoop(onEdge()), closedLoop(onEdge('device-2')), closedLoop({})]) {
      const simulated = simulate(model, { seed: 1 })
      const closed = estimateClosedForm(model)
      expect(Math.abs(closed.execTimeMs / simulated.execTimeMs - 1)).toBeLessThan(0.1)
      expect(received(closed)).toBeCloseTo(received(simulated), 6)
      expect(Math.abs(closed.energyJ / simulated.energyJ - 1)).toBeLessThan(0.1)
    }
  })
})
