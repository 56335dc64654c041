import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { createOp, OP_NAMES, parseNfu } from '../src/index.ts'

/** What an op answers to values, as doubles in hexadecimal digits. The hardware is tested with the same file. */
interface Vector {
  code: string
  values: string[]
  /** For each value: what it gives, `null` when nothing. */
  outputs: (string | null)[]
}

const file = (name: string) => fileURLToPath(new URL(`../${name}`, import.meta.url))
const text = readFileSync(file('vectors.json'), 'utf8')
const vectors = JSON.parse(text) as Vector[]

const toDouble = (word: string) => Buffer.from(word, 'hex').readDoubleBE()
const toWord = (x: unknown) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleBE(x as number)
  return bytes.toString('hex')
}

describe('the vectors', () => {
  it('are what their script computes', () => {
    expect(execFileSync('python3', [file('vectors.py')], { encoding: 'utf8' })).toBe(text)
  })

  it('name every op', () => {
    expect(new Set(vectors.map(({ code }) => parseNfu(code).op))).toEqual(new Set(OP_NAMES))
  })

  it.each(vectors.map((vector, index) => ({ ...vector, index })))(
    '$index: $code answers byte for byte',
    ({ code, values, outputs }) => {
      const op = createOp(parseNfu(code))
      const answers = values.map((value) => op(toDouble(value)).map(toWord)[0] ?? null)
      expect(answers).toEqual(outputs)
    },
  )
})
