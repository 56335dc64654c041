/** Paths: names of pools, keys and prefixes, such as `/factory/images/7`. */
import { InvalidPathError } from './errors.ts'

/** Longest path in bytes of UTF-8. */
export const MAX_PATH_BYTES = 1024

const encoder = new TextEncoder()

/** Checks a path. Throws `InvalidPathError`. */
export function checkPath(path: string): void {
  if (isPlain(path)) return
  const problem = problemOf(path)
  if (problem !== null)
    throw new InvalidPathError(
      `'${shorten(path)}' is not a path: ${problem}. A path looks like '/factory/images/7'.`,
    )
}

const SLASH = 0x2f
const LAST_ASCII = 0x7f

/** Whether a path is short, of ASCII and in order, as nearly all are: one look at each character, for every put. */
function isPlain(path: unknown): boolean {
  if (typeof path !== 'string' || path.length > MAX_PATH_BYTES || path.charCodeAt(0) !== SLASH) return false
  let previous = 0
  for (let at = 0; at < path.length; at++) {
    const unit = path.charCodeAt(at)
    if (unit === 0 || unit > LAST_ASCII || (unit === SLASH && previous === SLASH)) return false
    previous = unit
  }
  return previous !== SLASH
}

function problemOf(path: unknown): string | null {
  if (typeof path !== 'string') return 'it is not a text'
  if (!path.startsWith('/')) return "it must begin with '/'"
  if (path.endsWith('/')) return "it must not end with '/'"
  if (path.includes('//')) return 'a component is empty'
  if (path.includes('\0')) return 'it contains a null character'
  if (!path.isWellFormed()) return 'it is not well-formed Unicode'
  // A UTF-16 unit takes at most three bytes of UTF-8.
  if (path.length * 3 > MAX_PATH_BYTES && encoder.encode(path).length > MAX_PATH_BYTES)
    return `it is longer than ${MAX_PATH_BYTES} bytes`
  return null
}

const shorten = (path: unknown): string => {
  const text = String(path)
  return text.length > 80 ? `${text.slice(0, 80)}...` : text
}

/** Whether a prefix holds a path: the same path, or one below it. */
export function holds(prefix: string, path: string): boolean {
  return path.startsWith(prefix) && (path.length === prefix.length || path[prefix.length] === '/')
}

/** Orders paths by their UTF-8 bytes, which is the order of their code points. */
export function comparePaths(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const left = a.charCodeAt(at)
    const right = b.charCodeAt(at)
    if (left !== right) return rank(left) - rank(right)
  }
  return a.length - b.length
}

/** Surrogates stand for code points above all other UTF-16 units, though their numbers are below some. */
const rank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x1_0000 : unit)
