import { check } from '@hivemind/dsl'
import type { Span } from '@hivemind/orchestrator'
import type { Workflow } from '@hivemind/workflow'
import { expect, test } from 'vitest'
import { callsOf, ITEM_TO_SERVICE_MS, itemToServiceMsOf, profileWithCalls, withCalls } from './calls.ts'
import { machineFleet, onThisMachine } from './machine.ts'
import type { Cores } from './streams.ts'

function workflow(): Workflow {
  const text = [
    "TaskGraph(list=['watch', 'near', 'far'])",
    "Data(frame, kind='stream', rate='10/s')",
    "Task(watch, None, frame, 'watch.mjs', childTask=['near', 'far'])",
    "Task(near, frame, turn, 'near.mjs', parentTask=['watch'], childTask=[])",
    "Task(far, frame, found, 'far.mjs', parentTask=['watch'], childTask=[])",
  ].join('\n')
  const { workflow, diagnostics } = check(text, { fileExists: () => true })
  if (!workflow) throw new Error(JSON.stringify(diagnostics))
  return workflow
}

/** A span of the parts in ms that waited `waited` ms before; `after` ms of exchange follow the code. */
function span(
  task: string,
  tier: 'cloud' | 'edge',
  parts: Partial<Span['breakdown']>,
  { after = 0, items = 1, bytesOut = 1000, startedAt = 1000, waited = 0 } = {},
): Span {
  const breakdown = { network: 0, management: 0, dataExchange: 0, execution: 0, ...parts }
  const endedAt = startedAt + breakdown.execution + breakdown.network + after
  return {
    ...{ task, tier, device: 'device-1', seq: 0, worker: 'device-1', breakdown, items, bytesOut, bytesIn: 0 },
    ...{ queuedAt: startedAt - waited, startedAt, endedAt, status: 'ok', attempt: 1 },
  }
}

/** Two cores that others keep busy, so that sharing them explains every wait. */
const cores = (of: Partial<Cores> = {}): Cores => ({
  ...{ cores: 2, elapsedMs: 1000, others: Number.POSITIVE_INFINITY, workMs: 0, onCore: 1, ...of },
})

test('a call is part of a task’s time', () => {
  const spans = [
    span('far', 'cloud', { execution: 10, dataExchange: 3, management: 50 }),
    span('near', 'edge', { execution: 4, dataExchange: 2, network: 7 }, { after: 0.5 }),
    span('watch', 'edge', { execution: 100, dataExchange: 20, network: 30 }, { after: 20, items: 10 }),
  ]
  const runs = [{ spans, cores: cores() }]
  const { tasks } = profileWithCalls(workflow(), runs, 'a test')
  expect(tasks.far?.cloud?.serviceMs.mean).toBeCloseTo(13)
  expect(tasks.near?.edge?.serviceMs.mean).toBeCloseTo(6)
  expect(tasks.watch?.edge?.serviceMs.mean).toBeCloseTo(120)
  expect(tasks.watch?.edge?.outputsPerInvocation).toBe(10)
})

test('on an agent the way to the code counts, but not the wait for another invocation', () => {
  const near = (startedAt: number, waited: number): Span =>
    span('near', 'edge', { execution: 4, dataExchange: 2 }, { startedAt, waited })
  // the second waits for the first, which ends at 106
  const spans = [near(100, 0.4), near(106, 5), near(200, 0.8)]
  const { tasks } = profileWithCalls(workflow(), [{ spans, cores: cores() }], 'a test')
  const { quantiles = [] } = tasks.near?.edge?.serviceMs ?? {}
  expect([quantiles[0], quantiles[50], quantiles[100]]).toEqual([6.4, 6.6, 6.8])
})

test('a call counts without its wait for a core; a sensor’s is its pace as it was', () => {
  const spans = [
    span('far', 'cloud', { execution: 10, dataExchange: 8 }),
    span('watch', 'edge', { execution: 100, dataExchange: 20 }, { items: 10 }),
  ]
  const runs = [0.2, 0.3].map((onCore) => ({ spans, cores: cores({ onCore }) }))
  const { tasks } = profileWithCalls(workflow(), runs, 'a test')
  expect(tasks.far?.cloud?.serviceMs.mean).toBeCloseTo(10 + 8 * 0.25)
  expect(tasks.watch?.edge?.serviceMs.mean).toBeCloseTo(100 + 20)
})

test('a wait for a core that sharing the cores does not explain stays in the call', () => {
  const spans = [span('far', 'cloud', { execution: 10, dataExchange: 8 })]
  const meanOf = (of: Partial<Cores>, all = spans) =>
    profileWithCalls(workflow(), [{ spans: all, cores: cores(of) }], 'a test').tasks.far?.cloud?.serviceMs
      .mean
  // two cores for one invocation and three others
  expect(meanOf({ onCore: 0.2, others: 3 })).toBeCloseTo(10 + 8 * 0.5)
  expect(meanOf({ onCore: 0.9, others: 3 })).toBeCloseTo(10 + 8 * 0.9)
  expect(meanOf({ onCore: 0.2, others: 0 })).toBeCloseTo(10 + 8)
  // four at once, and a sensor, whose pace does not occupy a core
  const sensor = span('watch', 'edge', { execution: 900 }, { startedAt: 500, items: 10 })
  expect(meanOf({ onCore: 0.2, others: 0 }, [...spans, ...spans, ...spans, ...spans, sensor])).toBeCloseTo(
    10 + 8 * 0.5,
  )
})

