/** Moving over tokens, and the reports and repairs that all levels of the reader share. */
import type { Token } from './scan.ts'
import type { Span, SyntaxFault } from './syntax.ts'
import { type Cursor, readScalar } from './values.ts'

const ODD_BLANK = /^[\p{Z}\p{Cf}\p{Cc}]$/u

/** The closing bracket of each opening one. */
export const CLOSER: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}' }

/** More faults of one kind are not kept. */
const MAX_REPORTS_PER_CODE = 500

/** A cursor over tokens, with the reports that every part of reading needs. */
export class TokenReader implements Cursor {
  readonly text: string
  readonly tokens: Token[]
  at = 0
  lossy = false
  readonly openTexts = new Set<number>()
  protected readonly heads: ReadonlySet<string>
  protected readonly faults: SyntaxFault[] = []
  private readonly counts = new Map<string, number>()
  /** Set in a statement with an unclosed string: what follows it there is guesswork and not worth a report. */
  protected quiet = false
  protected statementColumn = 0

  constructor(text: string, tokens: Token[], heads: ReadonlySet<string>) {
    this.text = text
    this.heads = heads
    this.tokens = this.withoutOddBlanks(tokens)
  }

  /** Blanks that Python does not know as such (they come with pasted text) are reported and passed over. */
  protected withoutOddBlanks(tokens: Token[]): Token[] {
    const isBlank = (token: Token) => token.kind === 'bad' && ODD_BLANK.test(token.text)
    if (!tokens.some(isBlank)) return tokens
    let first: Token | null = null
    const kept: Token[] = []
    for (const token of tokens) {
      if (isBlank(token)) {
        if (token.first) first = token
        readScalar({ ...this.bare(), token, fault: (...fault) => this.fault(...fault) })
      } else {
        kept.push(first ? { ...token, first: true, column: token.column + token.from - first.from } : token)
        first = null
      }
    }
    return kept
  }

  protected bare() {
    return { text: this.text, tokens: [], at: 0, lossy: false, openTexts: this.openTexts }
  }

  get token(): Token | undefined {
    return this.tokens[this.at]
  }

  fault(
    code: string,
    span: Span,
    message: string,
    fixes: SyntaxFault['fixes'] = [],
    severity?: SyntaxFault['severity'],
  ) {
    if (this.quiet && code !== 'HM106') return
    const count = (this.counts.get(code) ?? 0) + 1
    this.counts.set(code, count)
    if (count <= MAX_REPORTS_PER_CODE)
      this.faults.push({ code, from: span.from, to: span.to, message, fixes, severity })
  }

  /** Whether a statement starts at this token: a name and `(` at the beginning of a line. */
  protected isHead(index: number): boolean {
    const token = this.tokens[index]
    if (!token?.first || token.kind !== 'name' || token.text === 'dict') return false
    const next = this.tokens[index + 1]
    if (next?.text !== '(' || next.first) return false
    return this.heads.has(token.text) || token.column <= this.statementColumn
  }

  protected skipToNext() {
    while (this.at < this.tokens.length && !this.token?.first && this.token?.text !== ';') this.at++
  }

  /** Moves to the end of the current value: a comma or a closing bracket that is not its own. */
  protected skipValue() {
    let depth = 0
    for (; this.at < this.tokens.length; this.at++) {
      const token = this.token as Token
      if (this.isHead(this.at)) return
      if (token.kind !== 'op') continue
      if (token.text in CLOSER) depth++
      else if (')]}'.includes(token.text) && --depth < 0) return
      else if (token.text === ',' && depth === 0) return
    }
  }

  protected extraComma(token: Token) {
    this.at++
    this.fault('HM105', token, 'This comma separates nothing; remove it.', [
      removal(token, 'Remove the comma'),
    ])
  }

  protected stray(token: Token) {
    this.at++
    this.fault('HM102', token, `This '${token.text}' closes no bracket; remove it.`, [
      removal(token, `Remove this ${nameOf(token.text)}`),
    ])
  }

  protected wrongCloser(token: Token, closer: string) {
    this.fault(
      'HM103',
      token,
      `The bracket opened before is closed by '${closer}', not by '${token.text}'; replace it.`,
      [
        {
          title: `Replace it by '${closer}'`,
          certain: true,
          changes: [{ from: token.from, to: token.to, insert: closer }],
        },
      ],
    )
  }

  protected insertCloser(at: number, open: Token, closer: string): number {
    this.fault(
      'HM101',
      open,
      `This '${open.text}' is never closed; insert '${closer}' after ${this.quoteEnd(at)}.`,
      [{ title: `Insert '${closer}'`, certain: true, changes: [{ from: at, to: at, insert: closer }] }],
    )
    return at
  }

  /** Reports the innermost bracket of `stack` as unclosed, once for all of them. Returns where the text of the statement ends. */
  protected unclosed(stack: Token[]): number {
    const open = stack.at(-1) as Token
    const at = this.tokens[this.at - 1]?.to ?? open.to
    const insert = [...stack]
      .reverse()
      .map((token) => CLOSER[token.text])
      .join('')
    const last = this.faults.at(-1)
    if (last?.code === 'HM101' && last.fixes[0]?.changes[0]?.from === at && stack.length === 1) return at
    this.fault(
      'HM101',
      open,
      `This '${open.text}' is never closed; insert '${insert}' after ${this.quoteEnd(at)}.`,
      [{ title: `Insert '${insert}'`, certain: true, changes: [{ from: at, to: at, insert }] }],
    )
    return at
  }

  protected quoteEnd(at: number): string {
    let index = this.at
    while (index > 0 && (this.tokens[index]?.to ?? at + 1) > at) index--
    const before = this.tokens[index]
    return before ? `'${short(before.text)}'` : 'it'
  }
}

const nameOf = (bracket: string) => (bracket === ')' ? 'parenthesis' : bracket === ']' ? 'bracket' : 'brace')

/** At most 30 characters of a text, for a message. */
export const short = (text: string) => (text.length > 30 ? `${text.slice(0, 29)}…` : text)

/** A certain fix that removes a stretch of text. */
export const removal = (span: Span, title: string) => ({
  title,
  certain: true,
  changes: [{ from: span.from, to: span.to, insert: '' }],
})
