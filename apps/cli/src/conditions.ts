/** What befalls a simulated run, as options of a command. */
import {
  type Conditions,
  checkConditions,
  type DeviceFailures,
  type Learning,
  type Mobility,
  type Model,
} from '@hivemind/swarm-sim'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { usageFault } from './failure.ts'

export interface ConditionOptions {
  loss?: number
  retransmit?: number
  failures?: number
  stragglers?: { share: number; slowdown: number }
  respawnAt?: number
  load?: { fromMs: number; factor: number }[]
  failDevice?: NonNullable<DeviceFailures['at']>
  deviceMtbf?: number
  detect?: number
  restart?: number
  restore?: NonNullable<DeviceFailures['restore']>
  batteries?: boolean
  learnEvery?: number
  learn?: NonNullable<Learning['scope']>
  decisionSize?: number
  trainTime?: number
  modelSize?: number
  area?: [number, number]
  route?: NonNullable<Mobility['route']>
  accessPoints?: NonNullable<Mobility['accessPointsM']>
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

/** A time such as `90`, `90s`, `500ms` or `2min`, in ms. */
function time(text: string): number {
  const [, value = '', unit = 's'] = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|h)?\s*$/.exec(text) ?? []
  if (value === '') throw new InvalidArgumentError('It must be a time such as 500ms, 90s or 2min.')
  return Number(value) * ({ ms: 1, s: 1000, min: 60e3, h: 3600e3 }[unit] ?? 1000)
}

/** `3@20s`: device 3 fails after 20 s; several with commas, or with the option once more. */
function failDevice(
  text: string,
  before: { device: number; atMs: number }[] = [],
): { device: number; atMs: number }[] {
  const failures = text.split(',').map((each) => {
    const [, device, at] = /^\s*(?:device-)?(\d+)@(.+)$/.exec(each) ?? []
    if (device === undefined || at === undefined)
      throw new InvalidArgumentError(`'${each}' must be DEVICE@TIME, such as 3@20s.`)
    return { device: Number(device), atMs: time(at) }
  })
  return [...before, ...failures]
}