test('sensors begin, go on and end as in runs, on devices as far apart', () => {
  const at = (device: string, seq: number, queuedAt: number): Span => ({
    ...span('near', 'edge', { execution: 1 }),
    ...{ device, seq, queuedAt },
  })
  const sensor = (device: string, queuedAt: number, endedAt: number): Span => ({
    ...span('watch', 'edge', { execution: 1 }, { items: 2 }),
    ...{ device, queuedAt, startedAt: queuedAt, endedAt },
  })
  const items = [at('device-1', 0, 10), at('device-2', 0, 14), at('device-1', 1, 36), at('device-2', 1, 30)]
  const streams = [sensor('device-1', 7, 40), sensor('device-2', 9, 42)]
  const shown = [{ spans: [...items, ...streams, at('device-1', 2, 50)], cores: cores() }]
  const { tasks, gapMs } = callsOf(workflow(), shown, machineFleet(2))
  // 3 and 5 ms after their inputs. 4 and 6 ms between the first and the last of two; the third item came on one device only
  expect(tasks.watch?.begin).toEqual({ afterMs: 4, spreadMs: 5 * 3 })
  // 40 ms for two gaps, 16 for one
  expect(gapMs).toEqual({ watch: 18 })
  // One stream ends before its last item, which came late: 0. The other 12 ms after.
  expect(tasks.watch?.endMs).toBeCloseTo(6)
  expect(callsOf(workflow(), shown, machineFleet(1)).tasks.watch?.begin?.spreadMs).toBe(0)
  expect(tasks.near).toMatchObject({ arrivalMs: expect.any(Number) })
  expect(tasks.near?.begin).toBeUndefined()
})

test('what the processes work beside code and calls is shared out over the items', () => {
  const spans = [
    span('far', 'cloud', { execution: 10, dataExchange: 8 }),
    span('near', 'edge', { execution: 4, dataExchange: 2 }),
    span('watch', 'edge', { execution: 100, dataExchange: 20, network: 4.2 }, { items: 10 }),
  ]
  const run = { spans, cores: cores({ onCore: 0.5, workMs: 60, others: 20 }) }
  const { tasks, others } = callsOf(workflow(), [run, run], machineFleet(1))
  // 0.2 ms of the way of an item is the loopback's delay, and 0.0001 ms its air
  const arrivalMs = (4.2 - 0.2 - 0.0001) / 2
  expect(tasks.watch?.arrivalMs).toBeCloseTo(arrivalMs)
  const waitedFor = 10 + 8 / 2 + 4 + 2 / 2 + 10 * arrivalMs
  expect(tasks.near?.besideMs).toBeCloseTo((60 - waitedFor) / 12)
  expect(others).toBe(20)
  const idle = callsOf(workflow(), [{ spans, cores: cores() }], machineFleet(1))
  expect(idle.tasks.near?.besideMs).toBe(0)
})

test('of several runs the typical one counts, not the one that was disturbed', () => {
  const run = (...times: number[]) => ({
    spans: times.map((execution) => span('far', 'cloud', { execution })),
    cores: cores(),
  })
  const { tasks } = profileWithCalls(workflow(), [run(1, 2, 3), run(1, 2, 300), run(2, 3, 4)], 'a test')
  const { mean, quantiles, samples } = tasks.far?.cloud?.serviceMs ?? { mean: 0, quantiles: [], samples: 0 }
  expect([quantiles[0], quantiles[50], quantiles[100], samples]).toEqual([1, 2, 4, 9])
  expect(mean).toBeGreaterThan(2)
  expect(mean).toBeLessThan(3)
})

test('what an item takes to the service is what is left of its way without the link', () => {
  const link = { mbps: 8, delayMs: 5, loss: 0, shared: true }
  // 1,000 bytes take 1 ms of the air, and 0.5 ms more behind the other agent; 5.2 ms is the delay of link and loopback
  const sent = [14, 13.9, 99].map((network) =>
    span('watch', 'edge', { network }, { items: 10, bytesOut: 10_000 }),
  )
  expect(itemToServiceMsOf(sent, machineFleet(2, link))).toBeCloseTo(14 - 5.2 - 1.5)
  expect(itemToServiceMsOf(sent, machineFleet(2))).toBeCloseTo(14 - 0.2 - 0.001)
  expect(itemToServiceMsOf([span('far', 'cloud', { execution: 5 })], machineFleet(2))).toBe(
    ITEM_TO_SERVICE_MS,
  )
})

