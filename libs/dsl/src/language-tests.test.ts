/** Every statement of the language has tests of its effect: docs/dsl.md names them, and all of them exist. */
import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { CONSTRAINTS, HEADS, STATEMENTS } from './meaning/statements.ts'

const page = new URL('../../../docs/dsl.md', import.meta.url)
const section = /\n### What shows it\n([\s\S]*?)\n## /.exec(readFileSync(page, 'utf8'))?.[1] ?? ''

/** Text of each test file by the short name that the section gives it. */
const files = new Map(
  [...section.matchAll(/`(\w+)`: \[[^\]]+\]\(([^)]+)\)/g)].map(([, name = '', path = '']) => [
    name,
    readFileSync(new URL(path, page), 'utf8'),
  ]),
)
const rows = section
  .split('\n')
  .filter((line) => line.startsWith('| ') && !line.startsWith('| Statement') && !line.startsWith('| ---'))
  .map((line) => line.slice(2, -2).split(' | '))
const namedIn = (cells: readonly string[]) =>
  cells.flatMap((cell) =>
    [...cell.matchAll(/`(\w+): ([^`]+)`/g)].map(([, file = '', title = '']) => ({ file, title })),
  )

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

test.each(rows)('%s', (statement, ...effects) => {
  expect(effects).toHaveLength(2)
  expect(namedIn(effects).length, `${statement} has no test`).toBeGreaterThan(0)
  for (const { file, title } of namedIn(effects)) {
    const text = files.get(file)
    expect(text, `no file is called '${file}'`).toBeDefined()
    expect(new RegExp(`(['"\`])${escaped(title)}\\1`).test(text ?? ''), `there is no test '${title}'`).toBe(
      true,
    )
  }
})

describe('the table has', () => {
  const statements = rows.map(([statement = '']) => statement).join('\n')
  const without = ['TaskGraph', 'Task', 'Data']
  const choices = (head: string, name: string) =>
    STATEMENTS.get(head)?.parameters.find((parameter) => parameter.name === name)?.choices ?? []

  test.each([...HEADS].filter((head) => !without.includes(head)))('%s', (head) =>
    expect(statements).toContain(`${head}(`),
  )
  test.each(choices('Restore', 'policy'))('Restore %s', (policy) =>
    expect(statements).toContain(`'${policy}'`),
  )
  test.each(CONSTRAINTS.map(({ key }) => key))('the constraint %s', (key) =>
    expect(statements).toContain(`\`${key}\``),
  )
  test.each([
    "state='device'",
    "state='FIELD'",
    '`timeout`',
    '`memory`',
    'rate=..',
    "kind='object'",
    "stays='device'",
  ])('%s', (argument) => expect(statements).toContain(argument))
})
