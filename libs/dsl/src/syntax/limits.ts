/** The largest texts that are read. An editor must not stall on what cannot be a workflow. */
import { scan } from './scan.ts'

/** Longest text that is read, in UTF-16 code units. Longer ones are refused (HM121). */
export const MAX_LENGTH = 2_000_000
/** Deepest nesting of brackets that is read. Deeper ones are refused (HM122). */
export const MAX_DEPTH = 64

/** Why a text is not read at all; `null` when it is. */
export function refusalOf(text: string): 'length' | 'depth' | null {
  if (text.length > MAX_LENGTH) return 'length'
  return bracketDepth(text) > MAX_DEPTH ? 'depth' : null
}

/** How deep brackets are nested outside strings and comments; an upper bound where the text is faulty. */
export function bracketDepth(text: string): number {
  let upperBound = 0
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at)
    if (char === 40 || char === 91 || char === 123) upperBound = Math.max(upperBound, ++depth)
    else if (char === 41 || char === 93 || char === 125) depth = Math.max(0, depth - 1)
  }
  if (upperBound <= MAX_DEPTH) return upperBound
  let deepest = 0
  depth = 0
  for (const token of scan(text)) {
    if (token.kind !== 'op') continue
    if ('([{'.includes(token.text)) deepest = Math.max(deepest, ++depth)
    else if (')]}'.includes(token.text)) depth = Math.max(0, depth - 1)
  }
  return deepest
}
