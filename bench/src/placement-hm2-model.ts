/** HM2 (docs/bench/simulator.md) as a model of our simulator. */
import { constant, type Distribution, localFleet, type TierProfile } from '@hivemind/swarm'
import { buildModel, type Model } from '@hivemind/swarm-sim'
import type { Task, Workflow } from '@hivemind/workflow'

export const task = (
  name: string,
  dataIn: string[],
  dataOut: string | null,
  parents: string[],
  children: string[],
): Task => ({
  name,
  dataIn,
  dataOut,
  code: `${name}.py`,
  parents,
  children,
  args: name === 'sense' ? { rate: '1/s' } : {},
  directives: {},
})

export const workflowOf = (tasks: Task[]): Workflow => ({
  schema: 'hivemind.workflow/1',
  tasks,
  data: [],
  relations: [],
  constraints: [],
})

/** Exponential; the last quantile gives the last piece its mean. */
export function exponential(mean: number, points = 4000): Distribution {
  const quantiles = Array.from({ length: points + 1 }, (_, i) => -mean * Math.log(1 - i / points))
  quantiles[points] = mean * (Math.log(points) + 2)
  return { mean, quantiles, samples: 0 }
}

export const measured = (serviceMs: Distribution, bytes: number, items = 1) => {
  const tier: TierProfile = { serviceMs, outputBytes: constant(bytes), outputsPerInvocation: items }
  return { origin: 'measured' as const, cloud: tier, edge: tier }
}

const fleetOf = (devices: number) => {
  const { host: _, ...fleet } = localFleet(devices)
  return {
    ...fleet,
    devices: fleet.devices.map((group) => ({ ...group, class: { ...group.class, awaitsArrival: false } })),
    // 8 Mb/s: a thousand bytes take a millisecond
    uplink: { ...fleet.uplink, kind: 'wired' as const, bandwidthMbps: 8, delayMs: 2 },
    cloud: {
      ...fleet.cloud,
      servers: 1,
      coresPerServer: Math.ceil((devices * 0.2) / 0.75),
      coldStartMs: 300,
      keepAliveS: 20,
      dispatchMs: 0,
    },
  }
}

/** HM2 with a number of devices. */
export function hm2(devices: number): Model {
  return buildModel({
    workflow: workflowOf([
      task('sense', [], 'frame', [], ['work']),
      task('work', ['frame'], 'answer', ['sense'], ['deliver']),
      task('deliver', ['answer'], null, ['work'], []),
    ]),
    placement: { sense: 'edge', work: 'cloud', deliver: 'edge' },
    fleet: fleetOf(devices),
    profile: {
      schema: 'hivemind.profile/1',
      note: 'HM2',
      tasks: {
        sense: measured(constant(0), 700e3 / devices, 120),
        work: measured(exponential(200), 100e3 / devices),
        deliver: measured(constant(0), 0),
      },
    },
  })
}
