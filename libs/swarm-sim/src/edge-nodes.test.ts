/** Edge nodes: their cores, both of their links, and that closed form and simulation agree about them. */
import {
  constant,
  type EdgeNodes,
  type Fleet,
  fleetByName,
  type Placement,
  type Tier,
  withDevices,
} from '@hivemind/swarm'
import type { Directives } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { workflowOf } from '../test/workflows.ts'
import { estimateClosedForm } from './closed-form/closed-form.ts'
import type { Conditions } from './faults.ts'
import { buildModel } from './model/build.ts'
import { simulate, simulateInDetail, traceItems } from './simulate.ts'

const nodes: EdgeNodes = {
  name: 'gateway',
  label: 'Gateway',
  count: 2,
  cores: 2,
  cpuSpeed: 0.5,
  memoryMB: 4096,
  power: { idleW: 3, computeW: 2 },
  callMs: 1.5,
  link: { kind: 'wireless', bandwidthMbps: 80, delayMs: 2 },
  backhaul: { kind: 'wired', bandwidthMbps: 40, delayMs: 10 },
  sources: [],
}

function fleetOf(devices: number, change: Partial<EdgeNodes> = {}): Fleet {
  const fleet = fleetByName('sensor-gateways')
  if (!fleet) throw new Error('the fleet sensor-gateways is missing')
  return { ...withDevices(fleet, devices), edgeNodes: { ...nodes, ...change } }
}

/** Frames are sensed, looked at, and counted for the swarm. */
const watch = (directives: Directives = {}) =>
  workflowOf({
    sense: {},
    look: { reads: ['senseOut'], parents: ['sense'], directives },
    mark: { reads: ['lookOut'], parents: ['look'] },
    count: { reads: ['markOut'], parents: ['mark'], directives: { synchronize: { kind: 'all' } } },
  })

const at = (outputBytes: number, serviceMs: number, spread = false) => {
  const cloud = {
    serviceMs: spread
      ? { mean: serviceMs, quantiles: [0.5, 1, 1.5].map((x) => x * serviceMs), samples: 3 }
      : constant(serviceMs),
    outputBytes: constant(outputBytes),
    outputsPerInvocation: 1,
  }
  return { origin: 'measured' as const, cloud, edge: cloud }
}

function modelOf(
  look: Tier,
  mark: Tier,
  options: {
    devices?: number
    items?: number
    change?: Partial<EdgeNodes>
    directives?: Directives
    lookMs?: number
    spread?: boolean
  } = {},
) {
  const { devices = 4, items = 200, lookMs = 10, spread } = options
  const sense = { serviceMs: constant(1), outputBytes: constant(100_000), outputsPerInvocation: items }
  return buildModel({
    workflow: watch(options.directives),
    placement: { sense: 'edge', look, mark, count: 'cloud' } satisfies Placement,
    fleet: fleetOf(devices, options.change),
    profile: {
      schema: 'hivemind.profile/1',
      note: '',
      tasks: {
        sense: { origin: 'measured', cloud: sense, edge: sense },
        look: at(1000, lookMs, spread),
        mark: at(500, 4, spread),
        count: at(10, 1),
      },
    },
  })
}

const off = (a: number, b: number) => Math.abs(a / b - 1)

