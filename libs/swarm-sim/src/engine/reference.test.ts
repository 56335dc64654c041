/** The engine gives the figures on record. They were computed by the two engines that this one has replaced. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { off } from '../../test/queues.ts'
import { figuresOf, references } from '../../test/reference.ts'
import { simulate } from '../simulate.ts'

/** Events at the same time may come in another order. */
const TOLERANCE = 1e-6

const recorded: Record<string, Record<string, number>> = JSON.parse(
  readFileSync(new URL('../../test/reference-figures.json', import.meta.url), 'utf8'),
)

test.each(references())('$name', ({ name, model, conditions }) => {
  const figures = figuresOf(simulate(model, { seed: 1, ...(conditions && { conditions }) }))
  for (const [figure, expected] of Object.entries(recorded[name] ?? {}))
    expect(
      expected === 0 ? (figures[figure] ?? 1) : off(figures[figure] ?? 0, expected),
      figure,
    ).toBeLessThan(TOLERANCE)
  expect(Object.keys(figures)).toEqual(Object.keys(recorded[name] ?? {}))
})
