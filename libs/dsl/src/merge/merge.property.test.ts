import fc from 'fast-check'
import { expect, test } from 'vitest'
import { seeded } from '../../test/mutants.ts'
import { workflows } from '../../test/random.ts'
import { randomEdit } from '../../test/randomEdits.ts'
import { check } from '../analysis.ts'
import { applyEdit } from '../edit/apply.ts'
import { EditError } from '../edit/editor.ts'
import { print } from '../print.ts'
import { factsOf } from './facts.ts'
import { merge } from './merge.ts'

/** What a text says, whatever the order in which it says it. */
const factsIn = (text: string): string[] => {
  const { workflow } = check(text)
  if (!workflow) throw new Error(`Not read: ${text}`)
  return [...factsOf(workflow)].map(([key, { value }]) => `${key} ${JSON.stringify(sorted(value))}`).sort()
}
const sorted = (value: unknown): unknown =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.entries(value)
          .sort()
          .map(([key, inner]) => [key, sorted(inner)])
      : value

/** A text after some edits, those that make no sense left out. */
function edited(text: string, count: number, pick: (below: number) => number): string {
  let now = text
  for (let n = 0; n < count; n++) {
    const { workflow } = check(now)
    if (!workflow) return now
    try {
      now = applyEdit(now, randomEdit(workflow, pick)).text
    } catch (error) {
      if (!(error instanceof EditError)) throw error
    }
  }
  return now
}

test('a merge keeps what one side alone has changed, and is the same from both sides', () => {
  let [changed, disputed, refused] = [0, 0, 0]
  fc.assert(
    fc.property(workflows(4), fc.nat(), (workflow, seed) => {
      const pick = seeded(seed)
      const base = print(workflow)
      const mine = edited(base, 1 + pick(4), pick)
      const theirs = edited(base, 1 + pick(4), pick)
      expect(merge({ base, mine: base, theirs })?.text).toBe(theirs)
      const alone = merge({ base, mine, theirs: base })
      expect(alone?.conflicts).toEqual([])
      // A text may have values, such as an empty path, that no edit writes.
      if (alone?.left.length) return void refused++
      expect(factsIn(alone?.text ?? '')).toEqual(factsIn(mine))
      for (const side of ['mine', 'theirs'] as const) {
        const one = merge({ base, mine, theirs }, () => side)
        const other = merge({ base, mine: theirs, theirs: mine }, () => (side === 'mine' ? 'theirs' : 'mine'))
        if (one?.left.length || other?.left.length) return void refused++
        expect(factsIn(one?.text ?? '')).toEqual(factsIn(other?.text ?? ''))
        if (one?.conflicts.length) disputed++
      }
      if (mine !== base && theirs !== base) changed++
    }),
    { numRuns: 300 },
  )
  expect(changed).toBeGreaterThan(100)
  expect(refused).toBeLessThan(30)
  expect(disputed).toBeGreaterThan(10)
})
