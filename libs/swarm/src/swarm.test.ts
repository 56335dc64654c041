import { parseQuantity, type Task, type Workflow } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { assumedProfile, completeProfile, itemsPerDeviceOf, rateOf } from './assume.ts'
import { constant, fromSamples, momentsOf, quantileOf, withMean } from './distribution.ts'
import type { Fleet } from './fleet.ts'
import { deviceClasses, deviceCount, fleetByName, fleets, localFleet, withDevices } from './fleets.ts'
import { handOversOf, isDeployable, withHandOver } from './hand-over.ts'
import { ProfileError, parseProfile } from './parse.ts'
import type { Profile } from './profile.ts'

const task = (name: string, given: Partial<Task>): Task => ({
  name,
  dataIn: [],
  dataOut: null,
  code: `${name}.py`,
  parents: [],
  children: [],
  args: {},
  directives: {},
  ...given,
})

const workflow: Workflow = {
  schema: 'hivemind.workflow/1',
  tasks: [
    task('sense', { dataOut: 'frames', children: ['detect'] }),
    task('detect', { dataIn: ['frames'], dataOut: 'found', parents: ['sense'], children: ['merge'] }),
    task('merge', { dataIn: ['found'], parents: ['detect'], directives: { synchronize: { kind: 'all' } } }),
  ],
  data: [
    {
      name: 'frames',
      declared: true,
      size: parseQuantity('4MB') ?? undefined,
      rate: parseQuantity('2/s') ?? undefined,
    },
    { name: 'found', declared: false },
  ],
  relations: [],
  constraints: [],
}

describe('fleets', () => {
  test('cloud functions can hand data over in the ways the fleet knows', () => {
    const fleet = fleetByName('paper-drones') as Fleet
    expect(handOversOf(fleet)).toEqual(['store', 'direct', 'co-placed', 'remote-memory'])
    expect(withHandOver(fleet, 'store')).toBe(fleet)
    const { cloud } = withHandOver(fleet, 'remote-memory')
    expect(cloud.handOver).toEqual({ kind: 'remote-memory', fixedMs: 0.002, bandwidthMBps: 1250 })
    expect(handOversOf(fleet).filter(isDeployable)).toEqual(['store', 'co-placed'])
    expect(() => withHandOver(localFleet(2), 'direct')).toThrow(
      "Fleet 'local' knows no hand-over 'direct'; it knows store, co-placed.",
    )
  })

  test('the paper’s figures are there, and every fleet names its sources', () => {
    const drones = fleetByName('paper-drones')
    expect(drones && deviceCount(drones)).toBe(16)
    expect(drones?.cloud).toMatchObject({ servers: 12, coresPerServer: 40 })
    expect(drones?.uplink).toMatchObject({ count: 2, bandwidthMbps: 867, kind: 'wireless' })
    const cars = fleetByName('paper-cars')
    expect(cars && deviceCount(cars)).toBe(14)
    for (const fleet of fleets()) {
      const sources = [
        fleet.uplink.sources,
        fleet.cloud.sources,
        ...(fleet.cloud.otherHandOvers ?? []).map((each) => each.sources),
        ...fleet.devices.map((each) => each.class.sources),
        ...(fleet.host ? [fleet.host.sources] : []),
      ]
      for (const list of sources) {
        expect(list.length).toBeGreaterThan(0)
        for (const { what, from } of list) {
          expect(what).not.toBe('')
          expect(from).toMatch(/paper, section|assumption, plausible range|data sheet|definition|measured/)
        }
      }
    }
  })

  test('motion dominates what a drone’s board and radio can use (paper section 5.2)', () => {
    const drone = fleetByName('paper-drones')?.devices[0]?.class
    if (!drone) throw new Error('no drone')
    const radioW = 16 * drone.radio.txJPerMB
    expect(drone.power.motionW).toBeGreaterThan(3 * (drone.power.idleW + drone.power.computeW + radioW))
  })

  test('values are fresh: changing one does not change the next', () => {
    const first = fleetByName('paper-drones')
    if (first) first.cloud.servers = 1
    expect(fleetByName('paper-drones')?.cloud.servers).toBe(12)
    expect(fleetByName('nowhere')).toBeUndefined()
  })

  test('resizing keeps the shares of the classes', () => {
    const mixed = {
      ...localFleet(1),
      devices: [
        { class: { ...deviceClasses(localFleet(1))[0], name: 'a' } as never, count: 2 },
        { class: { ...deviceClasses(localFleet(1))[0], name: 'b' } as never, count: 1 },
      ],
    }
    expect(withDevices(mixed, 6).devices.map((group) => group.count)).toEqual([4, 2])
    expect(withDevices(mixed, 4).devices.map((group) => group.count)).toEqual([3, 1])
    expect(withDevices(mixed, 1).devices.map((group) => group.count)).toEqual([1, 0])
    const drones = fleetByName('paper-drones')
    if (!drones) throw new Error('no drones')
    expect(withDevices(drones, 1000).uplink.count).toBe(2)
    expect(withDevices(drones, 1000, { scaleLinks: true }).uplink.count).toBe(125)
    expect(() => withDevices(drones, 0)).toThrow(/whole number of at least 1, not 0/)
    expect(() => localFleet(1.5)).toThrow(/agents/)
    expect(withDevices(localFleet(2, 6), 4).host?.cores).toBe(6)
  })
})

