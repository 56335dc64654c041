/** The work of one layer of the label-setting programme: extends labels, keeps the undominated ones, and thins them out. */
import type { Bound } from './bound.ts'
import { keepUncovered } from './dominance.ts'
import type { Group, Side, Source } from './sides.ts'
import { digitsOf } from './transitions.ts'

/** In a rough front the times of slots may differ by this many times the factor, for each slot: with many slots few of them matter. */
const ROUGH_TIME_FACTOR_PER_SLOT = 0.5
/** Labels handled between two pauses. */
const LABELS_PER_PAUSE = 1_000
/** Thinning is abandoned beyond this epsilon. */
const MAX_EPSILON = 4

/** Buffers that grow as needed and serve one group after the other. */
export class Scratch {
  stage = new Float64Array(1024)
  block = new Float64Array(1024)
  asked = new Float64Array(1024)
  origin = new Int32Array(256)
  branch = new Uint8Array(256)
  order = new Int32Array(256)
  kept = new Int32Array(256)
  /** Labels handled since the last pause. */
  handled = 0

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

export class LayerWork {
  private readonly m: number
  readonly side: Side
  private readonly bound: Bound
  private readonly scratch: Scratch
  readonly stride: number
  /** For the current key: minimum time of each slot, and minimum and maximum time on its other side. */
  private readonly floor: Float64Array
  private readonly minimum: Float64Array
  private readonly maximum: Float64Array

  /** Labels within this factor, minus 1, of another one are dropped; 0 drops only dominated ones. */
  private readonly epsilon: number

  constructor(figures: number, side: Side, bound: Bound, scratch: Scratch, epsilon = 0) {
    this.m = figures
    this.epsilon = epsilon
    this.side = side
    this.bound = bound
    this.scratch = scratch
    const slots = side.slots.length
    this.stride = figures + 1 + slots
    this.floor = new Float64Array(slots)
    this.minimum = new Float64Array(slots)
    this.maximum = new Float64Array(slots)
  }

  private select(key: number): void {
    const { slots, own, other } = this.side
    for (const [slot, digit] of digitsOf(slots, key).entries()) {
      this.floor[slot] = (own[slot]?.minimum ?? [])[digit] as number
      this.minimum[slot] = (other[slot]?.minimum ?? [])[digit] as number
      this.maximum[slot] = (other[slot]?.maximum ?? [])[digit] as number
    }
  }

  isPauseDue(): boolean {
    if (this.scratch.handled < LABELS_PER_PAUSE) return false
    this.scratch.handled = 0
    return true
  }

  /** Extends all labels of one new key and keeps those that no other covers. */
  merge(key: number, sources: readonly Source[], base: number): Group {
    const { stride } = this
    const scratch = this.scratch
    const most = sources.reduce((sum, source) => sum + source.group.count, 0)
    scratch.fit(most, stride)
    scratch.handled += most + 1
    this.select(key)
    const starts = [0]
    let count = 0
    for (const source of sources) {
      count = this.apply(source, key, count)
      starts.push(count)
    }
    this.sort(starts)
    const { block, asked, order, kept } = scratch
    const loose = this.epsilon * Math.max(1, ROUGH_TIME_FACTOR_PER_SLOT * this.minimum.length)
    for (let i = 0; i < count; i++) this.raise(block, asked, i * stride, this.epsilon, key, loose)
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
      const from = kept[i] as number
      for (let d = 0; d < stride; d++) group.rows[i * stride + d] = block[from * stride + d] as number
      group.origin[i] = scratch.origin[order[from] as number] as number
      group.branch[i] = scratch.branch[order[from] as number] as number
    }
    return group
  }

  /** Writes a group's extended labels to the stage from row `count` on; returns the new number of rows. */
  private apply(source: Source, key: number, count: number): number {
    const { remaining, strideBefore } = this.side
    const { group, branch, step } = source
    const { stage, origin, branch: branches } = this.scratch
    let rows = count
    for (let i = 0; i < group.count; i++) {
      const row = rows * this.stride
      this.side.extend(group.rows, i * strideBefore, step, stage, row)
      const latency = this.lower(row)
      if (this.bound.excludes(stage, row, remaining, key, latency)) continue
      origin[rows] = group.base + i
      branches[rows] = branch
      rows++
    }
    return rows
  }

  /** Lowers times that cannot matter as far as possible; returns the minimum latency that the label can still have. */
  private lower(row: number): number {
    const { stage } = this.scratch
    const m = this.m
    const slots = this.minimum.length
    const times = row + m + 1
    let latency = stage[row + m] as number
    let by = -1
    for (let slot = 0; slot < slots; slot++) {
      const minimum = (stage[times + slot] as number) + (this.minimum[slot] as number)
      if (minimum < latency) continue
      latency = minimum
      by = slot
    }
    if (by >= 0) stage[row + m] = 0
    for (let slot = 0; slot < slots; slot++)
      if (slot !== by && (stage[times + slot] as number) + (this.maximum[slot] as number) <= latency)
        stage[times + slot] = this.floor[slot] as number
    return latency
  }

