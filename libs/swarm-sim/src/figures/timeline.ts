/** A run over time, in a bounded number of bins of equal length. */
import type { Model } from '../model/model.ts'

/** Maximum number of bins; there are at least half as many, unless the run is very short. */
const MAX_BINS = 128
const MIN_BIN_MS = 10

/** A run over time: every list has one figure for each bin of `binMs`; the last bin ends with the run. */
export interface Series {
  binMs: number
  /** Energy used up to the end of the bin, in J: mean over the devices. */
  energyJ: number[]
  /** Share of the battery left at the end of the bin: mean over devices with one, and the lowest; below 0, it does not suffice. */
  batteryMean: number[]
  batteryLowest: number[]
  /** Bytes on the air in both directions, in MB/s: mean over the bin. */
  bandwidthMBps: number[]
  /** Items finished by the end of the bin. */
  finished: number[]
}

/** The end of a run. */
interface Ending {
  endMs: number
  /** When each item was finished. */
  finishedAt: readonly number[]
  /** For how long before a time a device was switched on, in ms. */
  onMs: (device: number, before: number) => number
}

/** Collects energy and bytes while the run goes on. When it gets longer than the bins reach, two bins become one. */
export class Timeline {
  readonly #model: Model
  #binMs = MIN_BIN_MS
  /** Energy for computing and radio of each device, in J. */
  readonly #joules: Float64Array[]
  readonly #bytes = new Float64Array(MAX_BINS)

  constructor(model: Model) {
    this.#model = model
    this.#joules = model.classOf.map(() => new Float64Array(MAX_BINS))
  }

  /** A device computes for so many ms in that time; with a negative number it does not, after all. Edge nodes do not count. */
  computes(device: number, from: number, to: number, ms = to - from): void {
    if (device >= this.#joules.length) return
    const { computeW } = this.#classOf(device)
    this.#spread(this.#joules[device] as Float64Array, from, to, (computeW * ms) / 1000)
  }

  /** A device sends or receives bytes; with negative bytes it does not, after all. */
  carries(device: number, from: number, to: number, bytes: number, isUp: boolean): void {
    this.carriesNear(device, from, to, bytes, isUp)
    this.carriesFar(from, to, bytes)
  }

  /** A device sends bytes to its edge node, or receives them from there: they cost energy, and are no bandwidth. */
  carriesNear(device: number, from: number, to: number, bytes: number, isUp: boolean): void {
    const { txJPerByte, rxJPerByte } = this.#classOf(device)
    this.#spread(this.#joules[device] as Float64Array, from, to, bytes * (isUp ? txJPerByte : rxJPerByte))
  }

  /** Bytes go to the cloud or come from there. */
  carriesFar(from: number, to: number, bytes: number): void {
    this.#spread(this.#bytes, from, to, bytes)
  }

  /** The whole run. What lies beyond its end, as a transfer nobody waits for, counts in the last bin. */
  series({ endMs, finishedAt, onMs }: Ending): Series {
    while (endMs > MAX_BINS * this.#binMs) this.#fold()
    const binMs = this.#binMs
    const bins = Math.max(1, Math.ceil(endMs / binMs))
    const ends = Array.from({ length: bins }, (_, bin) => Math.min(endMs, (bin + 1) * binMs))
    const devices = this.#joules.map((joules, device) => {
      const { motionW, idleW, batteryJ } = this.#classOf(device)
      const spent = summed(joules, bins)
      const used = ends.map((end, bin) => ((motionW + idleW) * onMs(device, end)) / 1000 + (spent[bin] ?? 0))
      return { used, batteryJ }
    })
    const left = devices.flatMap(({ used, batteryJ }) =>
      batteryJ > 0 ? [used.map((joules) => 1 - joules / batteryJ)] : [],
    )
    const carried = summed(this.#bytes, bins)
    const finished = new Float64Array(MAX_BINS)
    for (const at of finishedAt) {
      const bin = Math.min(bins - 1, Math.max(0, Math.ceil(at / binMs) - 1))
      finished[bin] = (finished[bin] as number) + 1
    }
    const over = (rows: readonly number[][], join: (a: number, b: number) => number, start: number) =>
      rows.length === 0
        ? []
        : ends.map((_, bin) => rows.reduce((all, row) => join(all, row[bin] ?? 0), start))
    const mean = (rows: readonly number[][]) => over(rows, (a, b) => a + b, 0).map((sum) => sum / rows.length)
    return {
      binMs,
      energyJ: mean(devices.map(({ used }) => used)),
      batteryMean: mean(left),
      batteryLowest: over(left, Math.min, Number.POSITIVE_INFINITY),
      bandwidthMBps: ends.map((end, bin) => {
        const ms = end - bin * binMs
        return ms > 0 ? ((carried[bin] ?? 0) - (carried[bin - 1] ?? 0)) / 1e3 / ms : 0
      }),
      finished: summed(finished, bins),
    }
  }

  #classOf(device: number) {
    return this.#model.classes[this.#model.classOf[device] as number] as Model['classes'][number]
  }

  /** Adds an amount evenly from one time to another, or all at once. */
  #spread(row: Float64Array, from: number, to: number, amount: number): void {
    if (amount === 0) return
    while (to >= MAX_BINS * this.#binMs) this.#fold()
    const binMs = this.#binMs
    const first = Math.floor(from / binMs)
    const last = Math.floor(to / binMs)
    if (first === last) {
      row[first] = (row[first] as number) + amount
      return
    }
    const each = amount / (to - from)
    for (let bin = first; bin <= last; bin++) {
      const ms = Math.min(to, (bin + 1) * binMs) - Math.max(from, bin * binMs)
      row[bin] = (row[bin] as number) + each * ms
    }
  }

  #fold(): void {
    for (const row of [this.#bytes, ...this.#joules]) {
      for (let bin = 0; bin < MAX_BINS; bin++) {
        const a = row[2 * bin] ?? 0
        row[bin] = a + (row[2 * bin + 1] ?? 0)
      }
    }
    this.#binMs *= 2
  }
}

/** Running sums of the first bins; the last one takes all that follows too. */
function summed(row: Float64Array, bins: number): number[] {
  const sums: number[] = []
  let sum = 0
  for (let bin = 0; bin < MAX_BINS; bin++) {
    sum += row[bin] as number
    sums[Math.min(bin, bins - 1)] = sum
  }
  return sums
}
