/** Adding and taking names in the arguments that hold them, in the style they are written in. */

import { elementInsertion, elementRemoval } from '../syntax/layout.ts'
import { isBareName, quoteString } from '../syntax/literal.ts'
import type { Argument, Value } from '../syntax/syntax.ts'
import type { TextChange } from '../types.ts'

/** The quote around a text. */
export type QuoteMark = '"' | "'"

/** The quote a text uses most; single where it uses none. */
export function quoteOf(text: string): QuoteMark {
  const double = text.match(/"/g)?.length ?? 0
  return double > (text.match(/'/g)?.length ?? 0) ? '"' : "'"
}

/** A name in the style of its neighbours: bare where they are bare. */
export function nameLike(name: string, neighbour: Value | undefined, quote: QuoteMark): string {
  if (neighbour?.kind === 'name' && isBareName(name)) return name
  return quoteString(name, neighbour?.kind === 'string' ? neighbour.quote : quote)
}

const replaceValue = (value: Value, insert: string): TextChange[] => [
  { from: value.from, to: value.to, insert },
]

/** Adds a name to `parentTask`, `childTask`, `dataIn` or a list of tasks. `null` when its value is in no form for it. */
export function addRef(
  text: string,
  { value }: Argument,
  name: string,
  quote: QuoteMark,
): TextChange[] | null {
  if (value.kind === 'none') return replaceValue(value, `[${quoteString(name, quote)}]`)
  if (value.kind === 'name' || value.kind === 'string')
    return [
      { from: value.from, to: value.from, insert: '[' },
      { from: value.to, to: value.to, insert: `, ${nameLike(name, value, quote)}]` },
    ]
  if (value.kind !== 'list') return null
  const before = value.items.at(-1)?.value
  const insert = nameLike(name, before, quote)
  // One name in parentheses with a comma is a tuple; a new one in empty parentheses needs that comma.
  if (value.items.length === 0 && text[value.from] === '(') return replaceValue(value, `[${insert}]`)
  return elementInsertion(text, value.items, value.inner, insert)
}

/** Takes a name out; `empty` is what stands for no name where the value was a single one. */
export function removeRef(text: string, { value }: Argument, name: string, empty: string): TextChange[] {
  const isIt = (one: Value) =>
    (one.kind === 'name' && one.name === name) || (one.kind === 'string' && one.value === name)
  if (value.kind === 'list') {
    const index = value.items.findIndex((item) => isIt(item.value))
    if (index < 0) return []
    // A tuple of one keeps its comma, or it would be no tuple.
    if (text[value.from] === '(' && value.items.length <= 2) {
      const rest = value.items
        .filter((_, other) => other !== index)
        .map((item) => text.slice(item.from, item.to))
      return replaceValue(value, `[${rest.join(', ')}]`)
    }
    return elementRemoval(text, value.items, index)
  }
  return isIt(value) ? replaceValue(value, empty) : []
}
