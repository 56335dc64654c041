/**
 * Reads tokens into statements. It never throws and always moves on: every fault is reported where it lies, with the
 * repair that was most likely meant, and reading goes on as if that repair had been made, so that one fault is one report.
 */

import { ValueReader } from './brackets.ts'
import { eolOf } from './layout.ts'
import { bracketDepth, MAX_DEPTH, MAX_LENGTH, refusalOf } from './limits.ts'
import { isReserved } from './literal.ts'
import { CLOSER, removal } from './reader.ts'
import { scan, type Token } from './scan.ts'
import type { Argument, Source, Span, Statement, SyntaxFault } from './syntax.ts'
import { readScalar, reportUnclosed, startsValue } from './values.ts'

/** The statements of a text and everything that is wrong with its syntax. */
export function readSource(text: string, heads: ReadonlySet<string>): Source {
  const refusal = refusalOf(text)
  return refusal ? refused(text, refusal) : new Reader(text, scan(text), heads).read()
}

function refused(text: string, reason: 'length' | 'depth'): Source {
  const fault: SyntaxFault =
    reason === 'length'
      ? {
          code: 'HM121',
          from: 0,
          to: 1,
          message: `The text has ${text.length} characters; a workflow may have ${MAX_LENGTH}. Split it.`,
          fixes: [],
        }
      : {
          code: 'HM122',
          from: 0,
          to: 1,
          message: `Brackets are nested ${bracketDepth(text)} deep; ${MAX_DEPTH} is the most. Make the values flatter.`,
          fixes: [],
        }
  return { text, tokens: [], statements: [], faults: [fault], lossy: true }
}

/** Zero bytes, and halves of characters. */
const UNWRITABLE = /\0|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

class Reader extends ValueReader {
  private readonly statements: Statement[] = []

  read(): Source {
    this.findUnwritable()
    while (this.at < this.tokens.length) {
      const before = this.at
      this.readLine()
      if (this.at === before) this.at++
    }
    const { text, tokens, statements, faults, lossy } = this
    return { text, tokens, statements, faults, lossy }
  }

  /** Characters no file of Python can hold, where the tokens do not show them: in texts and comments. */
  private findUnwritable() {
    const shown = new Set(this.tokens.filter((token) => token.kind === 'bad').map((token) => token.from))
    for (const { 0: char, index } of this.text.matchAll(UNWRITABLE)) {
      if (shown.has(index)) continue
      const span = { from: index, to: index + 1 }
      const code = char.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
      this.fault('HM108', span, `The character U+${code} cannot stand in a text file; remove it.`, [
        removal(span, 'Remove it'),
      ])
    }
  }

  private readLine() {
    const token = this.token as Token
    this.quiet = false
    if (token.kind === 'string' && !token.unclosed && this.endsStatement(this.at + 1)) {
      this.at++ // A text on its own, such as a docstring, says nothing.
      return
    }
    const isCall = token.kind === 'name' && this.tokens[this.at + 1]?.text === '(' && !isReserved(token.text)
    if (token.first && token.column > 0 && isCall)
      this.fault(
        'HM111',
        { from: token.from - token.column, to: token.from },
        'A statement starts at the beginning of its line; remove the blanks before it.',
        [
          {
            title: 'Remove the indentation',
            certain: true,
            changes: [{ from: token.from - token.column, to: token.from, insert: '' }],
          },
        ],
      )
    if (isCall) this.readStatement()
    else this.skipForeign()
  }

  private endsStatement(index: number): boolean {
    const token = this.tokens[index]
    return !token || token.first || token.text === ';'
  }

