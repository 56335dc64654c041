import { expect, it } from 'vitest'
import { createOp, keepsState, NfuError, OP_NAMES, OPS, parseNfu, readNfu } from './index.ts'

const run = (code: string, values: unknown[]) => {
  const op = createOp(parseNfu(code))
  return values.flatMap((value) => op(value))
}

it('averages over a window', () => {
  expect(run('nfu:average?window=2', [1, 3, 5])).toEqual([2])
  expect(run('nfu:average?window=2', [1, 3, 5, 8])).toEqual([2, 6.5])
  expect(run('nfu:average', [1, 3, 5])).toEqual([1, 2, 3])
})

it.each([
  'average?window=3',
  'average',
  'counter',
  'counter?count=3',
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
  expect(run('nfu:counter?count=2', ['a', 'b', 'c', 'd', 'e'])).toEqual([2, 4])
  expect(run('nfu:min?window=2', [3, 1, 2, 4])).toEqual([1, 2])
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
  ['nfu:counter?count=0', 'whole number from 1'],
  ['nfu:average?count=3', "no parameter 'count'"],
  ['nfu:filter?above=x', 'must be a number'],
  ['nfu:filter?above=', 'must be a number'],
  ['nfu:filter?field=', "'field' of the op 'filter' is empty"],
  ['nfu:filter?above=3&below=2', 'Nothing passes'],
  ['nfu:min?window=2&window=3', 'given twice'],
  ['nfu:average?8', 'name=value'],
  ['nfu:average?', 'name=value'],
])('refuses %s', (code, sentence) => {
  expect(() => parseNfu(code)).toThrow(NfuError)
  expect(() => parseNfu(code)).toThrow(sentence)
})

it('says which value it cannot take', () => {
  expect(() => run('nfu:average', ['x'])).toThrow("give 'field'")
  expect(() => run('nfu:average?field=t', [{ t: 'x' }])).toThrow("no number in 't'")
  expect(() => run('nfu:max', [Number.NaN])).toThrow('finite numbers, not NaN')
  expect(() => run('nfu:average', [1e308, 1e308])).toThrow('beyond the range')
})

it('reports everything that is wrong, each with what it concerns', () => {
  expect(readNfu('nfu:average?size=3&window=0&8').problems.map(({ kind, name }) => [kind, name])).toEqual([
    ['parameter', 'size'],
    ['value', 'window'],
    ['form', ''],
  ])
  expect(readNfu('nfu:median').problems).toMatchObject([{ kind: 'op', name: 'median' }])
})

it('every op takes each of its parameters', () => {
  const values = { count: '3', number: '-0.5', text: 't' }
  for (const op of OP_NAMES)
    for (const { name, value } of OPS[op].parameters)
      expect(readNfu(`nfu:${op}?${name}=${values[value]}`)).toMatchObject({ nfu: { op }, problems: [] })
})

it('an op is stateful when the same value can give different outputs', () => {
  for (const op of OP_NAMES) {
    const step = createOp(parseNfu(`nfu:${op}`))
    const [first] = [step(1), step(5), step(-5)]
    expect(JSON.stringify(step(1)) !== JSON.stringify(first), op).toBe(OPS[op].stateful)
  }
})
