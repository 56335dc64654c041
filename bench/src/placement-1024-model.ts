/** A workflow of a sensor and ten tasks that may run on either tier: 1,024 placements. */
import { constant, type Distribution, localFleet, type Placement } from '@hivemind/swarm'
import { type Model, modelBuilder } from '@hivemind/swarm-sim'
import { exponential, measured, task, workflowOf } from './placement-hm2-model.ts'

/** Two forks, two joins and a tail; parents come first. The sensor is the parent of the first task. */
export const parents: Record<string, string[]> = {
  a: ['sense'],
  b: ['a'],
  c: ['a'],
  d: ['b'],
  e: ['c'],
  f: ['d', 'e'],
  g: ['f'],
  h: ['f'],
  i: ['g', 'h'],
  j: ['i'],
}

/** A quantile curve whose mean is exactly the one asked for. */
function serviceTimes(mean: number): Distribution {
  const { quantiles } = exponential(mean, 100)
  const area = quantiles.slice(1).reduce((sum, value, i) => sum + (value + (quantiles[i] ?? 0)) / 2, 0)
  const scale = (mean * 100) / area
  return { mean, quantiles: quantiles.map((value) => value * scale), samples: 0 }
}

/** Times in ms, rates in items a second of each drone. */
export const setting = {
  drones: 16,
  seconds: 120,
  rate: 1.5,
  /** Mean 20 ms, about exponential: as many points as a measured profile has. */
  serviceQuantiles: serviceTimes(20).quantiles,
  transferMs: 1,
  delayMs: 2,
  cores: 12,
  coldStartMs: 300,
  keepAliveMs: 20_000,
  handOverMs: 1,
}

const names = Object.keys(parents)
export const placements = 2 ** names.length

/** Placement n: bit i says whether task i is in the cloud. */
export const isInCloud = (placement: number, index: number) => ((placement >> index) & 1) === 1

/** Makes the model of placement n. */
export function models(): (placement: number) => Model {
  const { drones, seconds, rate, transferMs, delayMs, cores, coldStartMs, keepAliveMs, handOverMs } = setting
  const childrenOf = (name: string) => names.filter((child) => parents[child]?.includes(name))
  const outputOf = (name: string) => (childrenOf(name).length > 0 ? `${name}Out` : null)
  const { host: _, ...fleet } = localFleet(drones)
  const bytes = transferMs * 1000
  const build = modelBuilder({
    workflow: workflowOf([
      { ...task('sense', [], 'senseOut', [], childrenOf('sense')), args: { rate: `${rate}/s` } },
      ...names.map((name) => {
        const from = parents[name] ?? []
        return task(
          name,
          from.map((parent) => `${parent}Out`),
          outputOf(name),
          from,
          childrenOf(name),
        )
      }),
    ]),
    fleet: {
      ...fleet,
      devices: fleet.devices.map((group) => ({
        ...group,
        class: { ...group.class, processPerTask: false, awaitsArrival: false, cores: 1, cpuSpeed: 1 },
      })),
      uplink: { ...fleet.uplink, count: 1, kind: 'wired', bandwidthMbps: 8, delayMs },
      cloud: {
        ...fleet.cloud,
        servers: 1,
        coresPerServer: cores,
        cpuSpeed: 1,
        coldStartMs,
        keepAliveS: keepAliveMs / 1000,
        dispatchMs: 0,
        handOver: { fixedMs: handOverMs, bandwidthMBps: 1e9 },
      },
    },
    profile: {
      schema: 'hivemind.profile/1',
      note: '1,024 placements',
      tasks: {
        sense: measured(constant(0), bytes, seconds * rate),
        ...Object.fromEntries(names.map((name) => [name, measured(serviceTimes(20), bytes)])),
      },
    },
  })
  return (number) => {
    const placement: Placement = { sense: 'edge' }
    for (const [index, name] of names.entries()) placement[name] = isInCloud(number, index) ? 'cloud' : 'edge'
    return build(placement)
  }
}
