/** Changes of a text as plain values that can be applied, undone and found. Offsets are UTF-16, as in `TextChange`. */
import type { TextChange } from '@hivemind/dsl'

const inOrder = (changes: readonly TextChange[]): TextChange[] =>
  [...changes].sort((a, b) => a.from - b.from || a.to - b.to)

/** The text after these changes, all given in offsets of the text before any of them. */
export function applied(text: string, changes: readonly TextChange[]): string {
  let result = ''
  let at = 0
  for (const change of inOrder(changes)) {
    result += text.slice(at, change.from) + change.insert
    at = change.to
  }
  return result + text.slice(at)
}

/** The changes that take `applied(text, changes)` back to `text`. */
export function inverted(text: string, changes: readonly TextChange[]): TextChange[] {
  let shift = 0
  return inOrder(changes).map((change) => {
    const from = change.from + shift
    shift += change.insert.length - (change.to - change.from)
    return { from, to: from + change.insert.length, insert: text.slice(change.from, change.to) }
  })
}

/** The one smallest replacement that turns `before` into `after`; empty when they are equal. */
export function difference(before: string, after: string): TextChange[] {
  if (before === after) return []
  const most = Math.min(before.length, after.length)
  let start = 0
  while (start < most && before.charCodeAt(start) === after.charCodeAt(start)) start++
  let end = 0
  while (
    end < most - start &&
    before.charCodeAt(before.length - 1 - end) === after.charCodeAt(after.length - 1 - end)
  )
    end++
  return [{ from: start, to: before.length - end, insert: after.slice(start, after.length - end) }]
}

/** Where an offset of the text before the changes stands after them. */
export function mapped(offset: number, changes: readonly TextChange[]): number {
  let shift = 0
  for (const change of inOrder(changes)) {
    if (change.from >= offset) break
    if (change.to > offset) return change.from + shift + change.insert.length
    shift += change.insert.length - (change.to - change.from)
  }
  return offset + shift
}
