/** Reading takes linear time on any text: the steps grow as the text does. */
import { parseQuantity } from '@hivemind/workflow'
import { describe, expect, test } from 'vitest'
import { stepsOf } from '../../test/steps.ts'
import { check, completionsAt } from '../index.ts'
import { scan } from './scan.ts'

/** Texts of about `size` characters, each of one thing too many. */
const TEXTS: Record<string, (size: number) => string> = {
  'a long comment': (size) => `#${'x'.repeat(size)}\nTask(a)`,
  'a comment of hashes': (size) => `${'#'.repeat(size)}\n#\nTask(a)`,
  comments: (size) => '#x\n'.repeat(size / 3),
  blanks: (size) => `Task(a,${' '.repeat(size)}b)`,
  'blanks before line breaks': (size) => ' \n'.repeat(size / 2),
  'joined lines': (size) => `${'\\\n'.repeat(size / 2)}Task(a)`,
  'blank lines': (size) => `${'\r\n'.repeat(size / 2)}Task(a)`,
  digits: (size) => `Task(a, None, x, 'a.py', v=${'1'.repeat(size)})`,
  'digits with a unit': (size) => `Task(a, None, x, 'a.py', v=${'1'.repeat(size)}s)`,
  'digits and underscores': (size) => `Task(a, None, x, 'a.py', v=${'1_'.repeat(size / 2)})`,
  'one name': (size) => `${'a'.repeat(size)}(`,
  'an open text': (size) => `Task('${'a'.repeat(size)}`,
  backslashes: (size) => `'${'\\'.repeat(size)}`,
  'typographic quotes': (size) => '\u2018a'.repeat(size / 2),
  brackets: (size) => '[]'.repeat(size / 2),
}

describe.each(Object.entries(TEXTS))('%s', (_name, make) => {
  const grows = (work: (text: string) => void) => {
    const [small, large] = [make(4_000), make(32_000)].map((text) => stepsOf(() => work(text)) / text.length)
    // Eight times the text takes eight times the steps, so each character takes as many as before.
    expect(large).toBeLessThan(1.5 * (small as number) + 1)
  }
  test('scanning', () => {
    const text = make(32_000)
    expect(stepsOf(() => scan(text)) / text.length).toBeLessThan(12)
    grows(scan)
  })
  test('checking', () => grows(check))
  test('completing', () => grows((text) => completionsAt(text, text.length - 3)))
})

test.each<[string, (text: string) => void]>([
  [
    'a look back to the start of the text from every place',
    (text) => {
      for (let at = 0; at < text.length; at++) text.slice(0, at)
    },
  ],
  ['a search for the end of the text from every place', (text) => /[^\n]*$/.exec(`${text}\n`)],
])('the count sees %s', (_name, wasteful) => {
  const [small, large] = [400, 3_200].map((size) => stepsOf(() => wasteful('x '.repeat(size))) / size)
  expect(large).toBeGreaterThan(4 * (small as number))
})

test('a quantity is read the same whatever blanks stand around its unit, and long ones are none', () => {
  expect(parseQuantity('  10 \t s ')).toMatchObject({ value: 10_000, text: '10 \t s' })
  expect(parseQuantity(`${'1'.repeat(50_000)} x y`)).toBeNull()
  expect(parseQuantity(`${'1.'.repeat(50_000)} x y`)).toBeNull()
  expect(parseQuantity(`1${' '.repeat(50_000)}x y`)).toBeNull()
})

test('media types', () => {
  const type = (text: string) =>
    check(`TaskGraph(list=['a'])\nTask(a, x, None, 'a.py')\nData(x, type='${text}')`).diagnostics.map(
      ({ code }) => code,
    )
  for (const good of [
    'image/jpeg',
    'text/plain; charset=utf-8',
    'a/b ;c=d; e="f g"',
    'application/vnd.x+json',
  ])
    expect(type(good), good).toEqual([])
  for (const bad of ['jpeg', 'a/b;', 'a/b; c', 'a/b; c=', 'a/b c', 'a/b ', `a/b${'; a=b  '.repeat(2000)};`])
    expect(type(bad), bad).toEqual(['HM408'])
})