test('a sensor whose code is faster than its rate keeps the rate, as the runner does', () => {
  const spans = [span('watch', 'edge', { execution: 200, dataExchange: 20 }, { items: 10 })]
  const profile = profileWithCalls(workflow(), [{ spans, cores: cores() }], 'a test')
  const placement = { watch: 'edge', near: 'edge', far: 'cloud' } as const
  const gapOf = (of: Workflow) =>
    onThisMachine({ workflow: of, placement, profile }, 2).model.tasks[0]?.gap?.mean
  const declared = workflow()
  const undeclared = { ...declared, data: declared.data.map(({ rate: _, ...data }) => data) }
  expect(gapOf(declared)).toBeCloseTo(100)
  expect(gapOf(undeclared)).toBeCloseTo(22, 0)
})

test('a sensor’s pace is that of runs, or else its own time; loss comes with its time-outs', () => {
  const spans = [span('watch', 'edge', { execution: 1000, dataExchange: 20 }, { after: 20, items: 10 })]
  const profile = profileWithCalls(workflow(), [{ spans, cores: cores() }], 'a test')
  const placement = { watch: 'edge', near: 'edge', far: 'cloud' } as const
  const link = { mbps: 54, delayMs: 2, loss: 0.01, shared: true }
  const given = { workflow: workflow(), placement, profile }
  const begin = { afterMs: 5, spreadMs: 7 }
  const { model, conditions } = onThisMachine(given, 2, link, {
    others: 1.5,
    tasks: { watch: { arrivalMs: 3, besideMs: 2, begin, endMs: 9 }, far: { computes: 0.25, arrivalMs: 3 } },
  })
  expect(model.tasks[0]?.gap?.mean).toBeCloseTo(100 + 2)
  expect(model.link.delayMs).toBeCloseTo(2.2)
  expect(model.host?.cores).toBeGreaterThan(0)
  expect(model.host?.others).toBe(1.5)
  expect(model.tasks.map(({ computes }) => computes)).toEqual([1, 1, 0.25])
  expect(model.tasks[0]).toMatchObject({ arrivalMs: 3, besideMs: 2, begin, endMs: 9 })
  expect(model.classes[0]).toMatchObject({ serverPerTask: true, awaitsArrival: true })
  expect(conditions).toEqual({ loss: 0.01, retransmitMs: 200 })
  expect(onThisMachine(given, 2).conditions).toEqual({})
  const unknown = onThisMachine({ workflow: workflow(), placement }, 2).model
  expect(unknown.tasks[0]?.gap?.mean).toBeCloseTo(100)
  expect(unknown.tasks[0]?.arrivalMs).toBe(ITEM_TO_SERVICE_MS)
  expect(unknown.tasks[0]?.begin).toBeUndefined()
  const shown = onThisMachine(given, 2, link, { others: 0, tasks: {}, gapMs: { watch: 40 } }).model
  expect(shown.tasks[0]?.gap?.mean).toBeCloseTo(40)
})

test('the edge nodes of this machine are estimated as functions beside those of its cloud', () => {
  const modelOf = (near: 'cloud' | 'edge-node', far: 'cloud' | 'edge-node') =>
    onThisMachine({ workflow: workflow(), placement: { watch: 'edge', near, far } }, 2).model
  const asInCloud = modelOf('cloud', 'cloud')
  for (const near of ['cloud', 'edge-node'] as const)
    for (const far of ['cloud', 'edge-node'] as const) {
      const { tasks, ...rest } = modelOf(near, far)
      expect({ ...rest, tasks: asInCloud.tasks }).toEqual(asInCloud)
      expect(tasks.map(({ tier }) => tier)).toEqual(['edge', near, far])
      expect(tasks.map((task) => ({ ...task, tier: '' }))).toEqual(
        asInCloud.tasks.map((task) => ({ ...task, tier: '' })),
      )
    }
})

test('of runs only the calls are taken, not the time of the code', () => {
  const shown = [
    span('far', 'cloud', { execution: 500, dataExchange: 3 }),
    span('far', 'cloud', { execution: 700, dataExchange: 5 }),
    span('watch', 'edge', { execution: 900, dataExchange: 20, network: 4.2 }, { after: 20, items: 10 }),
  ]
  const known = profileWithCalls(
    workflow(),
    [
      {
        spans: [
          span('far', 'cloud', { execution: 4 }),
          span('watch', 'edge', { execution: 100 }, { items: 5 }),
        ],
        cores: cores(),
      },
    ],
    'a test',
  )
  const { profile, calls } = withCalls(workflow(), known, [shown], machineFleet(1))
  expect(profile.tasks.far?.cloud?.serviceMs.mean).toBeCloseTo(4 + 4)
  expect(profile.tasks.far?.cloud?.serviceMs.quantiles.at(-1)).toBeCloseTo(4 + 5)
  expect(calls.tasks.far?.computes).toBeCloseTo(0.5)
  // 2 ms for each item: as many as the profile has, not as many as the runs had
  expect(profile.tasks.watch?.edge?.serviceMs.mean).toBeCloseTo(100 + 5 * 2)
  expect(calls.tasks.watch?.arrivalMs).toBeCloseTo(4.2 - 0.2 - 0.0001)
  expect(calls.others).toBe(0)
  expect(calls.tasks.near).toBeUndefined()
})
