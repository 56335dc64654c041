/** How large the name of a task can be drawn on its card, so that it stays legible on a canvas zoomed out. */

/** Width of a bold letter in parts of its size, on the wide side. */
const LETTER = 0.58
const LINE = 1.15
const LEAST = 12

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
    // A part longer than a line is broken anywhere.
    lines += Math.max(0, Math.ceil(part.length / letters) - 1)
    used += part.length > letters ? part.length % letters : part.length
  }
  return lines
}

/** The largest size up to `wanted`, in whole pixels, at which the name fits a box of this size; at least 12. */
export function nameSize(name: string, wanted: number, box: { width: number; height: number }): number {
  const parts = nameParts(name)
  const longest = Math.max(...parts.map(({ length }) => length))
  for (let size = Math.floor(wanted); size > LEAST; size--) {
    const letters = Math.floor(box.width / (LETTER * size))
    if (letters >= longest && linesAt(parts, letters) * LINE * size <= box.height) return size
  }
  return LEAST
}