describe('distributions', () => {
  test('moments follow from the curve, around the given mean', () => {
    const uniform = { mean: 5, quantiles: [0, 10], samples: 0 }
    expect(momentsOf(uniform)).toEqual({ mean: 5, variance: expect.closeTo(100 / 12, 9) })
    expect(momentsOf(constant(7))).toEqual({ mean: 7, variance: 0 })
    expect(momentsOf({ ...uniform, mean: 10 }).variance).toBeCloseTo(400 / 12, 9)
    expect(withMean(uniform, 1).quantiles).toEqual([0, 2])
    expect(withMean(constant(0), 3)).toEqual(constant(3))
  })

  test('samples become quantiles', () => {
    expect(fromSamples([3, 1, 2])).toEqual({ mean: 2, quantiles: [1, 2, 3], samples: 3 })
    expect(fromSamples([4])).toEqual({ mean: 4, quantiles: [4, 4], samples: 1 })
    expect(fromSamples(Array.from({ length: 1000 }, (_, i) => i)).quantiles).toHaveLength(101)
    expect(() => fromSamples([])).toThrow(/at least one/)
    expect(quantileOf([0, 10], 0.25)).toBe(2.5)
    expect(quantileOf([], 0.5)).toBe(0)
  })
})

describe('assumed profiles', () => {
  test('follow sizes, rates, roles and pins', () => {
    const { tasks } = assumedProfile(workflow)
    expect(tasks.sense?.edge?.outputBytes.mean).toBe(4e6)
    expect(tasks.sense?.edge?.outputsPerInvocation).toBe(240)
    expect(tasks.detect?.cloud?.serviceMs.mean).toBeCloseTo(10 + 4 * 95, 6)
    expect(tasks.merge?.cloud?.serviceMs.mean).toBeCloseTo(10 + 0.002 * 95, 6)
    expect(parseProfile(JSON.stringify(assumedProfile(workflow)))).toEqual(assumedProfile(workflow))
  })

  test('are small unless the workflow says that a sensor is a camera', () => {
    const [sense] = workflow.tasks as [Task]
    const bytesOf = (task: Task, data: Workflow['data'] = []): number | undefined =>
      assumedProfile({ ...workflow, data, tasks: [task] }).tasks.sense?.edge?.outputBytes.mean
    expect(bytesOf(sense)).toBe(1e3)
    expect(bytesOf({ ...sense, args: { fps: 8 } })).toBe(2e6)
    expect(
      bytesOf(sense, [{ name: sense.dataOut as string, kind: 'stream', type: 'image/jpeg', declared: true }]),
    ).toBe(2e6)
  })

  test('a sensor’s rate: Data, else its argument, else 8 a second', () => {
    const [sense] = workflow.tasks as [Task]
    const bare = { ...workflow, data: [] }
    expect(rateOf(workflow, sense)).toBe(2)
    expect(rateOf(bare, { ...sense, args: { rate: '20/s' } })).toBe(20)
    expect(rateOf(bare, { ...sense, args: { fps: 15 } })).toBe(15)
    expect(rateOf(bare, { ...sense, args: { rate: 'often' } })).toBe(8)
  })

  test('completing keeps what was measured, derives a missing tier and assumes the rest', () => {
    const measured: Profile = {
      schema: 'hivemind.profile/1',
      note: 'measured here',
      tasks: {
        sense: {
          origin: 'measured',
          edge: { serviceMs: constant(9), outputBytes: constant(100), outputsPerInvocation: 30 },
        },
        unknown: { origin: 'assumed' },
      },
    }
    const before = JSON.stringify(measured)
    const full = completeProfile(workflow, measured)
    expect(Object.keys(full.tasks)).toEqual(['sense', 'detect', 'merge'])
    expect(full.tasks.sense?.cloud).toEqual(full.tasks.sense?.edge)
    expect(full.tasks.sense?.origin).toBe('measured')
    expect(full.tasks.detect?.origin).toBe('assumed')
    expect(full.note).toBe('measured here')
    expect(itemsPerDeviceOf(workflow, full)).toBe(30)
    expect(JSON.stringify(measured)).toBe(before)
  })
})

