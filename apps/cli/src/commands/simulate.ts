import { type Breakdown, deviceCount } from '@hivemind/swarm'
import {
  buildModel,
  type Detail,
  type ItemTrace,
  type Series,
  simulateInDetail,
  traceItems,
} from '@hivemind/swarm-sim'
import type { Command } from 'commander'
import { placementHelp, placementOn } from '../choice.ts'
import { addConditions, type ConditionOptions, checkedConditions } from '../conditions.ts'
import { addEstimate, type EstimateOptions } from '../options.ts'
import { answer, answerJson, figure, say, table } from '../output.ts'
import { fleetFor, profileFor, readReadyProject } from '../project.ts'

interface SimulateOptions extends EstimateOptions, ConditionOptions {
  placement: string
  series?: boolean
  trace?: boolean
  json?: boolean
}

const OUTAGES_SHOWN = 6

/** `2 (device-3 20 s failure, device-1 41 s battery)`. */
function summaryOf(outages: Detail['outages']): string {
  const shown = outages
    .slice(0, OUTAGES_SHOWN)
    .map(({ device, cause, atMs }) => `device-${device} ${figure(atMs / 1000)} s ${cause}`)
  const more = outages.length > OUTAGES_SHOWN ? ', ...' : ''
  return `${outages.length} (${shown.join(', ')}${more})`
}

/** The way of one item: an invocation a row. */
function wayOf({ quantile, device, capturedAtMs, latencyMs, spans }: ItemTrace): string {
  const name = quantile === 1 ? 'slowest' : `at ${figure(100 * quantile)} %`
  const head = `Item ${name}: ${figure(latencyMs)} ms, captured by device-${device} at ${figure(capturedAtMs / 1000)} s`
  const rows = spans.map(({ task, tier, fromMs, toMs, ...parts }) => [
    task,
    tier,
    ...[fromMs, toMs, parts.network, parts.management, parts.dataExchange, parts.execution].map((ms) =>
      figure(ms),
    ),
  ])
  return `${head}\n${table([['TASK', 'TIER', 'FROM ms', 'TO ms', 'NETWORK', 'MANAGEMENT', 'EXCHANGE', 'EXECUTION'], ...rows])}`
}

/** About a dozen points in time. */
function overTime(series: Series, endMs: number): string {
  const bins = series.finished.length
  const step = Math.ceil(bins / 12)
  const rows: string[][] = []
  for (
    let bin = Math.min(step, bins) - 1;
    bin < bins;
    bin = bin === bins - 1 ? bins : Math.min(bin + step, bins - 1)
  )
    rows.push([
      figure(Math.min(endMs, (bin + 1) * series.binMs) / 1000),
      ...[series.batteryMean[bin], series.batteryLowest[bin]].map((left) =>
        left === undefined ? '-' : figure(100 * left),
      ),
      figure(series.bandwidthMBps[bin] ?? 0),
      String(series.finished[bin] ?? 0),
    ])
  return table([['AT s', 'BATTERY %', 'LOWEST %', 'MB/s', 'FINISHED'], ...rows])
}

/** The share of missed deadlines of every task that has one. */
function deadlines(missed: Record<string, number>): string {
  return table([
    ['TASK', 'MISSED DEADLINES %'],
    ...Object.entries(missed).map(([task, share]) => [task, figure(100 * share)]),
  ])
}

function tables({
  estimate,
  quantilesMs,
  atMedian,
  atTail,
  items,
  completed,
  outages,
  series,
}: Detail): string {
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
    table([
      ['MISSION %', 'ITEMS', 'EMITTED', 'FINISHED', 'LOST', 'DEVICES DOWN'],
      [
        figure(100 * completed),
        String(items.planned),
        String(items.emitted),
        String(items.finished),
        String(items.lost),
        outages.length === 0 ? '0' : summaryOf(outages),
      ],
    ]),
    ...(estimate.edgeNodes
      ? [
          table([
            ['EDGE NODES BUSY %', 'J/NODE'],
            [figure(100 * estimate.edgeNodes.busyShare), figure(estimate.edgeNodes.energyJ)],
          ]),
        ]
      : []),
    ...(estimate.missedDeadlines ? [deadlines(estimate.missedDeadlines)] : []),
    ...(series ? [overTime(series, estimate.execTimeMs)] : []),
  ].join('\n\n')
}

export function simulateCommand(program: Command): void {
  const command = program
    .command('simulate')
    .description(
      'simulate one placement in full, under packet loss, stragglers, failures, empty batteries and changing load',
    )
    .argument('<workflow>', 'a .hive.py file, or a folder that holds one')
    .option('--placement <choice>', placementHelp, 'best')
  addEstimate(command, 'the fleet to simulate')
    .option('--series', 'tell the run over time too: battery left, bandwidth, items finished')
    .option('--trace', 'tell the way of a median item, one at 99 % and the slowest one too')
    .option('--json', 'print the estimate, 101 quantiles and the breakdowns as JSON')
  addConditions(command)
    .addHelpText(
      'after',
      [
        '\nExample:',
        '  hivemind simulate examples/people-recognition --devices 64 --stragglers 3%x10 --respawn-at 0.9',
        '  hivemind simulate examples/people-recognition --fail-device 3@20s --restore repartition --batteries --series',
      ].join('\n'),
    )
    .action(async (target: string, options: SimulateOptions) => {
      const ready = await readReadyProject(target)
      const fleet = await fleetFor(ready, options)
      const placement = await placementOn(ready, options.placement, fleet)
      const model = buildModel({
        workflow: ready.workflow,
        placement,
        fleet,
        profile: await profileFor(ready, options.profile),
        itemsPerDevice: options.items,
      })
      const conditions = checkedConditions(options, model)
      const detail = simulateInDetail(model, {
        seed: options.seed,
        conditions,
        series: options.series ?? false,
      })
      const traces = options.trace
        ? traceItems(model, { seed: options.seed, conditions, quantiles: [0.5, 0.99, 1] })
        : []
      const inputs = {
        fleet: fleet.name,
        devices: deviceCount(fleet),
        handOver: fleet.cloud.handOver.kind,
        seed: options.seed,
        conditions,
      }
      if (options.json) answerJson({ placement, ...detail, ...(options.trace && { traces }), inputs })
      else {
        say(
          Object.entries(placement)
            .map(([task, tier]) => `${task}=${tier}`)
            .join(' '),
        )
        answer([tables(detail), ...traces.map(wayOf)].join('\n\n'))
      }
    })
}
