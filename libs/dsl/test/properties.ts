/** The promises of the language, for any number of random cases; the normal and the slow tests choose how many. */
import { readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { expect } from 'vitest'
import {
  applyChanges,
  applyEdit,
  check,
  completionsAt,
  EditError,
  fixAll,
  hoverAt,
  openDocument,
  print,
  taskRanges,
} from '../src/index.ts'
import { trespasses } from './lossless.ts'
import { mutate, seeded } from './mutants.ts'
import { pythonSays } from './python.ts'
import { workflows } from './random.ts'
import { randomEdit } from './randomEdits.ts'
import { referenceEdit, withoutEdgeOrder } from './reference.ts'
import { scruffy } from './scruffy.ts'

const folder = new URL('.', import.meta.url)
export const listing3 = readFileSync(new URL('listing3.hive.py', folder), 'utf8')

/** Real and faulty texts to start mutants from. */
export function corpus(): string[] {
  const faulty = readdirSync(new URL('diagnostics/', folder)).map((file) =>
    readFileSync(new URL(`diagnostics/${file}`, folder), 'utf8'),
  )
  const mended = fixAll(listing3).text
  return [listing3, mended, mended, mended, ...faulty]
}

/** What is printed is read as the same workflow, has no fault of syntax, and Python parses it. */
export function roundTrip(runs: number) {
  let printed: string[] = []
  const ask = () => {
    const refused = pythonSays(printed).map((complaint, index) =>
      complaint ? `${complaint}\n${printed[index]}` : null,
    )
    expect(refused.filter((one) => one !== null)).toEqual([])
    printed = []
  }
  fc.assert(
    fc.property(workflows(), (workflow) => {
      const text = print(workflow)
      const result = check(text)
      expect(result.workflow).toEqual(workflow)
      expect(result.diagnostics.filter(({ code }) => code < 'HM2')).toEqual([])
      printed.push(text)
      if (printed.length === 2000) ask()
    }),
    { numRuns: runs },
  )
  ask()
}

/** An edit of any text means what it means for the workflow, and touches nothing it does not concern. */
export function edits(runs: number) {
  let done = 0
  fc.assert(
    fc.property(workflows(4), fc.nat(), (workflow, seed) => {
      const pick = seeded(seed)
      const text = scruffy(workflow, pick)
      const before = check(text).workflow
      if (!before) throw new Error(`Not read: ${text}`)
      expect(withoutEdgeOrder(before)).toEqual(withoutEdgeOrder(workflow))
      const edit = randomEdit(workflow, pick)
      const wanted = referenceEdit(before, edit)
      if (wanted === null) {
        expect(() => applyEdit(text, edit)).toThrow(EditError)
        return
      }
      const after = applyEdit(text, edit)
      expect(applyChanges(text, after.changes)).toBe(after.text)
      // A document that was checked gives the same, is not changed by it, and can be checked again.
      const document = openDocument(text)
      const told = document.check()
      expect(applyEdit(document, edit)).toEqual(after)
      expect(document.check()).toEqual(told)
      const copy = document.copy()
      document.update(after.changes)
      expect(document.check()).toEqual(check(after.text))
      expect(copy.check()).toEqual(told)
      expect(withoutEdgeOrder(check(after.text).workflow ?? before)).toEqual(withoutEdgeOrder(wanted))
      expect(trespasses(text, edit, after.changes)).toEqual([])
      done++
    }),
    { numRuns: runs },
  )
  expect(done).toBeGreaterThan(runs / 4)
}

/** Whatever the text: nothing throws, every report lies in the text, and what we pass as clean Python parses. */
export function mutants(runs: number, seed: number) {
  const random = seeded(seed)
  const texts = corpus()
  let clean: string[] = []
  const ask = () => {
    const refused = pythonSays(clean).map((complaint, index) =>
      complaint ? `${complaint}\n${clean[index]}` : null,
    )
    expect(refused.filter((one) => one !== null)).toEqual([])
    clean = []
  }
  for (let run = 0; run < runs; run++) {
    const text = mutate(texts[random(texts.length)] as string, random)
    const { diagnostics } = check(text)
    for (const { from, to, line, column, message } of diagnostics)
      if (!(0 <= from && from <= to && to <= text.length && line >= 1 && column >= 1 && message))
        throw new Error(`${message} at ${from}..${to} in ${text}`)
    if (!diagnostics.some(({ code, severity }) => severity === 'error' || code === 'HM116')) clean.push(text)
    if (run % 10 === 0) {
      const at = random(text.length + 1)
      fixAll(text)
      completionsAt(text, at)
      hoverAt(text, at)
      taskRanges(text)
    }
    if (clean.length === 5000) ask()
  }
  ask()
}

/** A document that is changed step by step says the same as a text that is read afresh. */
export function incremental(runs: number, seed: number) {
  const random = seeded(seed)
  const texts = corpus()
  for (let run = 0; run < runs; run++) {
    const document = openDocument(texts[random(texts.length)] as string)
    for (let step = 0; step < 6; step++) {
      const from = random(document.text.length + 1)
      const to = Math.min(document.text.length, from + random(6))
      const insert = ['', 'x', ')', "'", ',', '\n', "Task(z, None, None, 'z.py')\n", '#', '\u201c'][
        random(9)
      ] as string
      document.update([{ from, to, insert }])
      expect(document.check()).toEqual(check(document.text))
    }
  }
}