describe('reading a profile', () => {
  const good = JSON.parse(JSON.stringify(assumedProfile(workflow)))
  const broken = (change: (profile: Record<string, never>) => void) => {
    const copy = JSON.parse(JSON.stringify(good))
    change(copy)
    return () => parseProfile(copy)
  }

  test.each<[string, (profile: never) => void, RegExp]>([
    ['schema', (p: { schema: string }) => (p.schema = 'x'), /'schema': it must be "hivemind.profile\/1"/],
    ['missing', (p: { tasks?: unknown }) => delete p.tasks, /the field 'tasks' is missing/],
    ['unknown', (p: { extra?: number }) => (p.extra = 1), /'\(root\).extra': this field is unknown/],
    [
      'no tier',
      (p: { tasks: { sense: object } }) => (p.tasks.sense = { origin: 'measured' }),
      /tasks.sense.*at least one of 'cloud', 'edge'/,
    ],
    [
      'origin',
      (p: { tasks: { sense: { origin: string } } }) => (p.tasks.sense.origin = 'guess'),
      /tasks.sense.origin/,
    ],
    [
      'falling quantiles',
      (p: typeof good) => (p.tasks.detect.cloud.serviceMs.quantiles = [3, 2]),
      /tasks.detect.cloud.serviceMs.quantiles\[1\]': quantiles must not fall/,
    ],
    [
      'one quantile',
      (p: typeof good) => (p.tasks.detect.cloud.serviceMs.quantiles = [3]),
      /at least two numbers/,
    ],
    [
      'negative',
      (p: typeof good) => (p.tasks.detect.edge.outputBytes.mean = -1),
      /at least 0, not the number -1/,
    ],
    [
      'mean outside',
      (p: typeof good) => (p.tasks.detect.edge.outputBytes.mean = 1e9),
      /lies outside the quantiles/,
    ],
  ] as never)('refuses: %s', (_, change, message) => {
    expect(broken(change as never)).toThrow(ProfileError)
    expect(broken(change as never)).toThrow(message)
  })

  test('refuses what is no JSON and no object', () => {
    expect(() => parseProfile('{')).toThrow(/not JSON/)
    expect(() => parseProfile([])).toThrow(/must be an object, not a list/)
    expect(() => parseProfile(null)).toThrow(/not null/)
  })
})
