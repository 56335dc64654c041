import { describe, expect, test } from 'vitest'
import { type Dimension, parseQuantity, unitsOf } from './index.ts'

describe('quantities are read in the base unit of their dimension', () => {
  test.each<[string, Dimension, number]>([
    ['10s', 'time', 10_000],
    ['250ms', 'time', 250],
    ['5us', 'time', 0.005],
    ['2min', 'time', 120_000],
    ['1h', 'time', 3_600_000],
    ['8/s', 'rate', 8],
    ['30/min', 'rate', 0.5],
    ['36/h', 'rate', 0.01],
    ['2Hz', 'rate', 2],
    ['2MB', 'size', 2e6],
    ['2MiB', 'size', 2 * 1024 ** 2],
    ['3kB', 'size', 3000],
    ['3KB', 'size', 3000],
    ['0.40$/h', 'costPerHour', 0.4],
    ['1$/run', 'costPerRun', 1],
    ['500mJ', 'energy', 0.5],
    ['1Wh', 'energy', 3600],
    ['20%', 'share', 0.2],
    ['.5 s', 'time', 500],
    ['1e3ms', 'time', 1000],
    [' 2. s ', 'time', 2000],
  ])('%s', (text, dimension, value) => {
    const quantity = parseQuantity(text)
    expect(quantity).toMatchObject({ dimension, text: text.trim() })
    expect(quantity?.value).toBeCloseTo(value, 9)
  })
})

test.each([
  '',
  '10',
  's',
  '-1s',
  '1,5s',
  '10 sec',
  '1e999s',
  'NaNs',
  '0x10s',
  '10s 5',
  '10S',
  'constructor',
  '1toString',
  '10__proto__',
])('%j is none', (text) => {
  expect(parseQuantity(text)).toBeNull()
})

test('a dimension can be demanded', () => {
  expect(parseQuantity('10s', ['time'])?.value).toBe(10_000)
  expect(parseQuantity('10s', ['rate', 'size'])).toBeNull()
})

test('every unit that is offered is read', () => {
  const dimensions: Dimension[] = ['time', 'rate', 'size', 'costPerHour', 'costPerRun', 'energy', 'share']
  for (const dimension of dimensions) {
    expect(unitsOf(dimension).length).toBeGreaterThan(0)
    for (const unit of unitsOf(dimension)) expect(parseQuantity(`1${unit}`)?.dimension).toBe(dimension)
  }
})
