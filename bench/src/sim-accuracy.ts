/** How near our simulator is to others on HM2, and to queueing theory where that is exact. */
import { constant, type Distribution, localFleet } from '@hivemind/swarm'
import { buildModel, type Model, simulateInDetail } from '@hivemind/swarm-sim'
import { exponential, hm2, measured, task, workflowOf } from './placement-hm2-model.ts'
import { type Command, dslab, resultOf, simpyCallbacks } from './placement-hm2-peers.ts'
import { type Exact, md1, mmc, mmcShared } from './sim-accuracy-theory.ts'
import type { Bench, Row } from './table.ts'

const DEVICES = 1000
const SEEDS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]
const CUSTOMERS = 1_000_000

interface Times extends Exact {
  cpuS: number
}

const meanOf = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

/** Means over replications with different seeds, which all have the same number of customers. */
function pooled(each: (seed: number) => Times): Times {
  const runs = SEEDS.map(each)
  return {
    mean: meanOf(runs.map((run) => run.mean)),
    p50: meanOf(runs.map((run) => run.p50)),
    p95: meanOf(runs.map((run) => run.p95)),
    p99: meanOf(runs.map((run) => run.p99)),
    cpuS: runs.reduce((sum, run) => sum + run.cpuS, 0),
  }
}

function ours(model: Model): Times {
  return pooled((seed) => {
    const before = process.cpuUsage()
    const { estimate, quantilesMs } = simulateInDetail(model, { seed })
    const used = process.cpuUsage(before)
    return { ...estimate.latencyMs, p95: quantilesMs[95] as number, cpuS: (used.user + used.system) / 1e6 }
  })
}

function theirs(command: Command): Times {
  return pooled((seed) => {
    const { meanS, p50S = Number.NaN, p95S = Number.NaN, p99S, cpuS } = resultOf(command, DEVICES, seed)
    return {
      mean: meanS * 1000,
      p50: p50S * 1000,
      p95: p95S * 1000,
      p99: p99S * 1000,
      cpuS,
    }
  })
}

/** The largest difference in p50, p95, p99 and mean, as a share. */
function furthest(a: Exact, b: Partial<Exact>): number {
  return Math.max(
    ...(['p50', 'p95', 'p99', 'mean'] as const).map((key) => Math.abs(a[key] / (b[key] ?? a[key]) - 1)),
  )
}

function compared(a: Exact, b: Partial<Exact>, goal: number): Record<string, string> {
  const share = furthest(a, b)
  return {
    'largest difference': `${(share * 100).toFixed(2)} %`,
    goal: `<= ${goal * 100} %: ${share <= goal ? 'met' : 'not met'}`,
  }
}

const figures = ({ p50, p95, p99, mean }: Times) => ({
  'p50 ms': p50.toFixed(2),
  'p95 ms': p95.toFixed(2),
  'p99 ms': p99.toFixed(2),
  'mean ms': mean.toFixed(2),
})

function peerRow(name: string, own: Times, prepare: () => Command): Row {
  try {
    const times = theirs(prepare())
    return { name, cpuS: times.cpuS, figures: { ...figures(times), ...compared(own, times, 0.02) } }
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error)
    return { name, cpuS: Number.NaN, figures: { note } }
  }
}

interface Queue {
  /** Mean time between customers, exponential, ms. */
  gap: number
  service: Distribution
  bytes?: number
  placement: 'edge' | 'cloud'
  /** Cores that work in turn, or, `shared`, all at once on whatever there is. */
  servers: number
  shared?: boolean
}