/** A size such as `20kB`, `5MB` or `300`, in bytes. */
function size(text: string): number {
  const [, value = '', unit = 'B'] = /^\s*(\d+(?:\.\d+)?)\s*(B|kB|MB|GB)?\s*$/.exec(text) ?? []
  if (value === '') throw new InvalidArgumentError('It must be a size such as 20kB or 5MB.')
  return Number(value) * ({ B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[unit] ?? 1)
}

/** `100x50`: so many metres wide and high. */
function area(text: string): [number, number] {
  const [, width, height] = /^\s*(\d+(?:\.\d+)?)x(\d+(?:\.\d+)?)m?\s*$/.exec(text) ?? []
  if (width === undefined || height === undefined)
    throw new InvalidArgumentError('It must be WIDTHxHEIGHT in metres, such as 100x100.')
  return [Number(width), Number(height)]
}

/** `25:50,75:50`: where each access point stands. */
function accessPoints(text: string): [number, number][] {
  return text.split(',').map((each) => {
    const [, x, y] = /^\s*(-?\d+(?:\.\d+)?):(-?\d+(?:\.\d+)?)\s*$/.exec(each) ?? []
    if (x === undefined || y === undefined)
      throw new InvalidArgumentError(`'${each}' must be X:Y in metres, such as 25:50.`)
    return [Number(x), Number(y)]
  })
}

/** Adds the options for all that may befall a run. */
export function addConditions(command: Command): Command {
  return command
    .option('--loss <share>', 'packets the radio loses and sends again, such as 2%', share)
    .option('--retransmit <time>', 'a lost packet is sent again after this time-out, such as 200ms', time)
    .option('--failures <share>', 'invocations of cloud functions that fail and are begun again', share)
    .option('--stragglers <spec>', 'SHARExSLOWDOWN of cloud functions, such as 5%x10', stragglers)
    .option('--respawn-at <quantile>', 'begin functions slower than this quantile again, such as 0.9', share)
    .option('--load <steps>', 'SECONDS:FACTOR,... of the sensors’ rate, such as 0s:1,60s:4', load)
    .option('--fail-device <list>', 'DEVICE@TIME,... of devices that fail, such as 3@20s', failDevice)
    .option('--device-mtbf <time>', 'mean time between the failures of a device, such as 10min', time)
    .option('--detect <time>', 'until a failed device is noticed (default: 3s)', time)
    .option('--restart <time>', 'from then until a device that comes back works again (default: 10s)', time)
    .addOption(
      new Option(
        '--restore <policy>',
        'what follows a failed device, instead of Restore in the workflow',
      ).choices(['respawn', 'repartition', 'checkpoint', 'ignore']),
    )
    .option('--batteries', 'devices stop when their battery is empty')
    .option(
      '--learn-every <time>',
      'tasks with Learn are retrained, a round every so often, such as 30s',
      time,
    )
    .addOption(
      new Option(
        '--learn <scope>',
        'whose decisions they learn from, instead of Learn in the workflow',
      ).choices(['Global', 'Device', 'Off']),
    )
    .option('--decision-size <size>', 'what a decision takes to be learnt from (default: 20kB)', size)
    .option('--train-time <time>', 'to learn from one decision on the reference core (default: 50ms)', time)
    .option('--model-size <size>', 'a model that is sent to a device (default: 5MB)', size)
    .option('--area <size>', 'devices move over an area of WIDTHxHEIGHT metres, such as 100x100', area)
    .addOption(
      new Option(
        '--route <kind>',
        'how they move: up and down strips, or to random points (needs --area)',
      ).choices(['sweep', 'waypoints']),
    )
    .option('--access-points <list>', 'X:Y,... in metres of the access points (needs --area)', accessPoints)
}

/** The conditions that the options ask for. Failures of devices are asked for by any option that says more of them. */
function conditionsOf(options: ConditionOptions): Conditions {
  const { loss, retransmit, failures, stragglers: slow, respawnAt } = options
  return {
    ...(loss === undefined ? {} : { loss }),
    ...(retransmit === undefined ? {} : { retransmitMs: retransmit }),
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
    ...deviceFailuresOf(options),
    ...(options.batteries ? { batteries: true } : {}),
    ...mobilityOf(options),
    ...learningOf(options),
  }
}

/** The same, when the model can be simulated under them. */
export function checkedConditions(options: ConditionOptions, model: Model): Conditions {
  const conditions = conditionsOf(options)
  try {
    checkConditions(conditions, model)
  } catch (error) {
    throw error instanceof RangeError ? usageFault(error.message) : error
  }
  return conditions
}

/** Retraining is asked for by any option that says more of it. */
function learningOf(options: ConditionOptions): Pick<Conditions, 'learning'> {
  const { learnEvery: everyMs, learn: scope, decisionSize, trainTime: trainMs, modelSize } = options
  const all = { everyMs, scope, decisionBytes: decisionSize, trainMs, modelBytes: modelSize }
  const given = Object.entries(all).filter(([, value]) => value !== undefined)
  return given.length > 0 ? { learning: Object.fromEntries(given) } : {}
}

function mobilityOf({
  area: areaM,
  route,
  accessPoints: accessPointsM,
}: ConditionOptions): Pick<Conditions, 'mobility'> {
  if (areaM) return { mobility: { areaM, ...(route && { route }), ...(accessPointsM && { accessPointsM }) } }
  if (route || accessPointsM)
    throw usageFault(
      `--${route ? 'route' : 'access-points'} needs --area WIDTHxHEIGHT, such as --area 100x100.`,
    )
  return {}
}

function deviceFailuresOf(options: ConditionOptions): Pick<Conditions, 'deviceFailures'> {
  const { failDevice: at, deviceMtbf: meanMs, detect: detectMs, restart: restartMs, restore } = options
  const given = Object.entries({ at, meanMs, detectMs, restartMs, restore }).filter(
    ([, value]) => value !== undefined,
  )
  return given.length > 0 ? { deviceFailures: Object.fromEntries(given) } : {}
}
