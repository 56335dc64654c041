/** Lines of a log, none longer than a screen or two: what was cut is said at the end of the line. */

/** Longest line that is passed on, in UTF-16 code units. */
export const MAX_LINE_LENGTH = 4_000

const shortened = (kept: string, length: number): string =>
  length <= MAX_LINE_LENGTH
    ? kept
    : `${kept.toWellFormed()} [${(length - MAX_LINE_LENGTH).toLocaleString('en')} characters cut]`

/** At least as long as the note on what was cut, so that a line that was cut already stays as it is. */
const NOTE_LENGTH = 50

/** A line as it is passed on. */
export const cutLine = (text: string): string =>
  text.length <= MAX_LINE_LENGTH + NOTE_LENGTH ? text : shortened(text.slice(0, MAX_LINE_LENGTH), text.length)

/** Splits text that comes in pieces into lines. Holds no more of a line than is passed on. */
export class LineSplitter {
  #kept = ''
  #length = 0

  /** The lines that end in this piece, without the empty ones. */
  push(piece: string): string[] {
    const lines: string[] = []
    let from = 0
    for (let end = piece.indexOf('\n'); end >= 0; end = piece.indexOf('\n', from)) {
      this.#add(piece, from, end)
      if (this.#length > 0) lines.push(shortened(this.#kept, this.#length))
      this.#kept = ''
      this.#length = 0
      from = end + 1
    }
    this.#add(piece, from, piece.length)
    return lines
  }

  #add(piece: string, from: number, to: number): void {
    const room = MAX_LINE_LENGTH - this.#kept.length
    if (room > 0) this.#kept += piece.slice(from, Math.min(to, from + room))
    this.#length += to - from
  }
}
