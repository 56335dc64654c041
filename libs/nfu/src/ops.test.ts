import { expect, it } from 'vitest'
import { createOp, keepsState, NfuError, parseNfu } from './index.ts'

const run = (code: string, values: unknown[]) => {
  const op = createOp(parseNfu(code))
  return values.flatMap((value) => op(value))
}

it('averages over a window', () => {
  expect(run('nfu:average?window=2', [1, 3, 5])).toEqual([1, 2, 4])
  expect(run('nfu:average', [1, 3, 5])).toEqual([1, 2, 3])
})

it.each([
  'average?window=3',
  'average',
  'counter',
  'min?window=2',
  'min',
  'max?window=2',
  'max',
  'filter?above=2',
  'forward',
])('goes on from its state: %s', (text) => {
  const nfu = parseNfu(`nfu:${text}`)
  const values = [3, 1, 4, 1, 5, 9, 2, 6]
  const whole = run(`nfu:${text}`, values)
  let state: number[] = []
  const resumed = values.flatMap((value) => {
    const op = createOp(nfu, state)
    const outputs = op(value)
    state = op.state()
    expect(state.length).toBeLessThan(4)
    return outputs
  })
  expect(resumed).toEqual(whole)
  expect(keepsState(nfu)).toBe(state.length > 0)
})

it('counts, and finds the least and the greatest', () => {
  expect(run('nfu:counter', ['a', 'b'])).toEqual([1, 2])
  expect(run('nfu:min?window=2', [3, 1, 2, 4])).toEqual([3, 1, 1, 2])
  expect(run('nfu:max', [3, 1, 4])).toEqual([3, 3, 4])
})

it('filters and forwards', () => {
  expect(run('nfu:filter?above=2&below=3&field=t', [{ t: 1 }, { t: 2 }, { t: 4 }])).toEqual([{ t: 2 }])
  expect(run('nfu:forward', [{ t: 1 }])).toEqual([{ t: 1 }])
})

it.each([
  ['nfu:', 'no functional unit'],
  ['nfu:median', 'Known: average'],
  ['nfu:min?size=3', "no parameter 'size'"],
  ['nfu:min?window=0', 'whole number from 1'],
  ['nfu:filter?above=x', 'must be a number'],
])('refuses %s', (code, sentence) => {
  expect(() => parseNfu(code)).toThrow(NfuError)
  expect(() => parseNfu(code)).toThrow(sentence)
})

it('says which value holds no number', () => {
  expect(() => run('nfu:average', ['x'])).toThrow("give 'field'")
  expect(() => run('nfu:average?field=t', [{ t: 'x' }])).toThrow("no number in 't'")
})
