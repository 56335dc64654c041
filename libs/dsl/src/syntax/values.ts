/** Values without brackets: texts, numbers, names, None, True, False. */
import { decodeNumber, decodeString, isReserved, quoteString } from './literal.ts'
import { likelyLength, type Token, TYPOGRAPHIC } from './scan.ts'
import type { Span, StringValue, SyntaxFault, Value } from './syntax.ts'

/** What reading a value needs of the reader. */
export interface Cursor {
  readonly text: string
  readonly tokens: readonly Token[]
  at: number
  lossy: boolean
  /** Where unclosed texts were reported. */
  readonly openTexts: Set<number>
  readonly token: Token | undefined
  fault(
    code: string,
    span: Span,
    message: string,
    fixes?: SyntaxFault['fixes'],
    severity?: SyntaxFault['severity'],
  ): void
}

/** Whether a value can start with this token. */
export function startsValue(token: Token): boolean {
  if (token.kind !== 'op') return true
  return '([{'.includes(token.text) || token.text === '-' || token.text === '+'
}

/** The words of other languages for Python's None, True and False. */
const FOREIGN: Record<string, string> = { none: 'None', null: 'None', true: 'True', false: 'False' }

/** Reads one value; the token under the cursor must start one. Always moves on. */
export function readScalar(cursor: Cursor): Value {
  const token = cursor.token as Token
  cursor.at++
  if (token.kind === 'string') return readStrings(cursor, token)
  if (token.kind === 'number') return readNumber(cursor, token, 1, token.from)
  if (token.kind === 'name') return readName(cursor, token)
  if (token.kind === 'bad') return readBad(cursor, token)
  const next = cursor.token
  if ((token.text === '-' || token.text === '+') && next?.kind === 'number') {
    cursor.at++
    return readNumber(cursor, next, token.text === '-' ? -1 : 1, token.from)
  }
  cursor.lossy = true
  cursor.fault('HM110', token, `'${token.text}' cannot stand here; write a value.`)
  return { kind: 'bad', from: token.from, to: token.to }
}

function readName(cursor: Cursor, token: Token): Value {
  const span = { from: token.from, to: token.to }
  if (token.text === 'None') return { kind: 'none', ...span }
  if (token.text === 'True' || token.text === 'False')
    return { kind: 'boolean', value: token.text === 'True', ...span }
  if (Object.hasOwn(FOREIGN, token.text)) {
    const word = FOREIGN[token.text] as string
    cursor.fault('HM119', token, `Python writes '${word}' for '${token.text}'.`, [
      { title: `Write ${word}`, certain: true, changes: [{ ...span, insert: word }] },
    ])
    return word === 'None' ? { kind: 'none', ...span } : { kind: 'boolean', value: word === 'True', ...span }
  }
  if (isReserved(token.text)) {
    cursor.fault('HM120', token, `'${token.text}' is a word of Python; put it in quotes.`, [
      { title: 'Put it in quotes', certain: true, changes: [{ ...span, insert: quoteString(token.text) }] },
    ])
    return { kind: 'string', value: token.text, quote: "'", ...span }
  }
  return { kind: 'name', name: token.text, ...span }
}

function readNumber(cursor: Cursor, token: Token, sign: 1 | -1, from: number): Value {
  const next = cursor.token
  // A number with a unit and no quotes: `10s`, `0.40$/h`, `20%`.
  if (next && next.from === token.to && !(next.kind === 'op' && '()[]{},=:;'.includes(next.text)))
    return readUnit(cursor, token, from)
  const value = decodeNumber(token.text)
  const span = { from, to: token.to }
  if (value === null) {
    cursor.lossy = true
    cursor.fault('HM114', span, `'${token.text}' is no number of Python; write it as in 12, 0.5 or 1e-3.`)
    return { kind: 'bad', ...span }
  }
  if (
    Number.isInteger(value) &&
    !Number.isSafeInteger(value) &&
    /^\d/.test(token.text) &&
    !/[.eE]/.test(token.text)
  )
    cursor.fault(
      'HM213',
      span,
      `${token.text} is too large to be kept exactly; write it as a text, in quotes.`,
      [
        {
          title: 'Put it in quotes',
          certain: false,
          changes: [{ ...span, insert: `'${sign < 0 ? '-' : ''}${token.text}'` }],
        },
      ],
    )
  return { kind: 'number', value: value === 0 ? 0 : sign * value, ...span }
}

