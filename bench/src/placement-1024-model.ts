/** A workflow of a sensor and ten tasks that may run on either tier: 1,024 placements. */
import { constant, localFleet, type Placement } from '@hivemind/swarm'
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

/** Times in ms, rates in items a second of each drone. */
export const setting = {
  drones: 16,
  seconds: 120,
  rate: 1.5,
  serviceMs: 20,
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
  const {
    drones,
    seconds,
    rate,
    serviceMs,
    transferMs,
    delayMs,
    cores,
    coldStartMs,
    keepAliveMs,
    handOverMs,
  } = setting
  const childrenOf = (name: string) => names.filter((child) => parents[child]?.includes(name))
  const outputOf = (name: string) => (childrenOf(name).length > 0 ? `${name}Out` : null)
  const fleet = localFleet(drones)
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
      devices: fleet.devices.map((group) => ({ ...group, class: { ...group.class, cores: 1, cpuSpeed: 1 } })),
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
        ...Object.fromEntries(names.map((name) => [name, measured(exponential(serviceMs), bytes)])),
      },
    },
  })
  return (number) => {
    const placement: Placement = { sense: 'edge' }
    for (const [index, name] of names.entries()) placement[name] = isInCloud(number, index) ? 'cloud' : 'edge'
    return build(placement)
  }
}
