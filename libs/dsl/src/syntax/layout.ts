/** Where text goes in and out so that everything around it keeps its form: comments, line breaks, commas. */
import type { TextChange } from '../types.ts'
import type { Span } from './syntax.ts'

/** An element of an argument list, a list or a dictionary. */
export interface Element extends Span {
  comma: Span | null
}

/** The start of the line of `at`. */
export function lineStartOf(text: string, at: number): number {
  let start = at
  while (start > 0 && text[start - 1] !== '\n' && text[start - 1] !== '\r') start--
  return start
}

/** The end of the line of `at`, before its line break. */
export function lineEndOf(text: string, at: number): number {
  const stop = /[\r\n]/g
  stop.lastIndex = at
  return stop.exec(text)?.index ?? text.length
}

/** Where the blanks before `at` start. */
function blanksBefore(text: string, at: number): number {
  let start = at
  while (start > 0 && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--
  return start
}

const breakAt = (text: string, at: number) =>
  text.startsWith('\r\n', at) ? 2 : text[at] === '\n' || text[at] === '\r' ? 1 : 0
const isBlank = (text: string) => /^[\s\ufeff]*$/.test(text)

/** The line break a text uses. */
export const eolOf = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'

/** Takes a statement out. Comments stay; a line that becomes empty goes, and so does a blank line that would double another. */
export function statementRemoval(text: string, statement: Span): TextChange {
  const start = lineStartOf(text, statement.from)
  let { to } = statement
  let from = statement.from
  const semicolon = /^[ \t]*;[ \t]*/.exec(text.slice(to, lineEndOf(text, to)))
  if (semicolon) to += semicolon[0].length
  const end = lineEndOf(text, to)
  const before = text.slice(start, from)
  const after = text.slice(to, end)
  if (!isBlank(before) || !isBlank(after)) {
    if (semicolon && !/^\s*(?:#|$)/.test(after)) return { from, to, insert: '' }
    from = blanksBefore(text, from)
    if (from > start && text[from - 1] === ';') from = blanksBefore(text, from - 1)
    if (isBlank(before)) {
      from = statement.from
      to += /^[ \t]*/.exec(after)?.[0].length ?? 0
    }
    return { from, to, insert: '' }
  }
  from = start + (before.startsWith('\ufeff') ? 1 : 0)
  to = end + breakAt(text, end)
  if (to === end && from > 0 && from === start) {
    from -= from > 1 && text.slice(from - 2, from) === '\r\n' ? 2 : 1
    return { from, to, insert: '' }
  }
  const nextEnd = lineEndOf(text, to)
  const nextIsBlank = to < text.length && isBlank(text.slice(to, nextEnd))
  const beforeIsBlank = start === 0 || isBlank(text.slice(lineStartOf(text, start - 1), start))
  if (nextIsBlank && beforeIsBlank) to = nextEnd + breakAt(text, nextEnd)
  return { from, to, insert: '' }
}

/** Takes one element out, with the comma that goes with it. */
export function elementRemoval(text: string, elements: readonly Element[], index: number): TextChange[] {
  const element = elements[index] as Element
  const { comma } = element
  if (!comma) {
    const before = elements[index - 1]
    if (!before?.comma) return [{ from: element.from, to: element.to, insert: '' }]
    if (text.slice(before.comma.to, element.from).includes('#'))
      return [
        { from: before.comma.from, to: before.comma.to, insert: '' },
        { from: element.from, to: element.to, insert: '' },
      ]
    return [{ from: before.comma.from, to: element.to, insert: '' }]
  }
  if (text.slice(element.to, comma.from).includes('#'))
    return [
      { from: element.from, to: element.to, insert: '' },
      { from: comma.from, to: comma.to, insert: '' },
    ]
  const start = lineStartOf(text, element.from)
  const end = lineEndOf(text, comma.to)
  const alone = isBlank(text.slice(start, element.from))
  if (isBlank(text.slice(comma.to, end)) && end < text.length) {
    if (alone) return [{ from: start, to: end + breakAt(text, end), insert: '' }]
    return [{ from: blanksBefore(text, element.from), to: comma.to, insert: '' }]
  }
  const blanks = /^[ \t]*/.exec(text.slice(comma.to, end))?.[0].length ?? 0
  return [{ from: element.from, to: comma.to + blanks, insert: '' }]
}

/** Puts an element behind the last one, in its form: on the same line, or on one of its own with the same indentation. */
export function elementInsertion(
  text: string,
  elements: readonly Element[],
  inner: Span,
  insert: string,
): TextChange[] {
  const last = elements.at(-1)
  if (!last) return [{ from: inner.from, to: inner.from, insert }]
  const start = lineStartOf(text, last.from)
  const indent = text.slice(start, last.from)
  const ownLine = isBlank(indent) && start > inner.from
  const newLine = eolOf(text) + indent
  const end = Math.min(lineEndOf(text, last.comma?.to ?? last.to), inner.to)
  const commented = text.slice(last.comma?.to ?? last.to, end).includes('#')
  if (last.comma) {
    if (!ownLine) return [{ from: last.comma.to, to: last.comma.to, insert: ` ${insert},` }]
    const at = commented ? end : last.comma.to
    return [{ from: at, to: at, insert: `${newLine}${insert},` }]
  }
  if (ownLine && commented)
    return [
      { from: last.to, to: last.to, insert: ',' },
      { from: end, to: end, insert: newLine + insert },
    ]
  return [{ from: last.to, to: last.to, insert: ownLine ? `,${newLine}${insert}` : `, ${insert}` }]
}