  /** Python that is no statement of the language; also whatever the reader can make nothing of. */
  private skipForeign() {
    const start = this.token as Token
    const startAt = this.at
    let depth = 0
    let end = start
    for (; this.at < this.tokens.length; this.at++) {
      const token = this.token as Token
      const isNext = token !== start && token.first && token.column <= start.column
      if (isNext && (depth === 0 || this.heads.has(token.text))) break
      if (token.text === ';' && depth === 0) break
      if (token.text in CLOSER) depth++
      else if (')]}'.includes(token.text) && token.kind === 'op') depth = Math.max(0, depth - 1)
      if (!token.first || token === start || depth > 0) end = token
    }
    if (start.text === ';' && start === end) {
      if (start.first || this.tokens[startAt - 1]?.text === ';')
        this.fault('HM105', start, "This ';' separates nothing; remove it.", [
          removal(start, "Remove the ';'"),
        ])
      this.at = startAt + 1
      return
    }
    if (start.kind === 'op' && ')]},'.includes(start.text)) {
      this.lossy = true
      return this.fault('HM102', start, `This '${start.text}' belongs to no statement; remove it.`, [
        removal(start, 'Remove it'),
      ])
    }
    if (start.kind === 'bad' || start.unclosed) {
      this.at = startAt
      this.lossy = true
      readScalar(this)
      return this.skipToNext()
    }
    this.fault(
      'HM109',
      { from: start.from, to: Math.max(start.to, lineEnd(this.text, start, end)) },
      'This is no statement of the language. A workflow is data: it consists of statements such as Task(...) and is never executed; remove it.',
    )
  }

  private readStatement() {
    const head = this.token as Token
    this.statementColumn = head.first ? head.column : this.statementColumn
    this.findUnclosedText()
    const open = this.tokens[this.at + 1] as Token
    if (open.first) this.reportBreak(head, open)
    this.at += 2
    const args: Argument[] = []
    let end = this.readArguments(args, open)
    while (end.closed && this.continuesAfter(end.closed)) end = this.readArguments(args, open)
    const to = end.closed?.to ?? end.to
    this.statements.push({
      head: { from: head.from, to: head.to, text: head.text },
      from: head.from,
      to,
      args,
      inner: { from: open.to, to: end.closed?.from ?? end.to },
    })
    this.readEnd()
  }

  /** Python takes the name and the parenthesis on the next line for two statements. */
  private reportBreak(head: Token, open: Token) {
    const between = { from: head.to, to: open.from }
    const blank = this.text.slice(between.from, between.to).trim() === ''
    this.fault(
      'HM125',
      open,
      `This parenthesis stands on the line of '${head.text}'; remove the line break before it.`,
      blank ? [removal(between, 'Remove the line break')] : [],
    )
  }

  /** An unclosed text garbles the rest of its statement, so it is looked for first and reported alone. */
  private findUnclosedText() {
    let depth = 0
    let suspect: Token | null = null
    for (let index = this.at; index < this.tokens.length; index++) {
      const token = this.tokens[index] as Token
      const before = this.tokens[index - 1]
      // A text that runs into a name, as in 'a.py, mode=['b'], has most likely swallowed the quote of another.
      if (token.first) suspect = null
      else if (
        !suspect &&
        before?.kind === 'string' &&
        (token.kind === 'name' || token.kind === 'string') &&
        token.from === before.to
      )
        suspect = before
      if (token.unclosed) {
        reportUnclosed(this, token, suspect)
        this.quiet = true
        return
      }
      if (token.kind !== 'op') continue
      if (token.text in CLOSER) depth++
      else if (')]}'.includes(token.text) && --depth <= 0) return
    }
  }

  /**
   * Reads arguments up to the closing parenthesis. Returns that token, or where the statement ends without one (then
   * reported, with the closing brackets to insert).
   */
  private readArguments(args: Argument[], open: Token): { closed?: Token; to: number } {
    for (;;) {
      const token = this.token
      if (!token || (this.at > 0 && this.isHead(this.at))) return { to: this.unclosed([open]) }
      if (token.text === ')' && token.kind === 'op') {
        this.at++
        return { closed: token, to: token.to }
      }
      if (token.kind === 'op' && ']}'.includes(token.text)) {
        this.stray(token)
        const last = args.at(-1)
        if (last && !last.comma) last.comma = this.readComma(last, ')')
        continue
      }
      if (token.text === ',' && token.kind === 'op') {
        this.extraComma(token)
        continue
      }
      const argument = this.readArgument([open])
      args.push(argument)
      argument.comma = this.readComma(argument, ')')
    }
  }

