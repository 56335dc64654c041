import { expect, test } from 'vitest'
import { cutLine, LineSplitter, MAX_LINE_LENGTH } from './log-lines.ts'

const long = 'x'.repeat(MAX_LINE_LENGTH)

test('a line is cut, and says by how much', () => {
  expect(cutLine(long)).toBe(long)
  const cut = cutLine(`${long}${'y'.repeat(1_000)}`)
  expect(cut).toBe(`${long} [1,000 characters cut]`)
  expect(cutLine(cut)).toBe(cut)
  expect(cutLine(`${long.slice(1)}${'\u{1F600}'.repeat(100)}`).isWellFormed()).toBe(true)
})

test('pieces become lines, whatever the pieces are', () => {
  const text = `one\n\ntwo\n${long}1234\nthree\nrest`
  const expected = ['one', 'two', `${long} [4 characters cut]`, 'three']
  for (const size of [1, 2, 7, 4_000, text.length]) {
    const splitter = new LineSplitter()
    const lines: string[] = []
    for (let at = 0; at < text.length; at += size) lines.push(...splitter.push(text.slice(at, at + size)))
    expect(lines).toEqual(expected)
    expect(splitter.push('\n')).toEqual(['rest'])
  }
})

test('a line that never ends takes no memory', () => {
  const splitter = new LineSplitter()
  const piece = 'z'.repeat(1_000_000)
  for (let n = 0; n < 1_000; n++) expect(splitter.push(piece)).toEqual([])
  const [line] = splitter.push('\n')
  expect(line).toContain('[999,996,000 characters cut]')
})
