/** Settings of a scenario that the user can change, their ranges, and the scenario that follows from them. */
import {
  columnOf,
  deviceCount,
  emitsStream,
  type Fleet,
  fleetByName,
  itemsPerDeviceOf,
  mapColumns,
  type Profile,
  rateOf,
  SENSOR_COLUMN,
  type TierProfile,
  withDevices,
  withHandOver,
  withMean,
} from '@hivemind/swarm'
import { type Task, type Workflow } from '@hivemind/workflow'
import type { Exploration } from '../../../api/types.ts'
import * as format from '../../reports/format.ts'

/** All inputs of an exploration. */
export interface Scenario {
  workflow: Workflow
  fleet: Fleet
  profile: Profile
  /** When absent, each sensor emits the number of items in the profile. */
  itemsPerDevice?: number
  seed: number
}

export type KnobId = 'devices' | 'rate' | 'size' | 'bandwidth' | 'price'
export type Settings = Record<KnobId, number>

export interface Knob {
  id: KnobId
  label: string
  unit: string
  min: number
  max: number
  /** Value in the explored scenario. */
  base: number
  whole: boolean
  print: (value: number) => string
}

/** Largest position of a slider; the smallest is 0. */
export const POSITIONS = 1000
/** Number of arrow-key steps for a factor of ten. */
const STEPS_A_DECADE = 40
const MAX_DEVICES = 10_000

/** The scenario of a finished exploration; `undefined` when it has no copy of its fleet and this page does not know it. */
export function scenarioOf(
  workflow: Workflow,
  inputs: Exploration['inputs'],
  askedItems: number | undefined,
): Scenario | undefined {
  const fleet = inputs.fleetUsed ?? shippedAs(inputs)
  if (!fleet) return undefined
  const { profile, itemsPerDevice, seed } = inputs
  const byProfile = askedItems === undefined && itemsPerDeviceOf(workflow, profile) === itemsPerDevice
  return { workflow, fleet, profile, seed, ...(byProfile ? {} : { itemsPerDevice }) }
}

/** The fleet of an exploration of before fleets were kept with it: all of them shipped with HiveMind. */
function shippedAs({ fleet: name, devices, handOver }: Exploration['inputs']): Fleet | undefined {
  const known = fleetByName(name)
  if (!known) return undefined
  const sized = deviceCount(known) === devices ? known : withDevices(known, devices)
  return handOver === undefined ? sized : withHandOver(sized, handOver)
}

const streamSensors = (workflow: Workflow): Task[] =>
  workflow.tasks.filter((task) => emitsStream(workflow, task))
const sizeOf = (scenario: Scenario, task: Task): number =>
  columnOf(scenario.profile.tasks[task.name] ?? { origin: 'assumed' }, SENSOR_COLUMN)?.outputBytes.mean ?? 0

/** The settings that affect a scenario, each with its value there. */
export function knobsOf(scenario: Scenario): Knob[] {
  const { workflow, fleet } = scenario
  const sensors = streamSensors(workflow)
  const rate = Math.max(0, ...sensors.map((task) => rateOf(workflow, task)))
  const size = Math.max(0, ...sensors.map((task) => sizeOf(scenario, task)))
  const devices = deviceCount(fleet)
  const knob = (
    id: KnobId,
    label: string,
    unit: string,
    base: number,
    print: Knob['print'],
    span = 32,
  ): Knob[] =>
    base > 0
      ? [{ id, label, unit, min: tidy(base / span), max: tidy(base * span), base, whole: false, print }]
      : []
  return [
    {
      id: 'devices',
      label: 'Devices',
      unit: '',
      min: 1,
      max: Math.max(MAX_DEVICES, devices),
      base: devices,
      whole: true,
      print: (value) => format.count(value, 'device'),
    },
    ...knob('rate', 'Frame rate', '/s', rate, (value) => `${format.number(value)}/s`),
    ...knob('size', 'Frame size', 'B', size, format.bytes, 256),
    ...knob(
      'bandwidth',
      'Link bandwidth',
      'Mbit/s',
      fleet.uplink.bandwidthMbps,
      (value) => `${format.number(value)} Mbit/s`,
    ),
    ...knob(
      'price',
      'Cloud price',
      '$/core h',
      fleet.cloud.pricePerCoreHour,
      (value) => `${format.cost(value)} per core and hour`,
    ),
  ]
}

const tidy = (value: number): number => Number(value.toPrecision(3))

export const baseOf = (knobs: readonly Knob[]): Settings =>
  ({
    devices: 1,
    rate: 0,
    size: 0,
    bandwidth: 0,
    price: 0,
    ...Object.fromEntries(knobs.map((knob) => [knob.id, knob.base])),
  }) satisfies Settings

/** Clamps a value to the range and rounds it: to a whole number, or to three significant digits. The base is not rounded. */
export function settle(knob: Knob, value: number): number {
  if (Math.abs(value - knob.base) <= knob.base * 1e-6) return knob.base
  const bounded = Math.min(knob.max, Math.max(knob.min, value))
  return knob.whole ? Math.round(bounded) : Math.min(knob.max, Math.max(knob.min, tidy(bounded)))
}

/** Position of a value on the logarithmic slider, from 0 to `POSITIONS`. */
export const positionOf = (knob: Knob, value: number): number =>
  Math.round((POSITIONS * Math.log(value / knob.min)) / Math.log(knob.max / knob.min))

