/** Text changes as plain values: apply, invert, compute. Offsets are in UTF-16 code units, as in `TextChange`. */
import type { TextChange } from '@hivemind/dsl'

const inOrder = (changes: readonly TextChange[]): TextChange[] =>
  [...changes].sort((a, b) => a.from - b.from || a.to - b.to)

/** Applies changes whose offsets all refer to the original text. */
export function applied(text: string, changes: readonly TextChange[]): string {
  let result = ''
  let at = 0
  for (const change of inOrder(changes)) {
    result += text.slice(at, change.from) + change.insert
    at = change.to
  }
  return result + text.slice(at)
}

/** The changes that turn `applied(text, changes)` back into `text`. */
export function inverted(text: string, changes: readonly TextChange[]): TextChange[] {
  let shift = 0
  return inOrder(changes).map((change) => {
    const from = change.from + shift
    shift += change.insert.length - (change.to - change.from)
    return { from, to: from + change.insert.length, insert: text.slice(change.from, change.to) }
  })
}

/** The smallest single replacement that turns `before` into `after`; empty when they are equal. */
export function difference(before: string, after: string): TextChange[] {
  if (before === after) return []
  const limit = Math.min(before.length, after.length)
  let start = 0
  while (start < limit && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let end = 0
  while (
    end < limit - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++
  return [{ from: start, to: before.length - end, insert: after.slice(start, after.length - end) }]
}

/** Maps an offset of the original text to the changed text. */
export function mapped(offset: number, changes: readonly TextChange[]): number {
  let shift = 0
  for (const change of inOrder(changes)) {
    if (change.from >= offset) break
    if (change.to > offset) return change.from + shift + change.insert.length
    shift += change.insert.length - (change.to - change.from)
  }
  return offset + shift
}
