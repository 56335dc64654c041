import { deviceClasses, type Fleet, fleetByName } from '@hivemind/swarm'
import { expect, test } from 'vitest'
import { fleetFor, QUANTITIES, type Quantity, SHIPPED } from './parameters.ts'

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

test('the fleets are those that ship, but for calls and for idle containers of the other systems', () => {
  for (const fleet of [drones, cars]) {
    const { uplink, cloud, ...rest } = fleetFor(
      SHIPPED,
      fleet.name as 'paper-drones' | 'paper-cars',
      'centralised',
    )
    expect({ ...rest, uplink: { ...uplink, rpc: undefined }, cloud: { ...cloud, keepAliveS: 20 } }).toEqual({
      ...fleet,
      uplink: { ...fleet.uplink, rpc: undefined },
      cloud: { ...fleet.cloud, handOver: { kind: 'store', ...fleet.cloud.handOver } },
    })
  }
})

test('the fabric relieves the servers alone: a drone still pays for its own end of a call', () => {
  const cost = (rpc: boolean) =>
    fleetFor(SHIPPED, 'paper-drones', 'hivemind', { rpc, remoteMemory: true }).uplink.rpc
  // Half of a call of 1 ms and 1,000 MB/s, on a core with 0.08 of the speed; and the other half in software.
  expect(cost(true)?.fixedMs).toBeCloseTo(6.25)
  expect(cost(true)?.bandwidthMBps).toBeCloseTo(160)
  expect(cost(false)?.fixedMs).toBeCloseTo(6.75)
})
