/** Figures of the device: processor, memory, battery, link, position. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { readdir, readFile } from 'node:fs/promises'
import os from 'node:os'
import path from 'node:path'
import type { Telemetry } from '@hivemind/agent-protocol'
import type { AgentOptions, BatteryOptions } from './options.ts'

const MS_PER_HOUR = 3_600_000
const BYTES_PER_MB = 2 ** 20
const SUPPLIES = '/sys/class/power_supply'

/** Measures the device; call `sample` every few seconds. */
export class Meter {
  readonly #options: AgentOptions
  readonly #now: () => number
  readonly #battery: SimulatedBattery | undefined
  #last = processorTimes()
  /** Busy time of task code since the last sample, in ms over all cores. */
  #taskMs = 0

  constructor(options: AgentOptions, now: () => number) {
    this.#options = options
    this.#now = now
    this.#battery = options.battery && new SimulatedBattery(options.battery, options.dir, now())
  }

  /** Task code ran for so long, in ms. */
  worked(ms: number): void {
    this.#taskMs += ms
  }

  /** Figures of now. */
  async sample(roundTripMs: number | undefined): Promise<Telemetry> {
    const at = this.#now()
    const times = processorTimes()
    const total = times.total - this.#last.total
    const cpu = total > 0 ? Math.min(1, Math.max(0, 1 - (times.idle - this.#last.idle) / total)) : undefined
    this.#last = times
    const battery = this.#battery
      ? { batteryWh: this.#battery.drain(at, this.#taskMs), capacityWh: this.#battery.capacityWh }
      : await realBattery()
    this.#taskMs = 0
    return {
      at,
      ...(cpu === undefined ? {} : { cpu }),
      memoryUsedMB: Math.round((os.totalmem() - os.freemem()) / BYTES_PER_MB),
      memoryMB: Math.round(os.totalmem() / BYTES_PER_MB),
      ...(battery ?? {}),
      ...(roundTripMs === undefined ? {} : { roundTripMs }),
      ...(this.#options.position ? { position: this.#options.position } : {}),
    }
  }
}

/** A battery that the power of the device and of its work drains; its charge outlives the agent. */
class SimulatedBattery {
  readonly capacityWh: number
  readonly #options: BatteryOptions
  readonly #file: string
  #leftWh: number
  #at: number

  constructor(options: BatteryOptions, dir: string, at: number) {
    this.capacityWh = options.capacityWh
    this.#options = options
    this.#file = path.join(dir, 'battery.json')
    this.#at = at
    this.#leftWh = Math.min(options.capacityWh, this.#saved() ?? options.capacityWh)
  }

  /** Energy left, in Wh, after task code ran for `taskMs` since the last call. */
  drain(at: number, taskMs: number): number {
    const { idleW, coreW } = this.#options
    const usedWh = (idleW * (at - this.#at) + coreW * taskMs) / MS_PER_HOUR
    this.#at = at
    this.#leftWh = Math.max(0, this.#leftWh - usedWh)
    try {
      writeFileSync(`${this.#file}.tmp`, JSON.stringify({ leftWh: this.#leftWh }))
      renameSync(`${this.#file}.tmp`, this.#file)
    } catch {
      // a full disk costs only the memory of the charge
    }
    return this.#leftWh
  }

  #saved(): number | undefined {
    try {
      const { leftWh } = JSON.parse(readFileSync(this.#file, 'utf8')) as { leftWh: unknown }
      return typeof leftWh === 'number' && leftWh >= 0 ? leftWh : undefined
    } catch {
      return undefined
    }
  }
}

/** The first battery of the machine, where the system tells (Linux). */
async function realBattery(): Promise<{ batteryWh: number; capacityWh: number } | undefined> {
  const names = await readdir(SUPPLIES).catch(() => [])
  for (const name of names.filter((each) => each.startsWith('BAT'))) {
    const read = async (file: string): Promise<number> =>
      Number(await readFile(path.join(SUPPLIES, name, file), 'utf8').catch(() => Number.NaN))
    const [now, full] = await Promise.all([read('energy_now'), read('energy_full')])
    // microwatt-hours
    if (now >= 0 && full > 0) return { batteryWh: now / 1e6, capacityWh: full / 1e6 }
  }
  return undefined
}

function processorTimes(): { idle: number; total: number } {
  let idle = 0
  let total = 0
  for (const { times } of os.cpus()) {
    idle += times.idle
    total += times.user + times.nice + times.sys + times.idle + times.irq
  }
  return { idle, total }
}
