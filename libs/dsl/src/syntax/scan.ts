/** The lexical level: the tokens of a text. */

export interface Token {
  kind: 'name' | 'number' | 'string' | 'op' | 'bad'
  from: number
  to: number
  text: string
  /** The first token of a line of the program (a line that is not continued from the one before). */
  first: boolean
  /** Blanks between the start of its line and the token; only counted for the first of a line. */
  column: number
  /** A string whose closing quote is missing; the token then ends where the string most likely did. */
  unclosed?: true
}

type RawToken = Omit<Token, 'first' | 'column'>

/** Quotes that word processors and PDF files put where a program needs ' or ". */
export const TYPOGRAPHIC = /[\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u2032\u2033`\u00b4]/

const WORD = /[\p{L}\p{Nl}_][\p{L}\p{Nl}\p{Mn}\p{Mc}\p{Nd}\p{Pc}]*/uy
const NUMBER = /(?:0[xXoObB][0-9a-fA-F_]+|(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d[\d_]*)?)[jJ]?/y
const STRING_START = /(?:[rR][bBfF]?|[bBfF][rR]?|[uU])?('''|"""|'|")/y
const OPERATOR = /\*\*=?|\/\/=?|>>=?|<<=?|->|:=|\.\.\.|[-+*/%@&|^=!<>]=|[-+*/%@&|^=<>()[\]{},:;.~]/y
const LIKELY_TEXT = /^[A-Za-z]{0,2}['"][\w./:?=&%$-]*/

const matchAt = (pattern: RegExp, text: string, at: number) => {
  pattern.lastIndex = at
  return pattern.exec(text)
}

/** The tokens of a text, without blanks and comments. Never throws: what is no token has the kind `bad`. */
export function scan(text: string): Token[] {
  const tokens: Token[] = []
  // A byte order mark may stand at the very start, and nowhere else.
  let gap = gapAt(text, text.startsWith('\ufeff') ? 1 : 0)
  while (gap.to < text.length) {
    const first = gap.breaksLine || tokens.length === 0
    const token = { ...tokenAt(text, gap.to), first, column: first ? gap.to - gap.lineStart : 0 }
    tokens.push(token)
    gap = gapAt(text, token.to)
  }
  return tokens
}

/** What lies between two tokens: blanks, line breaks, comments, and `\` before a line break, which joins two lines. */
interface Gap {
  to: number
  /** Whether a line of the program ends in it. */
  breaksLine: boolean
  /** Where the line of its end starts; where the gap starts when it holds no line break. */
  lineStart: number
}

const isBreak = (char: string | undefined) => char === '\n' || char === '\r'

/** The gap that starts at `from`. Looks at every character once, so that scanning takes linear time on any text. */
function gapAt(text: string, from: number): Gap {
  let to = from
  let lineStart = from
  let breaksLine = false
  for (;;) {
    const char = text.charAt(to)
    if (char === ' ' || char === '\t' || char === '\f') to++
    else if (isBreak(char)) {
      lineStart = ++to
      breaksLine = true
    } else if (char === '\\' && isBreak(text.charAt(to + 1))) {
      to += text.startsWith('\r\n', to + 1) ? 3 : 2
      lineStart = to
    } else if (char === '#') {
      while (to < text.length && !isBreak(text.charAt(to))) to++
    } else return { to, breaksLine, lineStart }
  }
}

function tokenAt(text: string, at: number): RawToken {
  const string = matchAt(STRING_START, text, at)
  if (string) return stringAt(text, at, string[0].length, string[1] as string)
  for (const [kind, pattern] of [
    ['name', WORD],
    ['number', NUMBER],
    ['op', OPERATOR],
  ] as const) {
    const match = matchAt(pattern, text, at)
    if (match) return { kind, from: at, to: at + match[0].length, text: match[0] }
  }
  const char = String.fromCodePoint(text.codePointAt(at) ?? 0)
  return (
    (TYPOGRAPHIC.test(char) ? typographicAt(text, at) : null) ?? {
      kind: 'bad',
      from: at,
      to: at + char.length,
      text: char,
    }
  )
}

function stringAt(text: string, from: number, startLength: number, quote: string): RawToken {
  const long = quote.length === 3
  let at = from + startLength
  while (at < text.length) {
    if (text.startsWith(quote, at)) {
      const to = at + quote.length
      return { kind: 'string', from, to, text: text.slice(from, to) }
    }
    const char = text[at]
    if (char === '\\') at += text.startsWith('\r\n', at + 1) ? 3 : 2
    else if (!long && (char === '\n' || char === '\r')) break
    else at++
  }
  // The closing quote is missing: the string most likely was a name or a path, and ends where that ends.
  const likely = long ? text.length : from + likelyLength(text.slice(from, at))
  return { kind: 'string', from, to: likely, text: text.slice(from, likely), unclosed: true }
}

/** How much of a literal that never ends was most likely meant: its quote, and the name or path behind it. */
export const likelyLength = (source: string): number => LIKELY_TEXT.exec(source)?.[0].length ?? 1

/** A text in typographic quotes, on one line; its kind is `bad` and the reader knows it by its first character. */
function typographicAt(text: string, from: number): RawToken | null {
  const end = /[^\r\n'"]*?[\u2018\u2019\u201a\u201b\u201c\u201d\u201e\u2032\u2033`\u00b4'"]/y
  const match = matchAt(end, text, from + 1)
  if (!match) return null
  const to = from + 1 + match[0].length
  return { kind: 'bad', from, to, text: text.slice(from, to) }
}
