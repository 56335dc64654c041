/** Whatever is put into a reader, it ends in a workflow that stands, or in an ImportError. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { instanceOf, ORCHARD, VERSIONS } from '../test/instances.ts'
import { expectRoundTrip } from '../test/roundtrip.ts'
import { ImportError, type Imported, randomDag, readStg, readWfCommons } from './index.ts'

const soak = process.env.HIVEMIND_SOAK === '1'
const numRuns = soak ? 20_000 : 500
const timeout = soak ? 600_000 : 60_000

function attempt(read: () => Imported): Imported | undefined {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof ImportError)) throw error
    expect(error.message.length).toBeLessThan(1500)
    expect(error.message).not.toMatch(/[\n\r]/)
    return undefined
  }
}

/** Every place of a JSON value, as a list of keys. */
function placesOf(value: unknown, at: (string | number)[] = []): (string | number)[][] {
  if (typeof value !== 'object' || value === null) return [at]
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.map((part, index) => [index, part])
    : Object.entries(value)
  return [at, ...entries.flatMap(([key, part]) => placesOf(part, [...at, key]))]
}

/** The value with what stands at the place changed, or taken away. */
function changed(
  value: unknown,
  place: readonly (string | number)[],
  by: (old: unknown) => unknown,
): unknown {
  const [key, ...rest] = place
  if (key === undefined) return by(value)
  if (Array.isArray(value)) return value.map((part, at) => (at === key ? changed(part, rest, by) : part))
  const fields = value as Record<string, unknown>
  return { ...fields, [key]: changed(fields[key], rest, by) }
}

const WORDS = [
  'sort',
  'pick_east',
  'weigh',
  'east.bin',
  'sorted.bin',
  'barn',
  '',
  '__proto__',
  'input',
  '1.4',
  '1.5',
]
const anything = fc.oneof(
  fc.constantFrom(...WORDS),
  fc.array(fc.constantFrom(...WORDS), { maxLength: 4 }),
  fc.jsonValue(),
  fc.double(),
  fc.constant(undefined),
)

test('an instance with a few places changed', { timeout }, () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...VERSIONS),
      fc.array(fc.tuple(fc.nat(), anything), { minLength: 1, maxLength: 4 }),
      (version, changes) => {
        let document: unknown = instanceOf(ORCHARD, version)
        for (const [pick, by] of changes) {
          const places = placesOf(document)
          document = changed(document, places[pick % places.length] ?? [], () => by)
        }
        const imported = attempt(() => readWfCommons(document))
        if (imported) expectRoundTrip(imported)
      },
    ),
    { numRuns },
  )
})

test('a task graph with some of its text changed', { timeout }, () => {
  const { workflow } = randomDag({ tasks: 12, seed: 5 })
  const number = (name: string) => workflow.tasks.findIndex((task) => task.name === name) + 1
  const lines = workflow.tasks.map(({ name, parents }) =>
    [number(name), 5, parents.length, ...parents.map(number)].join(' '),
  )
  const text = `12\n${lines.join('\n')}\n`
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.nat(text.length - 1), fc.constantFrom(...' 0123456789\n.-#x')), { maxLength: 5 }),
      (changes) => {
        const letters = [...text]
        for (const [at, letter] of changes) letters[at] = letter
        const imported = attempt(() => readStg(letters.join('')))
        if (imported) expectRoundTrip(imported)
      },
    ),
    { numRuns },
  )
})

test('any text', { timeout }, () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      attempt(() => readWfCommons(text))
      attempt(() => readStg(text))
    }),
    { numRuns },
  )
})