function readUnit(cursor: Cursor, token: Token, from: number): Value {
  let to = token.to
  while (
    cursor.token &&
    cursor.token.from === to &&
    !(cursor.token.kind === 'op' && '()[]{},=:;'.includes(cursor.token.text))
  ) {
    to = cursor.token.to
    cursor.at++
  }
  const written = cursor.text.slice(from, to)
  const isQuantity = /^\d[\w.]*[\w$/%]*$/.test(written) && !/['"]/.test(written)
  if (!isQuantity) cursor.lossy = true
  cursor.fault(
    'HM114',
    { from, to },
    isQuantity
      ? `A quantity with a unit is written in quotes: '${written}'.`
      : `'${written}' is no number of Python.`,
    isQuantity
      ? [{ title: 'Put it in quotes', certain: true, changes: [{ from, to, insert: `'${written}'` }] }]
      : [],
  )
  return isQuantity ? { kind: 'string', value: written, quote: "'", from, to } : { kind: 'bad', from, to }
}

function readStrings(cursor: Cursor, first: Token): StringValue {
  let value = readString(cursor, first)
  let to = first.to
  for (let next = cursor.token; next?.kind === 'string'; next = cursor.token) {
    cursor.at++
    cursor.fault(
      'HM115',
      { from: first.from, to: next.to },
      'Texts side by side are read as one text. If two were meant, put a comma between them.',
      [{ title: 'Insert a comma', certain: false, changes: [{ from: to, to, insert: ',' }] }],
      'warning',
    )
    value += readString(cursor, next)
    to = next.to
  }
  return { kind: 'string', value, quote: /^[A-Za-z]*"/.test(first.text) ? '"' : "'", from: first.from, to }
}

function readString(cursor: Cursor, token: Token): string {
  if (token.unclosed) {
    reportUnclosed(cursor, token)
    return token.text.replace(/^[A-Za-z]*['"]+/, '')
  }
  const decoded = decodeString(token.text)
  if (decoded.ok) return decoded.value
  const prefix = decoded.from === 0
  cursor.lossy = true
  cursor.fault(
    'HM113',
    { from: token.from + decoded.from, to: token.from + decoded.to },
    `${decoded.reason}; ${prefix ? 'remove the letter before the quote.' : "write it in full, or '\\\\' for a backslash."}`,
    prefix
      ? [
          {
            title: 'Remove the prefix',
            certain: false,
            changes: [{ from: token.from, to: token.from + decoded.to, insert: '' }],
          },
        ]
      : [],
  )
  return token.text.replace(/^[A-Za-z]*('''|"""|'|")|('''|"""|'|")$/g, '')
}

function readBad(cursor: Cursor, token: Token): Value {
  const span = { from: token.from, to: token.to }
  if (TYPOGRAPHIC.test(token.text[0] as string) && token.text.length > 1) {
    const inner = token.text.slice(1, -1)
    cursor.fault('HM107', token, 'These are typographic quotes; Python needs \' or ".', [
      { title: 'Use straight quotes', certain: true, changes: [{ ...span, insert: quoteString(inner) }] },
    ])
    return { kind: 'string', value: inner, quote: "'", ...span }
  }
  cursor.lossy = true
  const code = `U+${(token.text.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`
  const blank = /^[\p{Z}\p{Cf}\p{Cc}]$/u.test(token.text)
  cursor.fault(
    'HM108',
    token,
    `The character ${blank ? code : `'${token.text}' (${code})`} cannot stand here; ${blank ? 'write a plain blank.' : 'remove it.'}`,
    [
      {
        title: blank ? 'Write a plain blank' : 'Remove it',
        certain: blank,
        changes: [{ ...span, insert: blank ? ' ' : '' }],
      },
    ],
  )
  return { kind: 'bad', ...span }
}

/** Reports a text without its closing quote, once; at `suspect`, where another text has taken that quote. */
export function reportUnclosed(cursor: Cursor, token: Token, suspect: Token | null = null) {
  cursor.lossy = true
  if (cursor.openTexts.has(token.from)) return
  cursor.openTexts.add(token.from)
  const { from } = suspect ?? token
  const quote = /^[A-Za-z]*('''|"""|'|")/.exec((suspect ?? token).text)?.[1] ?? "'"
  const to = suspect ? from + likelyLength(suspect.text) : token.to
  cursor.fault('HM106', { from, to }, `This text is not closed; end it with ${quote}.`, [
    { title: `Insert ${quote} here`, certain: false, changes: [{ from: to, to, insert: quote }] },
  ])
}
