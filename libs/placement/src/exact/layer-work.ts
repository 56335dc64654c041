/** What one layer of the label-setting programme does: extends labels, keeps the undominated ones, thins them out. */
import type { Bound } from './bound.ts'
import { keepUncovered } from './dominance.ts'
import { type AdditiveProblem, at } from './problem.ts'
import { digitsOf, type LayerTables } from './transitions.ts'

/** Beyond such an epsilon thinning is given up. */
const EPSILON_LAST = 4

/** Labels of one key, sorted by their first figure. */
export interface Group {
  key: number
  rows: Float64Array
  count: number
  /** Number of its first label in the layer. */
  base: number
  /** For each label: number of the label it comes from in the layer before, and the tier chosen. */
  origin: Int32Array
  branch: Uint8Array
}

/** Buffers that grow as needed and serve one group after the other. */
export class Scratch {
  stage = new Float64Array(1024)
  block = new Float64Array(1024)
  asked = new Float64Array(1024)
  origin = new Int32Array(256)
  branch = new Uint8Array(256)
  order = new Int32Array(256)
  kept = new Int32Array(256)

  fit(count: number, stride: number): void {
    if (this.stage.length < count * stride) {
      const size = 2 * count * stride
      this.stage = new Float64Array(size)
      this.block = new Float64Array(size)
      this.asked = new Float64Array(size)
    }
    if (this.origin.length < count) {
      this.origin = new Int32Array(2 * count)
      this.branch = new Uint8Array(2 * count)
      this.order = new Int32Array(2 * count)
      this.kept = new Int32Array(2 * count)
    }
  }
}

interface Source {
  group: Group
  branch: number
}

export class LayerWork {
  readonly #m: number
  readonly #table: LayerTables
  readonly #remaining: Float64Array
  readonly #bound: Bound
  readonly #scratch: Scratch
  readonly #before: number
  readonly stride: number
  /** Least and greatest time behind each slot, for the key at hand. */
  readonly #least: Float64Array
  readonly #greatest: Float64Array

  constructor(
    problem: AdditiveProblem,
    table: LayerTables,
    remaining: Float64Array,
    bound: Bound,
    scratch: Scratch,
  ) {
    this.#m = problem.figures
    this.#table = table
    this.#remaining = remaining
    this.#bound = bound
    this.#scratch = scratch
    this.#before = problem.figures + 1 + table.layer.before.length
    const slots = table.layer.after.length
    this.stride = problem.figures + 1 + slots
    this.#least = new Float64Array(slots)
    this.#greatest = new Float64Array(slots)
  }

  /** For every new key, the groups and choices that lead to it. */
  sources(groups: readonly Group[]): [number, Source[]][] {
    const byKey = new Map<number, Source[]>()
    for (const group of groups)
      for (let branch = 0; branch < this.#table.branches; branch++) {
        const { key } = this.#table.step(group.key, branch)
        const known = byKey.get(key)
        if (known) known.push({ group, branch })
        else byKey.set(key, [{ group, branch }])
      }
    return [...byKey].sort((a, b) => a[0] - b[0])
  }

