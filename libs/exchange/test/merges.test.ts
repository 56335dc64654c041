import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type EventualState, LAST_WRITER, Merges, UNWRITTEN } from '../src/eventual/merges.ts'
import { loadMerges } from '../src/index.ts'
import { fussy, sum, union } from './code/merges.ts'

const merges = new Merges({ union, sum, fussy })
/** Stamps are of one write each. */
const states = fc.uniqueArray(
  fc.record({
    value: fc
      .array(fc.constantFrom('a', 'b', 'c', 'd'), { minLength: 1 })
      .map((each) => Buffer.from(each.join('\n'))),
    stamp: fc.nat({ max: 5 }),
    node: fc.constantFrom('north', 'south'),
    removals: fc.nat({ max: 2 }),
  }),
  { minLength: 1, maxLength: 6, selector: ({ stamp, node }) => `${stamp} ${node}` },
)
const ALL_IN_ANY_ORDER = fc.tuple(states, fc.infiniteStream(fc.nat()))
const joinAll = (merge: string, all: readonly EventualState[]): EventualState =>
  all.reduce((one, other) => merges.join(merge, one, other), UNWRITTEN)
const textOf = ({ value }: EventualState): string => [...new Set(value?.toString().split('\n'))].sort().join()

it.each([LAST_WRITER, 'union'])('%s comes to the same in any order, and when states come again', (merge) => {
  fc.assert(
    fc.property(ALL_IN_ANY_ORDER, ([all, random]) => {
      const inOrder = joinAll(merge, all)
      const shuffled = [...all, ...all]
        .map((state) => ({ state, at: random.next().value as number }))
        .sort((a, b) => a.at - b.at)
        .map(({ state }) => state)
      const [left, right] = [shuffled.slice(0, all.length), shuffled.slice(all.length)].map((half) =>
        joinAll(merge, half),
      ) as [EventualState, EventualState]
      expect(textOf(merges.join(merge, left, right))).toBe(textOf(inOrder))
    }),
  )
})

it.each([LAST_WRITER, 'union'])('%s keeps nothing of what was written before a removal', (merge) => {
  fc.assert(
    fc.property(states, fc.nat({ max: 3 }), (all, removals) => {
      const joined = joinAll(merge, [...all, { ...UNWRITTEN, removals }])
      const last = Math.max(removals, ...all.map((state) => state.removals))
      const kept = all.filter((state) => state.removals === last)
      expect(joined.removals).toBe(last)
      expect(textOf(joined)).toBe(textOf(joinAll(merge, kept)))
    }),
  )
})

it('modules without a merge function, and those that cannot be loaded, are refused', async () => {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-merges-'))
  try {
    const file = path.join(folder, 'empty.mjs')
    writeFileSync(file, 'export const limit = 5\n')
    await expect(loadMerges(file)).rejects.toThrow("exports no merge function: write 'export const union")
    writeFileSync(path.join(folder, 'broken.mjs'), 'export const =\n')
    await expect(loadMerges(path.join(folder, 'broken.mjs'))).rejects.toThrow('cannot be loaded')
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})
