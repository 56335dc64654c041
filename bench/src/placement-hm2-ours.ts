/** One run of HM2 by our simulator: prints its figures as JSON. Argument: number of devices. */
import { constant, type Distribution, localFleet, type TierProfile } from '@hivemind/swarm'
import { buildModel, simulate, withItems } from '@hivemind/swarm-sim'
import type { Task, Workflow } from '@hivemind/workflow'

const devices = Number(process.argv[2])

const task = (
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

const workflow: Workflow = {
  schema: 'hivemind.workflow/1',
  tasks: [
    task('sense', [], 'frame', [], ['work']),
    task('work', ['frame'], 'answer', ['sense'], ['deliver']),
    task('deliver', ['answer'], null, ['work'], []),
  ],
  data: [],
  relations: [],
  constraints: [],
}

/** Exponential service with mean 200 ms; the last quantile gives the last piece its mean. */
const points = 4000
const quantiles = Array.from({ length: points + 1 }, (_, i) => -200 * Math.log(1 - i / points))
quantiles[points] = 200 * (Math.log(points) + 2)
const exponential: Distribution = { mean: 200, quantiles, samples: 0 }

const measured = (serviceMs: Distribution, bytes: number, items = 1) => {
  const tier: TierProfile = { serviceMs, outputBytes: constant(bytes), outputsPerInvocation: items }
  return { origin: 'measured' as const, cloud: tier, edge: tier }
}

const fleet = localFleet(devices)
const model = buildModel({
  workflow,
  placement: { sense: 'edge', work: 'cloud', deliver: 'edge' },
  fleet: {
    ...fleet,
    // 8 Mb/s: a thousand bytes take a millisecond
    uplink: { ...fleet.uplink, kind: 'wired', bandwidthMbps: 8, delayMs: 2 },
    cloud: {
      ...fleet.cloud,
      servers: 1,
      coresPerServer: Math.ceil((devices * 0.2) / 0.75),
      coldStartMs: 300,
      keepAliveS: 20,
      dispatchMs: 0,
    },
  },
  profile: {
    schema: 'hivemind.profile/1',
    note: 'HM2',
    tasks: {
      sense: measured(constant(0), 700e3 / devices, 120),
      work: measured(exponential, 100e3 / devices),
      deliver: measured(constant(0), 0),
    },
  },
})
// compiled by then, as it is in a service or in a browser
simulate(withItems(model, 5), { seed: 2 })
const before = process.cpuUsage()
const { latencyMs } = simulate(model, { seed: 1 })
const used = process.cpuUsage(before)
console.log(
  JSON.stringify({
    cpuS: (used.user + used.system) / 1e6,
    version: `0.1.0 (Node ${process.version})`,
    meanS: latencyMs.mean / 1000,
    p99S: latencyMs.p99 / 1000,
    rssMB: process.resourceUsage().maxRSS / 1024,
  }),
)
