import { type Breakdown, deviceCount, withDevices } from '@hivemind/swarm'
import { buildModel, type Conditions, type Detail, simulateInDetail } from '@hivemind/swarm-sim'
import { type Command, InvalidArgumentError } from 'commander'
import { placementHelp, placementOn } from '../choice.ts'
import { whole } from '../options.ts'
import { answer, answerJson, figure, say, table } from '../output.ts'
import { fleetFor, profileFor, readReadyProject } from '../project.ts'

interface SimulateOptions {
  placement: string
  fleet: string
  devices?: number
  items?: number
  seed: number
  profile?: string
  loss?: number
  failures?: number
  stragglers?: { share: number; slowdown: number }
  respawnAt?: number
  load?: { fromMs: number; factor: number }[]
  json?: boolean
}

/** A share such as `2%` or `0.02`, at least 0 and below 1. */
function share(text: string): number {
  const value = text.endsWith('%') ? Number(text.slice(0, -1)) / 100 : Number(text)
  if (text.trim() === '' || !(value >= 0 && value < 1))
    throw new InvalidArgumentError('It must be a share such as 2% or 0.02, below 100%.')
  return value
}

/** `5%x10`: five in a hundred are ten times slower. */
function stragglers(text: string): { share: number; slowdown: number } {
  const [part = '', times = ''] = text.split('x')
  const slowdown = Number(times)
  if (times === '' || !(slowdown >= 1))
    throw new InvalidArgumentError('It must be SHARExSLOWDOWN, such as 5%x10.')
  return { share: share(part), slowdown }
}

/** `0s:1,60s:4`: from 60 s on four times the load. */
function load(text: string): { fromMs: number; factor: number }[] {
  const steps = text.split(',').map((step) => {
    const [, seconds, factor] = /^\s*([\d.]+)s?:([\d.]+)\s*$/.exec(step) ?? []
    if (seconds === undefined || !(Number(factor) > 0) || Number.isNaN(Number(seconds)))
      throw new InvalidArgumentError(`'${step}' must be SECONDS:FACTOR, such as 60s:4.`)
    return { fromMs: Number(seconds) * 1000, factor: Number(factor) }
  })
  if (steps.some(({ fromMs }, index) => index > 0 && fromMs < (steps[index - 1]?.fromMs ?? 0)))
    throw new InvalidArgumentError('The steps must be in order of time.')
  return steps
}

function conditionsOf(options: SimulateOptions): Conditions {
  const { loss, failures, stragglers: slow, respawnAt } = options
  return {
    ...(loss === undefined ? {} : { loss }),
    ...(failures === undefined ? {} : { functionFailures: failures }),
    ...(options.load === undefined ? {} : { load: options.load }),
    ...(slow || respawnAt !== undefined
      ? {
          stragglers: {
            ...(slow ?? { share: 0, slowdown: 1 }),
            ...(respawnAt === undefined ? {} : { respawnAt }),
          },
        }
      : {}),
  }
}

function tables({ estimate, quantilesMs, atMedian, atTail }: Detail): string {
  const parts = (of: Breakdown) =>
    [of.network, of.management, of.dataExchange, of.execution].map((value) => figure(value))
  const percent = (at: number) => figure(quantilesMs[at] ?? 0)
  return [
    table([
      ['LATENCY ms', 'P50', 'P90', 'P95', 'P99', 'MOST', 'MEAN'],
      ['', percent(50), percent(90), percent(95), percent(99), percent(100), figure(estimate.latencyMs.mean)],
    ]),
    table([
      ['WHERE IT GOES ms', 'NETWORK', 'MANAGEMENT', 'EXCHANGE', 'EXECUTION'],
      ['on average', ...parts(estimate.breakdown)],
      ['around the median', ...parts(atMedian)],
      ['the slowest 1 %', ...parts(atTail)],
    ]),
    table([
      ['TASK', 'TIER', 'P50 ms', 'P99 ms', 'NETWORK', 'MANAGEMENT', 'EXCHANGE', 'EXECUTION'],
      ...Object.entries(estimate.perTask).map(([task, { tier, p50Ms, p99Ms, breakdown }]) => [
        task,
        tier,
        figure(p50Ms),
        figure(p99Ms),
        ...parts(breakdown),
      ]),
    ]),
    table([
      ['RUN s', 'ITEMS/s', 'J/DEVICE', 'BATTERY %', 'MB/s', '$/h'],
      [
        figure(estimate.execTimeMs / 1000),
        figure(estimate.throughput),
        figure(estimate.energyJ),
        figure(100 * estimate.energyShare),
        figure(estimate.bandwidthMBps),
        figure(estimate.costPerHour),
      ],
    ]),
  ].join('\n\n')
}

export function simulateCommand(program: Command): void {
  program
    .command('simulate')
    .description('simulate one placement in full, under packet loss, stragglers, failures and changing load')
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--placement <choice>', placementHelp, 'best')
    .option('--fleet <name>', 'the fleet to simulate', 'paper-drones')
    .option('--devices <n>', 'number of devices instead of the fleet’s own', whole(1, 10_000))
    .option('--items <n>', 'items each sensor emits on a device', whole(1, 100_000))
    .option('--seed <n>', 'seed of the simulation', whole(0, 2 ** 31 - 1), 1)
    .option('--profile <file>', 'a profile instead of the project’s own')
    .option('--loss <share>', 'packets the radio loses and sends again, such as 2%', share)
    .option('--failures <share>', 'invocations of cloud functions that fail and are begun again', share)
    .option('--stragglers <spec>', 'SHARExSLOWDOWN of cloud functions, such as 5%x10', stragglers)
    .option('--respawn-at <quantile>', 'begin functions slower than this quantile again, such as 0.9', share)
    .option('--load <steps>', 'SECONDS:FACTOR,... of the sensors’ rate, such as 0s:1,60s:4', load)
    .option('--json', 'print the estimate, 101 quantiles and the breakdowns as JSON')
    .addHelpText(
      'after',
      '\nExample:\n  hivemind simulate examples/people-recognition --devices 64 --stragglers 3%x10 --respawn-at 0.9',
    )
    .action(async (target: string, options: SimulateOptions) => {
      const ready = await readReadyProject(target)
      const named = fleetFor(options.fleet)
      const fleet = options.devices === undefined ? named : withDevices(named, options.devices)
      const placement = await placementOn(ready, options.placement, fleet)
      const model = buildModel({
        workflow: ready.workflow,
        placement,
        fleet,
        profile: await profileFor(ready, options.profile),
        itemsPerDevice: options.items,
      })
      const conditions = conditionsOf(options)
      const detail = simulateInDetail(model, { seed: options.seed, conditions })
      const inputs = { fleet: fleet.name, devices: deviceCount(fleet), seed: options.seed, conditions }
      if (options.json) answerJson({ placement, ...detail, inputs })
      else {
        say(
          Object.entries(placement)
            .map(([task, tier]) => `${task}=${tier}`)
            .join(' '),
        )
        answer(tables(detail))
      }
    })
}