/** One sensor whose items arrive at random, and a task that each of them is for. */
function queue({ gap, service, bytes = 0, placement, servers: cores, shared = false }: Queue): Model {
  const { host, ...fleet } = localFleet(1)
  // as many servers as there may be jobs at once
  const servers = shared ? 2000 : cores
  const model = buildModel({
    workflow: workflowOf([
      task('sense', [], 'frame', [], ['work']),
      task('work', ['frame'], null, ['sense'], []),
    ]),
    placement: { sense: 'edge', work: placement },
    fleet: {
      ...fleet,
      ...(shared && { host: { cores, sources: host?.sources ?? [] } }),
      devices: fleet.devices.map((group) => ({
        ...group,
        class: { ...group.class, processPerTask: false, awaitsArrival: false, cores: servers, cpuSpeed: 1 },
      })),
      uplink: { ...fleet.uplink, kind: 'wired', bandwidthMbps: 8, delayMs: 0 },
      cloud: {
        ...fleet.cloud,
        servers: 1,
        coresPerServer: servers,
        cpuSpeed: 1,
        coldStartMs: 0,
        dispatchMs: 0,
      },
    },
    profile: {
      schema: 'hivemind.profile/1',
      note: 'a queue',
      tasks: { sense: measured(constant(0), bytes, CUSTOMERS), work: measured(service, 0) },
    },
  })
  return {
    ...model,
    tasks: model.tasks.map((each) => (each.gap ? { ...each, gap: exponential(gap) } : each)),
  }
}

/** Only the mean where only that is known. */
function theoryRow(name: string, given: Queue, exact: Partial<Exact>): Row {
  const times = ours(queue(given))
  const cell = (key: keyof Exact) => `${times[key].toFixed(2)} (${exact[key]?.toFixed(2) ?? '-'})`
  return {
    name,
    cpuS: times.cpuS,
    oursS: times.cpuS,
    figures: {
      'p50 ms': cell('p50'),
      'p95 ms': cell('p95'),
      'p99 ms': cell('p99'),
      'mean ms': cell('mean'),
      ...compared(times, exact, 0.01),
    },
  }
}

export const simAccuracy: Bench = {
  name: 'sim-accuracy',
  title: `HM2 with ${DEVICES} devices, means over ${SEEDS.length} seeds; queues with ${SEEDS.length} x ${CUSTOMERS} customers, exact values in brackets`,
  async run() {
    const own = ours(hm2(DEVICES))
    return [
      { name: 'HM2: HiveMind swarm-sim', cpuS: own.cpuS, figures: figures(own) },
      peerRow('HM2: SimPy 4.1.1, callbacks', own, simpyCallbacks),
      peerRow('HM2: DSLab simcore 0.1.0', own, dslab),
      theoryRow(
        'M/M/1, load 0.7, a core',
        { gap: 100, service: exponential(70), placement: 'edge', servers: 1 },
        mmc(1, 0.7, 70),
      ),
      theoryRow(
        'M/M/4, load 0.8, cores of a device',
        { gap: 100, service: exponential(320), placement: 'edge', servers: 4 },
        mmc(4, 0.8, 320),
      ),
      theoryRow(
        'M/M/20, load 0.85, cloud',
        { gap: 10, service: exponential(170), placement: 'cloud', servers: 20 },
        mmc(20, 0.85, 170),
      ),
      theoryRow(
        'M/D/1, load 0.7, a core',
        { gap: 100, service: constant(70), placement: 'edge', servers: 1 },
        md1(0.7, 70),
      ),
      theoryRow(
        'M/D/1, load 0.8, uplink',
        { gap: 10, service: constant(0), bytes: 8000, placement: 'cloud', servers: 1 },
        md1(0.8, 8),
      ),
      theoryRow(
        'M/M/1-PS, load 0.7, a host',
        { gap: 100, service: exponential(70), placement: 'edge', servers: 1, shared: true },
        mmcShared(1, 0.7, 70),
      ),
      theoryRow(
        'M/M/4-PS, load 0.8, a host',
        { gap: 100, service: exponential(320), placement: 'cloud', servers: 4, shared: true },
        mmcShared(4, 0.8, 320),
      ),
      theoryRow(
        'M/D/1-PS, load 0.7, a host',
        { gap: 100, service: constant(70), placement: 'edge', servers: 1, shared: true },
        { mean: 70 / 0.3 },
      ),
    ]
  },
}
