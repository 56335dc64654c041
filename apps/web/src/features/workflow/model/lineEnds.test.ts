import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createDocument, isDirty } from './document.ts'
import { unified, withLineEnds } from './lineEnds.ts'

const end = fc.constantFrom('\n', '\r\n', '\r')
const word = fc.constantFrom('', 'a', 'b', 'Task(a)', 'Task(b)', '# c')
const mixed = fc
  .array(fc.tuple(word, end), { maxLength: 12 })
  .chain((lines) => word.map((last) => lines.map(([line, ending]) => line + ending).join('') + last))

describe('line ends', () => {
  it('of a text that nobody changed stay, whatever they are', () => {
    fc.assert(
      fc.property(mixed, (source) => {
        expect(withLineEnds(unified(source), source)).toBe(source)
      }),
    )
  })
  it('never change the lines themselves', () => {
    fc.assert(
      fc.property(mixed, mixed, (source, other) => {
        expect(unified(withLineEnds(unified(other), source))).toBe(unified(other))
      }),
    )
  })
  it('of untouched lines stay when lines before, between and behind them change', () => {
    const source = 'one\r\ntwo\nthree\rfour\r\nfive\nsix'
    expect(withLineEnds('zero\none\ntwo\nthree!\nfour\n4.5\nfive\nsix', source)).toBe(
      'zero\r\none\r\ntwo\nthree!\rfour\r\n4.5\r\nfive\nsix',
    )
    expect(withLineEnds('two\nfive\nsix\n', source)).toBe('two\nfive\nsix\n')
    expect(withLineEnds('four\none\ntwo\nthree', source)).toMatch(/one\r\ntwo\nthree$/)
  })
  it('of lines that all end alike are those of the file', () => {
    expect(withLineEnds('a\nb\nc', 'a\r\nc')).toBe('a\r\nb\r\nc')
    expect(withLineEnds('a\nb', 'a')).toBe('a\nb')
  })
})

describe('the file of a document with mixed line ends', () => {
  const source = "# first\r\nTaskGraph(list=['a'])\nTask(a, None, out, 'a.js')\r\n# last"
  it('is the file that was opened, until something is edited', () => {
    const model = createDocument({ version: 1, text: source, nodes: {} })
    expect(model.actions.file()).toBe(source)
    expect(isDirty(model.getState())).toBe(false)
  })
  it('differs from it by the edit only, and by nothing after undo', () => {
    const model = createDocument({ version: 1, text: source, nodes: {} })
    model.actions.edit({ kind: 'renameTask', task: 'a', to: 'b' }, { label: 'Rename' })
    expect(model.actions.file()).toBe(source.replace("['a']", "['b']").replace('Task(a', 'Task(b'))
    model.actions.undo()
    expect(model.actions.file()).toBe(source)
  })
  it('takes the line ends of a file that is imported, and gives them back with undo', () => {
    const model = createDocument({ version: 1, text: source, nodes: {} })
    const other = "TaskGraph(list=['z'])\r\nTask(z, None, out, 'z.js')\r# end\n"
    model.actions.replaceText(other, 'Import')
    expect(model.actions.file()).toBe(other)
    model.actions.undo()
    expect(model.actions.file()).toBe(source)
    model.actions.redo()
    expect(model.actions.file()).toBe(other)
  })
  it('is worth saving when only line ends differ', () => {
    const model = createDocument({ version: 1, text: source, nodes: {} })
    model.actions.replaceText(unified(source), 'Import')
    expect(isDirty(model.getState())).toBe(true)
    model.actions.setSaved({ version: 2, text: model.actions.file(), nodes: {} })
    expect(isDirty(model.getState())).toBe(false)
    expect(model.actions.file()).toBe(unified(source))
  })
  it('is kept in a draft', () => {
    const text = source.replace('# last', '# newest')
    const model = createDocument({ version: 1, text: 'x', nodes: {} }, { draft: { text, nodes: {} } })
    expect(model.actions.file()).toBe(text)
  })
})