/** Value at a slider position. The position of the base gives exactly the base, so that a slider can be moved back to it. */
export function valueAt(knob: Knob, position: number): number {
  if (Math.abs(position - positionOf(knob, knob.base)) < 0.5) return knob.base
  return settle(knob, knob.min * (knob.max / knob.min) ** (position / POSITIONS))
}

/** The value this many key steps away. Whole values change by at least 1. */
export function stepped(knob: Knob, value: number, steps: number): number {
  const next = settle(knob, value * 10 ** (steps / STEPS_A_DECADE))
  if (next !== value || value === (steps > 0 ? knob.max : knob.min)) return next
  return settle(knob, knob.whole ? value + Math.sign(steps) : value * (1 + 0.01 * Math.sign(steps)))
}

const grouped = /^[1-9]\d{0,2}(,\d{3})+(\.\d+)?$/

/**
 * Parses a typed value; `undefined` when it is invalid or out of range. Bytes may have a unit: `80kB`. A comma before a
 * group of three digits separates thousands, as everywhere in this app; any other comma is a decimal comma.
 */
export function parsed(knob: Knob, text: string): number | undefined {
  const match = /^\s*(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)\s*([kMG]?B)?\s*$/.exec(text)
  if (!match || (match[2] && knob.id !== 'size')) return undefined
  const unit = { B: 1, kB: 1e3, MB: 1e6, GB: 1e9 }[match[2] ?? 'B'] ?? 1
  const digits = match[1] ?? ''
  const value = Number(grouped.test(digits) ? digits.replaceAll(',', '') : digits.replace(',', '.')) * unit
  if (!(value >= knob.min && value <= knob.max)) return undefined
  return knob.whole && !Number.isInteger(value) ? undefined : value
}

/**
 * The scenario with these settings. The frame rate scales the rate of every stream sensor; the duration stays the same, so
 * the number of items changes too. The frame size scales the size of every frame and, with `workWithSize`, the time of
 * the tasks that read frames.
 */
export function applied(scenario: Scenario, settings: Settings, workWithSize: boolean): Scenario {
  const base = baseOf(knobsOf(scenario))
  const factor = (id: KnobId) => (base[id] > 0 && settings[id] > 0 ? settings[id] / base[id] : 1)
  const sensors = streamSensors(scenario.workflow)
  const { fleet, itemsPerDevice } = scenario
  const devices = settings.devices === base.devices ? fleet : withDevices(fleet, settings.devices)
  const items =
    itemsPerDevice === undefined ? undefined : Math.max(1, Math.round(itemsPerDevice * factor('rate')))
  return {
    ...scenario,
    workflow: factor('rate') === 1 ? scenario.workflow : withRate(scenario.workflow, sensors, factor('rate')),
    fleet: {
      ...devices,
      uplink: { ...devices.uplink, bandwidthMbps: settings.bandwidth || devices.uplink.bandwidthMbps },
      cloud: { ...devices.cloud, pricePerCoreHour: settings.price || devices.cloud.pricePerCoreHour },
    },
    profile: withFrames(scenario, sensors, factor('rate'), factor('size'), workWithSize),
    ...(items === undefined ? {} : { itemsPerDevice: items }),
  }
}

function withRate(workflow: Workflow, sensors: readonly Task[], factor: number): Workflow {
  const rates = new Map(sensors.map((task) => [task.name, rateOf(workflow, task) * factor]))
  const rateOfData = new Map(sensors.map((task) => [task.dataOut, rates.get(task.name) ?? 0]))
  return {
    ...workflow,
    data: workflow.data.map((data) => {
      const rate = rateOfData.get(data.name)
      return rate && data.rate
        ? { ...data, rate: { ...data.rate, value: rate, text: `${tidy(rate)}/s` } }
        : data
    }),
    // A sensor whose data has no rate uses the rate among its own arguments.
    tasks: workflow.tasks.map((task) => {
      const rate = rates.get(task.name)
      return rate === undefined ? task : { ...task, args: { ...task.args, rate } }
    }),
  }
}

function withFrames(
  { workflow, profile }: Scenario,
  sensors: readonly Task[],
  rate: number,
  size: number,
  workWithSize: boolean,
): Profile {
  if (rate === 1 && size === 1) return profile
  const names = new Set(sensors.map((task) => task.name))
  const frames = new Set(sensors.map((task) => task.dataOut))
  const readers = new Set(
    workflow.tasks.filter((task) => task.dataIn.some((name) => frames.has(name))).map((task) => task.name),
  )
  const changed = (task: string, tier: TierProfile): TierProfile => {
    if (names.has(task))
      return {
        ...tier,
        outputsPerInvocation: Math.max(1, Math.round(tier.outputsPerInvocation * rate)),
        outputBytes: withMean(tier.outputBytes, tier.outputBytes.mean * size),
      }
    return workWithSize && readers.has(task)
      ? { ...tier, serviceMs: withMean(tier.serviceMs, tier.serviceMs.mean * size) }
      : tier
  }
  return {
    ...profile,
    tasks: Object.fromEntries(
      Object.entries(profile.tasks).map(([name, known]) => [
        name,
        mapColumns(known, (column) => changed(name, column)),
      ]),
    ),
  }
}
