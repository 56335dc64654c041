/** Python literals and names: reading their text, and writing values as Python source. */
import type { ArgValue } from '@hivemind/workflow'

/** Words Python keeps for itself: they can be neither bare names nor keyword arguments. */
const RESERVED = new Set(
  (
    'False None True and as assert async await break class continue def del elif else except finally for from global ' +
    'if import in is lambda nonlocal not or pass raise return try while with yield __debug__'
  ).split(' '),
)

/** Whether Python keeps the word for itself. */
export const isReserved = (word: string) => RESERVED.has(word)

/** A name of the language: what Python, Thrift and file systems all accept. */
export const isName = (text: string) => /^[A-Za-z_][A-Za-z0-9_]{0,99}$/.test(text) && !UNUSABLE.has(text)

/** Names that would be mistaken for a value, or that JavaScript objects cannot hold as a plain key. */
const UNUSABLE = new Set(['None', 'True', 'False', '__proto__', 'null', 'true', 'false', 'none'])

/** Whether a name can stand in the text without quotes. */
export const isBareName = (text: string) => isName(text) && !RESERVED.has(text)

/** The value of a string literal, or the place and the reason of its first fault. */
export type DecodedString =
  | { ok: true; value: string }
  | { ok: false; from: number; to: number; reason: string }

const SIMPLE: Record<string, string> = {
  '\\': '\\',
  "'": "'",
  '"': '"',
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
}

/** The value of a closed Python string literal; `from` and `to` of a fault are offsets into `source`. */
export function decodeString(source: string): DecodedString {
  const start = /^([A-Za-z]*)('''|"""|'|")/.exec(source)
  if (!start) return { ok: true, value: source.slice(1, -1) }
  const prefix = (start[1] as string).toLowerCase()
  const quote = start[2] as string
  if (prefix.includes('b'))
    return { ok: false, from: 0, to: prefix.length, reason: 'Byte strings are not part of the language' }
  if (prefix.includes('f'))
    return { ok: false, from: 0, to: prefix.length, reason: 'Format strings are not part of the language' }
  const offset = prefix.length + quote.length
  const body = source.slice(offset, source.length - quote.length).replace(/\r\n?/g, '\n')
  if (prefix.includes('r') || !body.includes('\\')) return { ok: true, value: body }
  return decodeEscapes(body, offset)
}

function decodeEscapes(body: string, offset: number): DecodedString {
  let fault: DecodedString | undefined
  const value = body.replace(
    /\\(?:([0-7]{1,3})|x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([\s\S])|$)/g,
    (whole, octal?: string, x?: string, u?: string, wide?: string, other?: string, at?: number) => {
      if (octal) return String.fromCodePoint(Number.parseInt(octal, 8))
      const hex = x ?? u ?? wide
      const code = hex ? Number.parseInt(hex, 16) : -1
      if (code >= 0 && code <= 0x10ffff) return String.fromCodePoint(code)
      if (other === '\n') return ''
      if (other !== undefined && Object.hasOwn(SIMPLE, other)) return SIMPLE[other] as string
      if (code > 0x10ffff || other === 'x' || other === 'u' || other === 'U' || other === 'N') {
        const from = offset + (at ?? 0)
        fault ??= {
          ok: false,
          from,
          to: from + whole.length,
          reason: `The escape '${whole}' is not complete`,
        }
      }
      return whole
    },
  )
  return fault ?? { ok: true, value }
}

/** The value of a Python number, or `null` when Python would refuse it or it is no finite real number. */
export function decodeNumber(source: string): number | null {
  const plain = source.replace(/(?<=[0-9a-fA-FxXoObB])_(?=[0-9a-fA-F])/g, '')
  if (
    !/^(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0+|[1-9]\d*|(?:\d+\.\d*|\.\d+|\d+(?=[eE]))(?:[eE][+-]?\d+)?)$/.test(
      plain,
    )
  )
    return null
  const value = Number(plain)
  return Number.isFinite(value) ? value : null
}

/** A Python string literal with the given quote; printable text stays as it is, everything else is escaped. */
export function quoteString(value: string, quote: '"' | "'" = "'"): string {
  const body = value.replace(/[\\'"]|\p{Cc}|\p{Cf}|\p{Cs}|\p{Zl}|\p{Zp}|\p{Cn}|\p{Co}/gu, (char) => {
    if (char === '\\') return '\\\\'
    if (char === "'" || char === '"') return char === quote ? `\\${char}` : char
    if (char === '\n') return '\\n'
    if (char === '\t') return '\\t'
    if (char === '\r') return '\\r'
    const code = char.codePointAt(0) ?? 0
    if (code < 0x100) return `\\x${code.toString(16).padStart(2, '0')}`
    if (code < 0x10000) return `\\u${code.toString(16).padStart(4, '0')}`
    return `\\U${code.toString(16).padStart(8, '0')}`
  })
  return quote + body + quote
}

/** A value as Python source. Throws when it is none of the language's values (a number that is not finite). */
export function quoteValue(value: ArgValue, quote: '"' | "'" = "'"): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value === 'string') return quoteString(value, quote)
  if (typeof value === 'number') {
    if (!Number.isFinite(value))
      throw new Error(`${value} cannot be written in the language; use a finite number.`)
    return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value).toString() : String(value)
  }
  if (Array.isArray(value)) return `[${value.map((item) => quoteValue(item, quote)).join(', ')}]`
  const entries = Object.entries(value)
  if (entries.every(([key]) => /^[A-Za-z_][A-Za-z0-9_]*$/.test(key) && !isReserved(key)))
    return `dict(${entries.map(([key, item]) => `${key}=${quoteValue(item, quote)}`).join(', ')})`
  return `{${entries.map(([key, item]) => `${quoteString(key, quote)}: ${quoteValue(item, quote)}`).join(', ')}}`
}
