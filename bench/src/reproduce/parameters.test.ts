import { deviceClasses, type Fleet, fleetByName } from '@hivemind/swarm'
import { expect, test } from 'vitest'
import { callCost, fleetFor, SYSTEMS } from './fleet.ts'
import { QUANTITIES, type Quantity, SHIPPED } from './parameters.ts'

const drones = fleetByName('paper-drones') as Fleet
const cars = fleetByName('paper-cars') as Fleet
const quantities = Object.entries<Quantity>(QUANTITIES)

test.each(quantities)('%s lies in its range, or the paper gives it', (_, { value, range, from }) => {
  if (!range) expect(from).toMatch(/^paper, /)
  else {
    expect(value).toBeGreaterThanOrEqual(range[0])
    expect(value).toBeLessThanOrEqual(range[1])
  }
})

test.each(quantities.filter(([, { from }]) => from.startsWith('fleet ')))(
  'the range of %s is the one that its fleet states',
  (_, { range, from }) => {
    const fleet = from.startsWith('fleet paper-cars') ? cars : drones
    const sources = [
      ...deviceClasses(fleet).flatMap((each) => each.sources),
      ...fleet.uplink.sources,
      ...fleet.cloud.sources,
      ...(fleet.cloud.otherHandOvers ?? []).flatMap((each) => each.sources),
    ]
    const stated = sources.map((source) => `${source.what} ${source.from}`.replaceAll(',', ''))
    const [low, high] = range ?? []
    expect(stated.join('\n')).toMatch(new RegExp(`\\b${low}(-| to )${high}\\b`))
  },
)

test.each([drones, cars])(
  '$name is the fleet that ships, but for the idle containers of the other systems',
  (fleet) => {
    const { uplink, cloud, ...rest } = fleetFor(SHIPPED, fleet.name as 'paper-drones' | 'paper-cars')
    expect(rest).toEqual({
      name: fleet.name,
      label: fleet.label,
      schema: fleet.schema,
      devices: fleet.devices,
    })
    expect({ ...cloud, keepAliveS: 20 }).toEqual(fleet.cloud)
    const { rpc, ...link } = fleet.uplink
    expect({ ...uplink, rpc: undefined }).toEqual({ ...link, rpc: undefined })
    expect(uplink.rpc?.fixedMs).toBeCloseTo(rpc?.fixedMs ?? 0, 2)
    expect(uplink.rpc?.bandwidthMBps).toBeCloseTo(rpc?.bandwidthMBps ?? 0, 2)
  },
)

test('the fabric relieves the cloud alone: a drone still pays for its own end of a call', () => {
  // Half of a call of 1 ms and 1,000 MB/s, on a core with 0.08 of the speed; in software 20 ms and 15 MB/s more.
  const bare = callCost(SHIPPED, 0.08, true)
  expect(bare.fixedMs).toBeCloseTo(6.25)
  expect(bare.bandwidthMBps).toBeCloseTo(160)
  const software = callCost(SHIPPED, 0.08, false)
  expect(software.fixedMs).toBeCloseTo(26.25)
  expect(1000 / software.bandwidthMBps).toBeCloseTo(1000 / 160 + 1000 / 15)
})

test('HiveMind has what the ablations take away one by one', () => {
  const { hivemind, centralised, hivemindNoFabric, hivemindNoRpc, hivemindNoMemory } = SYSTEMS
  expect(centralised).toEqual({ placement: 'cloud', scheduler: false, rpc: false, remoteMemory: false })
  expect(hivemindNoRpc).toEqual({ ...hivemind, rpc: false })
  expect(hivemindNoMemory).toEqual({ ...hivemind, remoteMemory: false })
  expect(hivemindNoFabric).toEqual({ ...hivemind, rpc: false, remoteMemory: false })
})