describe('one item alone', () => {
  // 100,000 bytes at 80 Mbit/s, and the way of 2 ms
  const toNode = 10 + 2
  const model = () => modelOf('edge-node', 'edge-node', { devices: 1, items: 1 })

  test('takes the radio, the call, its time on a core of the node, and no time from task to task there', () => {
    const closed = estimateClosedForm(model())
    // the closed form takes a run of one item for a short stream, whose items may meet
    expect(off(closed.latencyMs.mean, simulate(model(), { seed: 1 }).latencyMs.mean)).toBeLessThan(0.01)
    for (const estimate of [simulate(model(), { seed: 1 }), closed])
      expect(estimate.perTask.look?.breakdown.execution).toBeCloseTo(20, 9)
    const estimate = simulate(model(), { seed: 1 })
    expect(estimate.perTask.look?.breakdown.network).toBeCloseTo(toNode, 9)
    expect(estimate.perTask.look?.breakdown.management).toBeCloseTo(1.5, 9)
    expect(estimate.perTask.mark?.breakdown.network).toBe(0)
    expect(estimate.perTask.mark?.breakdown.execution).toBeCloseTo(8, 9)
    // 500 bytes at 40 Mbit/s, and the way of 10 ms
    expect(estimate.perTask.count?.breakdown.network).toBeCloseTo(0.1 + 10, 9)
    expect(estimate.latencyMs.mean).toBeCloseTo(toNode + 1.5 + 20 + 1.5 + 8, 9)
  })

  test('from the node back to its device, and from the cloud to a node', () => {
    const back = modelOf('edge-node', 'edge', { devices: 1, items: 1 })
    const down = modelOf('cloud', 'edge-node', { devices: 1, items: 1 })
    for (const estimate of [simulate(back, { seed: 1 }), estimateClosedForm(back)])
      expect(estimate.perTask.mark?.breakdown.network).toBeCloseTo(0.1 + 2, 9)
    for (const estimate of [simulate(down, { seed: 1 }), estimateClosedForm(down)])
      expect(estimate.perTask.mark?.breakdown.network).toBeCloseTo(0.2 + 10, 9)
  })
})

describe('bytes and energy', () => {
  test('the device pays for its radio; only what goes to the cloud is bandwidth', () => {
    const model = modelOf('edge-node', 'edge-node', { devices: 2, items: 50 })
    const [kind] = model.classes
    for (const estimate of [simulate(model, { seed: 1 }), estimateClosedForm(model)]) {
      const seconds = estimate.execTimeMs / 1000
      // 50 items of 500 bytes of 2 devices over the backhaul
      expect(estimate.bandwidthMBps * seconds).toBeCloseTo((2 * 50 * 500) / 1e6, 9)
      const idle = (kind?.idleW ?? 0) * seconds
      expect(estimate.energyJ - idle).toBeCloseTo(50 * 100_000 * (kind?.txJPerByte ?? 0), 6)
    }
  })

  test('a run over time has the same bytes and energy', () => {
    const model = modelOf('edge-node', 'edge', { devices: 3, items: 100 })
    const { estimate, series } = simulateInDetail(model, { seed: 1, series: true })
    expect(series?.energyJ.at(-1)).toBeCloseTo(estimate.energyJ, 6)
    const ends =
      series?.bandwidthMBps.map((_, bin) => Math.min(estimate.execTimeMs, (bin + 1) * series.binMs)) ?? []
    const bytes =
      series?.bandwidthMBps.reduce(
        (sum, rate, bin) => sum + rate * ((ends[bin] ?? 0) - (ends[bin - 1] ?? 0)),
        0,
      ) ?? 0
    expect(bytes).toBeCloseTo(estimate.bandwidthMBps * estimate.execTimeMs, 3)
  })

  test('what a node uses: idle all the time, and its busy cores', () => {
    const model = modelOf('edge-node', 'edge-node', { devices: 4, items: 100 })
    for (const estimate of [simulate(model, { seed: 1 }), estimateClosedForm(model)]) {
      // two devices a node, 28 ms of work for each item
      const busyMs = 2 * 100 * 28
      expect(estimate.edgeNodes?.busyShare).toBeCloseTo(busyMs / (2 * estimate.execTimeMs), 6)
      expect(estimate.edgeNodes?.energyJ).toBeCloseTo((3 * estimate.execTimeMs + 2 * busyMs) / 1000, 6)
    }
    expect(estimateClosedForm(buildModelWithoutNodes()).edgeNodes).toBeUndefined()
  })
})

function buildModelWithoutNodes() {
  const { edgeNodes: _, ...fleet } = fleetOf(2)
  return buildModel({
    workflow: watch(),
    placement: { sense: 'edge', look: 'cloud', mark: 'cloud', count: 'cloud' },
    fleet,
    itemsPerDevice: 5,
  })
}