  #select(key: number): void {
    const { layer, least, greatest } = this.#table
    for (const [slot, digit] of digitsOf(layer.after, key).entries()) {
      this.#least[slot] = at(least[slot] as Float64Array, digit)
      this.#greatest[slot] = at(greatest[slot] as Float64Array, digit)
    }
  }

  /** All labels of one new key, of which those are kept that no other covers. */
  merge(key: number, sources: readonly Source[], base: number): Group {
    const { stride } = this
    const scratch = this.#scratch
    const most = sources.reduce((sum, source) => sum + source.group.count, 0)
    scratch.fit(most, stride)
    this.#select(key)
    const starts = [0]
    let count = 0
    for (const source of sources) {
      count = this.#apply(source, key, count)
      starts.push(count)
    }
    this.#sort(starts)
    const { block, asked, order, kept } = scratch
    for (let i = 0; i < count; i++) this.#raise(block, asked, i * stride, 0, key)
    const size = keepUncovered(block, asked, count, stride, kept)
    const group: Group = {
      key,
      rows: new Float64Array(size * stride),
      count: size,
      base,
      origin: new Int32Array(size),
      branch: new Uint8Array(size),
    }
    for (let i = 0; i < size; i++) {
      const from = at(kept, i)
      for (let d = 0; d < stride; d++) group.rows[i * stride + d] = at(block, from * stride + d)
      group.origin[i] = at(scratch.origin, at(order, from))
      group.branch[i] = at(scratch.branch, at(order, from))
    }
    return group
  }

  /** Writes what becomes of a group's labels to the stage, from row `count` on; returns the new number of rows. */
  #apply(source: Source, key: number, count: number): number {
    const { inputs, own, from, feeds, stays, isLast, layer } = this.#table
    const { group, branch } = source
    const step = this.#table.step(group.key, branch)
    const { stage, origin, branch: branches } = this.#scratch
    const m = this.#m
    const slots = from.length
    const bound = this.#bound
    const remaining = this.#remaining
    let rows = count
    for (let i = 0; i < group.count; i++) {
      const old = i * this.#before
      const row = rows * this.stride
      for (let k = 0; k < m; k++) stage[row + k] = at(group.rows, old + k) + at(step.figures, k)
      let complete = at(group.rows, old + m)
      let ready = own >= 0 ? at(group.rows, old + m + 1 + own) : 0
      for (let j = 0; j < inputs.length; j++) {
        const arrives = at(group.rows, old + m + 1 + at(inputs, j)) + at(step.inputAdd, j)
        if (arrives > ready) ready = arrives
      }
      const end = ready + step.time
      const times = row + m + 1
      for (let slot = 0; slot < slots; slot++) {
        const before = at(from, slot)
        stage[times + slot] = before >= 0 ? at(group.rows, old + m + 1 + before) : 0
      }
      if (layer.runs)
        for (let j = 0; j < feeds.length; j++) {
          const arrives = end + at(step.feedAdd, j)
          const slot = times + at(feeds, j)
          if (arrives > at(stage, slot)) stage[slot] = arrives
        }
      if (stays >= 0) stage[times + stays] = end
      if (isLast && end > complete) complete = end
      stage[row + m] = complete
      const latency = this.#lower(row)
      if (bound.excludes(stage, row, remaining, key, latency)) continue
      origin[rows] = group.base + i
      branches[rows] = branch
      rows++
    }
    return rows
  }

  /** Sets times that cannot matter any more to 0; returns the least latency the label can still have. */
  #lower(row: number): number {
    const { stage } = this.#scratch
    const m = this.#m
    const slots = this.#least.length
    const times = row + m + 1
    let latency = at(stage, row + m)
    let by = -1
    for (let slot = 0; slot < slots; slot++) {
      const least = at(stage, times + slot) + at(this.#least, slot)
      if (least < latency) continue
      latency = least
      by = slot
    }
    if (by >= 0) stage[row + m] = 0
    for (let slot = 0; slot < slots; slot++)
      if (slot !== by && at(stage, times + slot) + at(this.#greatest, slot) <= latency)
        stage[times + slot] = 0
    return latency
  }

  /** Writes what a label may not be above to be covered: times as late as they may be without any effect. */
  #raise(rows: Float64Array, asked: Float64Array, row: number, epsilon: number, key: number): void {
    const m = this.#m
    const slots = this.#least.length
    const times = row + m + 1
    let latency = at(rows, row + m)
    for (let slot = 0; slot < slots; slot++) {
      const least = at(rows, times + slot) + at(this.#least, slot)
      if (least > latency) latency = least
    }
    for (let k = 0; k < m; k++) {
      const value = at(rows, row + k)
      asked[row + k] =
        epsilon === 0 ? value : value + epsilon * (value + at(this.#remaining, key * this.#m + k))
    }
    asked[row + m] = latency + epsilon * latency
    for (let slot = 0; slot < slots; slot++) {
      const late = Math.max(at(rows, times + slot), latency - at(this.#greatest, slot))
      asked[times + slot] = late + epsilon * latency
    }
  }

  /** Merges the sorted runs of the stage that begin at `starts` into the block. */
  #sort(starts: readonly number[]): void {
    const { stage, block, order } = this.#scratch
    const { stride } = this
    const heads = starts.slice(0, -1)
    const ends = starts.slice(1)
    const count = starts.at(-1) ?? 0
    for (let out = 0; out < count; out++) {
      let best = -1
      let bestRow = 0
      for (let s = 0; s < heads.length; s++) {
        const head = heads[s] as number
        if (head >= (ends[s] as number)) continue
        const row = head * stride
        if (best >= 0 && !this.#isBefore(row, bestRow)) continue
        best = s
        bestRow = row
      }
      order[out] = heads[best] as number
      heads[best] = (heads[best] as number) + 1
      for (let d = 0; d < stride; d++) block[out * stride + d] = at(stage, bestRow + d)
    }
  }

  #isBefore(a: number, b: number): boolean {
    const { stage } = this.#scratch
    for (let d = 0; d < this.stride; d++) {
      const x = at(stage, a + d)
      const y = at(stage, b + d)
      if (x !== y) return x < y
    }
    return false
  }

  /** Drops labels within a factor of another until at most `maxLabels` are left; returns the factor minus 1. */
  thin(groups: Group[], maxLabels: number, first: number, relaxed: boolean): number | undefined {
    const { stride } = this
    const scratch = this.#scratch
    for (let epsilon = first; epsilon <= EPSILON_LAST; epsilon *= 2) {
      let total = 0
      const keeps = groups.map((group) => {
        scratch.fit(group.count, stride)
        this.#select(group.key)
        for (let i = 0; i < group.count; i++)
          this.#raise(group.rows, scratch.asked, i * stride, epsilon, group.key)
        const by = relaxed ? new Int32Array(group.count) : undefined
        const size = keepUncovered(group.rows, scratch.asked, group.count, stride, scratch.kept, by)
        total += size
        return { kept: scratch.kept.slice(0, size), by }
      })
      if (total > maxLabels) continue
      let base = 0
      for (const [g, group] of groups.entries()) {
        const { kept, by } = keeps[g] as (typeof keeps)[number]
        if (by) this.#relax(group, by)
        for (let i = 0; i < kept.length; i++) {
          const from = at(kept, i)
          group.rows.copyWithin(i * stride, from * stride, (from + 1) * stride)
          group.origin[i] = at(group.origin, from)
          group.branch[i] = at(group.branch, from)
        }
        group.count = kept.length
        group.base = base
        base += kept.length
      }
      return epsilon
    }
    return undefined
  }

  /** Gives every label the least, coordinate by coordinate, of its own row and of those that it makes go. */
  #relax(group: Group, by: Int32Array): void {
    const { stride } = this
    const { block } = this.#scratch
    this.#select(group.key)
    for (let i = 0; i < group.count; i++) this.#raise(group.rows, block, i * stride, 0, group.key)
    for (let i = 0; i < group.count; i++) {
      const keeper = at(by, i)
      if (keeper < 0) continue
      for (let d = 0; d < stride; d++) {
        const value = Math.min(at(block, keeper * stride + d), at(block, i * stride + d))
        block[keeper * stride + d] = value
        group.rows[keeper * stride + d] = value
      }
    }
  }
}
