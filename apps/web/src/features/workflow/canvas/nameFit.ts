/** Fit of a task's name on its card when the canvas is zoomed out and only names are drawn. */

/** Upper estimate of the width of a bold letter, as a share of the font size. */
const LETTER = 0.55
const LINE = 1.15

/** Line-break positions of a name: before an inner capital, and after an underscore. */
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

/** Whether a name in this font size fits a box without a break inside a word. */
export function nameFits(name: string, size: number, box: { width: number; height: number }): boolean {
  const parts = nameParts(name)
  const letters = Math.floor(box.width / (LETTER * size))
  return (
    Math.max(...parts.map(({ length }) => length)) <= letters &&
    linesAt(parts, letters) * LINE * size <= box.height
  )
}