describe('devices of a node wait for one another', () => {
  test('more devices for each core take longer, more nodes less', () => {
    const mean = (devices: number, change = {}) =>
      simulate(modelOf('edge-node', 'edge-node', { devices, change }), { seed: 1 }).latencyMs.mean
    expect(mean(12)).toBeGreaterThan(1.2 * mean(2))
    expect(mean(12, { count: 12 })).toBeLessThan(1.1 * mean(2))
  })

  test('a class that a node does not serve keeps its tasks elsewhere', () => {
    const fleet = fleetOf(3)
    const [group] = fleet.devices
    if (!group) throw new Error('the fleet has no devices')
    const mixed: Fleet = {
      ...fleet,
      devices: [group, { count: 2, class: { ...group.class, name: 'buoy' } }],
      edgeNodes: { ...nodes, serves: ['buoy'] },
    }
    const input = {
      workflow: watch({ place: { tier: 'edge', target: 'gateway' } }),
      fleet: mixed,
      itemsPerDevice: 5,
    }
    const model = buildModel({
      ...input,
      placement: { sense: 'edge', look: 'edge-node', mark: 'cloud', count: 'cloud' },
    })
    expect(model.nodes?.nodeOf).toEqual([-1, -1, -1, 0, 1])
    expect(model.tasks.map(({ lanes }) => lanes)).toEqual([[0, 1, 2, 3, 4], [3, 4], [3, 4], []])
    expect(simulate(model, { seed: 1 }).perTask.look?.p50Ms).toBeGreaterThan(0)
  })
})

describe('the links', () => {
  /** Frames are read by two tasks at once, each on a tier. */
  const both = (a: Tier, b: Tier, change: Partial<EdgeNodes> = {}) =>
    buildModel({
      workflow: workflowOf({
        sense: {},
        look: { reads: ['senseOut'], parents: ['sense'], writes: null },
        hear: { reads: ['senseOut'], parents: ['sense'], writes: null },
      }),
      placement: { sense: 'edge', look: a, hear: b },
      fleet: fleetOf(4, change),
      itemsPerDevice: 50,
      profile: {
        schema: 'hivemind.profile/1',
        note: '',
        tasks: { sense: at(100_000, 1), look: at(0, 1), hear: at(0, 1) },
      },
    })

  test('an item crosses once for all tasks that read it on the node', () => {
    const model = both('edge-node', 'edge-node')
    const [kind] = model.classes
    for (const estimate of [simulate(model, { seed: 1 }), estimateClosedForm(model)])
      expect(estimate.energyJ - ((kind?.idleW ?? 0) * estimate.execTimeMs) / 1000).toBeCloseTo(
        50 * 100_000 * (kind?.txJPerByte ?? 0),
        6,
      )
  })

  test('what goes over the uplink does not delay what goes to the node', () => {
    const network = (hear: Tier) =>
      simulate(both('edge-node', hear), { seed: 1 }).perTask.look?.breakdown.network
    expect(network('cloud')).toBe(network('edge'))
  })

  test('both directions share a wireless link, and not another one', () => {
    const mean = (kind: 'wireless' | 'wired') =>
      simulate(
        modelOf('edge-node', 'edge', {
          devices: 12,
          change: { link: { kind, bandwidthMbps: 80, delayMs: 2 } },
        }),
        { seed: 1 },
      ).perTask.mark?.breakdown.network ?? 0
    expect(mean('wired')).toBeCloseTo(0.1 + 2, 1)
    expect(mean('wireless')).toBeGreaterThan(1.5 * mean('wired'))
  })
})