  private readArgument(stack: Token[]): Argument {
    const start = this.token as Token
    const next = this.tokens[this.at + 1]
    let keyword: Argument['keyword'] = null
    if (
      start.kind === 'name' &&
      next?.kind === 'op' &&
      (next.text === '=' || next.text === ':' || next.text === '==' || next.text === ':=')
    ) {
      keyword = { from: start.from, to: start.to, text: start.text }
      if (next.text !== '=')
        this.fault('HM124', next, `An argument is written '${start.text}=...'; use '=' here.`, [
          { title: "Use '='", certain: true, changes: [{ from: next.from, to: next.to, insert: '=' }] },
        ])
      if (isReserved(start.text))
        this.fault(
          'HM120',
          start,
          `'${start.text}' is a word of Python and cannot name an argument; choose another name.`,
        )
      this.at += 2
    }
    const value = this.readValue(stack, keyword ? next : undefined)
    return { keyword, value, from: start.from, to: value.to, comma: null }
  }

  /**
   * After the parenthesis that ends a statement: when what follows reads as more of its arguments, up to another
   * closing parenthesis, then this one is one too many.
   */
  private continuesAfter(closed: Token): boolean {
    const next = this.token
    if (!next) return false
    const comma = next.kind === 'op' && next.text === ','
    if (
      !comma &&
      (next.first || !startsValue(next) || (next.kind === 'name' && this.tokens[this.at + 1]?.text === '('))
    )
      return false
    if (!this.endsLater(comma ? this.at + 1 : this.at)) return false
    const before = this.tokens[this.at - 2]
    const change =
      comma && before?.text === ','
        ? { from: closed.from, to: next.to, insert: '' }
        : { from: closed.from, to: closed.to, insert: comma || before?.text === ',' ? '' : ',' }
    this.fault(
      'HM102',
      closed,
      'This parenthesis ends the statement too early: arguments follow it. Remove this parenthesis.',
      [{ title: 'Remove this parenthesis', certain: true, changes: [change] }],
    )
    if (comma) this.at++
    return true
  }

  /** Whether more arguments start at a token and end with a parenthesis that has no other to close. */
  private endsLater(start: number): boolean {
    let depth = 0
    for (let index = start; index < this.tokens.length; index++) {
      const token = this.tokens[index] as Token
      if (this.isHead(index) || token.text === ';') return false
      if (token.kind !== 'op') continue
      if (token.text in CLOSER) depth++
      else if (')]}'.includes(token.text) && --depth < 0) return token.text === ')' && index > start
    }
    return false
  }

  /** Between two statements: a new line or `;`, and nothing else. */
  private readEnd() {
    for (;;) {
      const token = this.token
      if (!token) return
      if (token.text === ';' && token.kind === 'op' && !token.first) {
        this.at++
        return
      }
      if (token.kind === 'op' && ')]}'.includes(token.text)) this.stray(token)
      else if (token.kind === 'op' && token.text === ',' && (!token.first || this.endsStatement(this.at + 1)))
        this.extraComma(token)
      else if (token.first) return
      else if (token.kind === 'name' && this.tokens[this.at + 1]?.text === '(') {
        const end = this.tokens[this.at - 1]?.to ?? token.from
        this.fault(
          'HM112',
          token,
          'A statement starts on a line of its own; insert a line break before it.',
          [
            {
              title: 'Insert a line break',
              certain: true,
              changes: [{ from: end, to: token.from, insert: eolOf(this.text) }],
            },
          ],
        )
        return
      } else {
        const from = token.from
        this.skipToNext()
        this.lossy = true
        this.fault(
          'HM109',
          { from, to: this.tokens[this.at - 1]?.to ?? token.to },
          'Nothing can follow the closing parenthesis of a statement on its line; remove this.',
        )
        return
      }
    }
  }
}

function lineEnd(text: string, start: Span, end: Span): number {
  const stop = /[\r\n]/.exec(text.slice(start.from, end.to))
  return stop ? start.from + stop.index : end.to
}