  /** Writes the row that a covering label must not exceed: times as late as they can be without effect. */
  private raise(
    rows: Float64Array,
    asked: Float64Array,
    row: number,
    epsilon: number,
    key: number,
    loose = epsilon,
  ): void {
    const m = this.m
    const slots = this.minimum.length
    const times = row + m + 1
    let latency = rows[row + m] as number
    for (let slot = 0; slot < slots; slot++) {
      const minimum = (rows[times + slot] as number) + (this.minimum[slot] as number)
      if (minimum > latency) latency = minimum
    }
    for (let k = 0; k < m; k++) {
      const value = rows[row + k] as number
      asked[row + k] =
        epsilon === 0 ? value : value + epsilon * (value + (this.side.remaining[key * this.m + k] as number))
    }
    asked[row + m] = latency + epsilon * latency
    for (let slot = 0; slot < slots; slot++) {
      const late = Math.max(rows[times + slot] as number, latency - (this.maximum[slot] as number))
      asked[times + slot] = late + loose * latency
    }
  }

  /** Merges the sorted runs of the stage that begin at `starts` into the block. */
  private sort(starts: readonly number[]): void {
    const { stage, block, order } = this.scratch
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
        if (best >= 0 && !this.isBefore(row, bestRow)) continue
        best = s
        bestRow = row
      }
      order[out] = heads[best] as number
      heads[best] = (heads[best] as number) + 1
      for (let d = 0; d < stride; d++) block[out * stride + d] = stage[bestRow + d] as number
    }
  }

  private isBefore(a: number, b: number): boolean {
    const { stage } = this.scratch
    for (let d = 0; d < this.stride; d++) {
      const x = stage[a + d] as number
      const y = stage[b + d] as number
      if (x !== y) return x < y
    }
    return false
  }

  /** Drops labels within a factor of another until at most `maxLabels` are left; returns the factor minus 1. Pauses now and then. */
  *thin(
    groups: Group[],
    maxLabels: number,
    first: number,
    relaxed: boolean,
  ): Generator<undefined, number | undefined> {
    const { stride } = this
    const scratch = this.scratch
    for (let epsilon = first; epsilon <= MAX_EPSILON; epsilon *= 2) {
      let total = 0
      const keeps: { kept: Int32Array; by: Int32Array | undefined }[] = []
      for (const group of groups) {
        scratch.fit(group.count, stride)
        this.select(group.key)
        for (let i = 0; i < group.count; i++)
          this.raise(group.rows, scratch.asked, i * stride, epsilon, group.key)
        const by = relaxed ? new Int32Array(group.count) : undefined
        const size = keepUncovered(group.rows, scratch.asked, group.count, stride, scratch.kept, by)
        total += size
        keeps.push({ kept: scratch.kept.slice(0, size), by })
        scratch.handled += group.count
        if (this.isPauseDue()) yield
      }
      if (total > maxLabels) continue
      let base = 0
      for (const [g, group] of groups.entries()) {
        const { kept, by } = keeps[g] as (typeof keeps)[number]
        if (by) this.relax(group, by)
        for (let i = 0; i < kept.length; i++) {
          const from = kept[i] as number
          group.rows.copyWithin(i * stride, from * stride, (from + 1) * stride)
          group.origin[i] = group.origin[from] as number
          group.branch[i] = group.branch[from] as number
        }
        group.count = kept.length
        group.base = base
        base += kept.length
      }
      return epsilon
    }
    return undefined
  }

  /** Sets every kept label to the minimum, coordinate by coordinate, of its own row and of the rows that it replaces. */
  private relax(group: Group, by: Int32Array): void {
    const { stride } = this
    const { block } = this.scratch
    this.select(group.key)
    for (let i = 0; i < group.count; i++) this.raise(group.rows, block, i * stride, 0, group.key)
    for (let i = 0; i < group.count; i++) {
      const keeper = by[i] as number
      if (keeper < 0) continue
      for (let d = 0; d < stride; d++) {
        const value = Math.min(block[keeper * stride + d] as number, block[i * stride + d] as number)
        block[keeper * stride + d] = value
        group.rows[keeper * stride + d] = value
      }
    }
  }
}

/** Computes the labels of one layer from those of the previous one; `null` beyond `most`. Yields now and then. */
export function* layerOf(
  work: LayerWork,
  before: readonly Group[],
  most: number,
): Generator<undefined, { groups: Group[]; total: number } | null> {
  const groups: Group[] = []
  let total = 0
  for (const [key, sources] of work.side.sources(before)) {
    const group = work.merge(key, sources, total)
    total += group.count
    if (group.count > 0) groups.push(group)
    if (total > most) return null
    if (work.isPauseDue()) yield
  }
  return { groups, total }
}

const NONE = new Float64Array(0)

/** Drops the rows of a layer's labels and keeps the back pointers. */
export function forgetRows(groups: readonly Group[]): void {
  for (const group of groups) group.rows = NONE
}

/** For every label of a layer: the label it was extended from, and the tier chosen. */
export type BackPointers = Pick<Group, 'origin' | 'branch'>

export function backPointersOf(groups: readonly Group[]): BackPointers {
  const total = groups.reduce((sum, group) => sum + group.count, 0)
  const origin = new Int32Array(total)
  const branch = new Uint8Array(total)
  let from = 0
  for (const group of groups) {
    origin.set(group.origin.subarray(0, group.count), from)
    branch.set(group.branch.subarray(0, group.count), from)
    from += group.count
  }
  return { origin, branch }
}