describe('closed form and simulation', () => {
  test.each([
    ['edge-node', 'edge-node', 2, 10],
    ['edge-node', 'edge', 8, 10],
    ['cloud', 'edge-node', 8, 10],
    ['edge-node', 'cloud', 8, 10],
    ['edge-node', 'edge-node', 6, 10],
    // more work than the cores of the nodes can do: the backlog grows with the run
    ['edge-node', 'cloud', 12, 40],
  ] as const)('agree about %s and %s, %d devices, %d ms', (look, mark, devices, lookMs) => {
    const model = modelOf(look, mark, { devices, items: 400, lookMs, spread: true })
    const simulated = simulate(model, { seed: 1 })
    const closed = estimateClosedForm(model)
    expect(off(closed.latencyMs.mean, simulated.latencyMs.mean)).toBeLessThan(0.05)
    // as with the same tasks in the cloud or on the devices, whose times vary less than the gamma distribution takes them to
    expect(off(closed.latencyMs.p99, simulated.latencyMs.p99)).toBeLessThan(0.25)
    expect(off(closed.execTimeMs, simulated.execTimeMs)).toBeLessThan(0.05)
    expect(off(closed.energyJ, simulated.energyJ)).toBeLessThan(0.05)
    expect(off(closed.bandwidthMBps, simulated.bandwidthMBps)).toBeLessThan(0.05)
    expect(off(closed.edgeNodes?.busyShare ?? 0, simulated.edgeNodes?.busyShare ?? 1)).toBeLessThan(0.05)
  })

  test('agree about a result of the swarm that is scattered to the nodes, once for each device', () => {
    const workflow = workflowOf({
      sense: {},
      join: { reads: ['senseOut'], parents: ['sense'], directives: { synchronize: { kind: 'all' } } },
      apply: {
        reads: ['joinOut'],
        parents: ['join'],
        directives: { place: { tier: 'edge', target: 'gateway' } },
      },
    })
    const model = buildModel({
      workflow,
      placement: { sense: 'edge', join: 'cloud', apply: 'edge-node' },
      fleet: fleetOf(4),
      itemsPerDevice: 20,
    })
    const simulated = simulate(model, { seed: 1 })
    const closed = estimateClosedForm(model)
    expect(simulated.perTask.apply?.breakdown.network).toBeGreaterThan(10)
    expect(off(closed.execTimeMs, simulated.execTimeMs)).toBeLessThan(0.1)
    expect(off(closed.bandwidthMBps, simulated.bandwidthMBps)).toBeLessThan(0.1)
  })
})

test('every item is finished: none is lost on the links of a node', () => {
  const model = modelOf('edge-node', 'edge', { devices: 5, items: 300, spread: true })
  const { items } = simulateInDetail(model, { seed: 3, conditions: { loss: 0.05 } })
  expect(items).toEqual({ planned: 1500, emitted: 1500, finished: 1500, lost: 0 })
})

test('lost packets of the radio to a node are sent again, those of the backhaul are not lost', () => {
  const energy = (loss: number) =>
    simulate(modelOf('edge-node', 'edge-node', { items: 50 }), { seed: 1, conditions: { loss } })
  expect(energy(0.1).energyJ).toBeGreaterThan(energy(0).energyJ)
  expect(energy(0.1).bandwidthMBps * energy(0.1).execTimeMs).toBeCloseTo(
    energy(0).bandwidthMBps * energy(0).execTimeMs,
    3,
  )
})

test('the way of one item names the tier', () => {
  const [trace] = traceItems(modelOf('edge-node', 'edge', { items: 10 }), { seed: 1, quantiles: [0.5] })
  expect(trace?.spans.map(({ task, tier }) => [task, tier])).toEqual([
    ['look', 'edge-node'],
    ['mark', 'edge'],
  ])
})

test.each([
  ['deviceFailures', { deviceFailures: { meanMs: 1000 } }],
  ['batteries', { batteries: true }],
  ['mobility', { mobility: { areaM: [100, 100], route: 'sweep' } }],
  ['retransmitMs', { loss: 0.1, retransmitMs: 200 }],
] as [string, Conditions][])('%s is refused with tasks on edge nodes', (name, conditions) => {
  expect(() => simulate(modelOf('edge-node', 'cloud'), { seed: 1, conditions })).toThrow(
    `'${name}' is not simulated with tasks on edge nodes, such as 'look': leave it out, or place them elsewhere.`,
  )
  simulate(modelOf('edge', 'cloud', { items: 5 }), { seed: 1, conditions })
})
