/** Where the name of a task finds room on its card when the canvas is zoomed out and only names are drawn. */

/** Width of a bold letter in parts of its size, on the wide side. */
const LETTER = 0.55
const LINE = 1.15

/** Where a name may be broken: before an inner capital, after an underscore. */
export const nameParts = (name: string): string[] =>
  name.match(/.+?(?:_+|(?<=[\p{Ll}\d])(?=\p{Lu})|$)/gu) ?? [name]

function linesAt(parts: readonly string[], letters: number): number {
  let lines = 1
  let used = 0
  for (const part of parts) {
    if (used > 0 && used + part.length > letters) {
      lines++
      used = 0
    }
    used += part.length
  }
  return lines
}

/** Whether a name in letters of this size fits a box without breaking a word. */
export function nameFits(name: string, size: number, box: { width: number; height: number }): boolean {
  const parts = nameParts(name)
  const letters = Math.floor(box.width / (LETTER * size))
  return (
    Math.max(...parts.map(({ length }) => length)) <= letters &&
    linesAt(parts, letters) * LINE * size <= box.height
  )
}
