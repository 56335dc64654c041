import { describe, expect, test } from 'vitest'
import { check } from '../index.ts'

describe('no size and no depth makes it hang', () => {
  const many = (piece: string, times: number) => piece.repeat(times)
  test.each([
    ['parentheses', many('(', 500_000)],
    ['closing parentheses', many(')', 500_000)],
    ['unclosed statements', many("Task(a, b, c, 'd'\n", 20_000)],
    ['unclosed texts', many("Task('a\n", 50_000)],
    ['one long line', many('Task(a),x,', 40_000)],
    [
      'unknown names',
      `TaskGraph(list=[${Array.from({ length: 30_000 }, (_, index) => `'x${index}'`).join(',')}])`,
    ],
    ['keywords', `Task(a,${Array.from({ length: 40_000 }, (_, index) => `k${index}=1`).join(',')})`],
    ['relations', many('Parallel(a,b)\n', 40_000)],
    ['zero bytes', many('\0', 500_000)],
    ['operators', many('- ', 250_000)],
    [
      'tasks that disagree',
      Array.from(
        { length: 10_000 },
        (_, index) =>
          `Task(t${index}, d${index}, e${index}, 'x', parentTask=['t${index + 1}'], childTask=['u${index}'])`,
      ).join('\n'),
    ],
  ])('%s', { timeout: 60_000 }, (_name, text) => {
    expect(check(text).diagnostics.length).toBeGreaterThan(0)
  })
})
