/** Text changes: applying them, and making one list out of several steps. */
import type { TextChange } from './types.ts'

/** Applies changes whose positions are in `text`. Throws a RangeError when they overlap or lie outside it. */
export function applyChanges(text: string, changes: readonly TextChange[]): string {
  let result = ''
  let at = 0
  for (const { from, to, insert } of inOrder(changes)) {
    if (from < at || to < from || to > text.length)
      throw new RangeError(
        `The change of ${from} to ${to} overlaps another one or lies outside the text of ${text.length}.`,
      )
    result += text.slice(at, from) + insert
    at = to
  }
  return result + text.slice(at)
}

/** By position; insertions at one place stay in their order. */
const inOrder = (changes: readonly TextChange[]): TextChange[] =>
  changes
    .map((change, index) => ({ change, index }))
    .sort((a, b) => a.change.from - b.change.from || a.change.to - b.change.to || a.index - b.index)
    .map(({ change }) => change)

/** A stretch of the first text, or new text. */
type Piece = { from: number; to: number } | { insert: string }

/** Follows a text through steps of changes and says what became of it, in terms of the first text. */
export class ChangeLog {
  private pieces: Piece[]
  private readonly text: string

  constructor(text: string) {
    this.text = text
    this.pieces = [{ from: 0, to: text.length }]
  }

  /** Adds a step; positions are in the text as the steps before left it. */
  add(changes: readonly TextChange[]) {
    const result: Piece[] = []
    let at = 0
    let index = 0
    let inside = 0
    const copyTo = (to: number, keep: boolean) => {
      while (at < to) {
        const piece = this.pieces[index] as Piece
        const size = 'insert' in piece ? piece.insert.length : piece.to - piece.from
        const take = Math.min(size - inside, to - at)
        if (keep && take > 0)
          result.push(
            'insert' in piece
              ? { insert: piece.insert.slice(inside, inside + take) }
              : { from: piece.from + inside, to: piece.from + inside + take },
          )
        inside += take
        at += take
        if (inside === size) {
          index++
          inside = 0
        }
      }
    }
    for (const { from, to, insert } of inOrder(changes)) {
      copyTo(from, true)
      copyTo(to, false)
      if (insert !== '') result.push({ insert })
    }
    copyTo(
      this.pieces.reduce(
        (sum, piece) => sum + ('insert' in piece ? piece.insert.length : piece.to - piece.from),
        0,
      ),
      true,
    )
    this.pieces = result
  }

  /** All steps as one list of changes of the first text, in order and not touching each other. */
  changes(): TextChange[] {
    const result: TextChange[] = []
    let at = 0
    let insert = ''
    const flush = (from: number) => {
      if (insert !== '' || from > at) result.push(...trimmed(this.text, { from: at, to: from, insert }))
      insert = ''
    }
    for (const piece of this.pieces) {
      if ('insert' in piece) insert += piece.insert
      else {
        flush(piece.from)
        at = piece.to
      }
    }
    flush(this.text.length)
    return result
  }
}

/** The change without what it replaces by the same; nothing when that is all of it. */
function trimmed(text: string, { from, to, insert }: TextChange): TextChange[] {
  let start = 0
  const limit = Math.min(to - from, insert.length)
  while (start < limit && text[from + start] === insert[start]) start++
  let end = 0
  while (end < limit - start && text[to - 1 - end] === insert[insert.length - 1 - end]) end++
  const rest = { from: from + start, to: to - end, insert: insert.slice(start, insert.length - end) }
  return rest.from === rest.to && rest.insert === '' ? [] : [rest]
}
