/**
 * Reads tokens into statements. It never throws and always moves on: every fault is reported where it lies, with the
 * repair that was most likely meant, and reading goes on as if that repair had been made, so that one fault is one report.
 */
import { isReserved } from './literal.ts'
import type { Token } from './scan.ts'
import type { Argument, Entry, Item, Source, Span, Statement, SyntaxFault, Value } from './syntax.ts'
import { bracketDepth, MAX_DEPTH, MAX_LENGTH, type SourceTree, tokensOf } from './tree.ts'
import { type Cursor, readScalar, startsValue } from './values.ts'

const ODD_BLANK = /^[\p{Z}\p{Cf}\p{Cc}]$/u
const CLOSER: Record<string, string> = { '(': ')', '[': ']', '{': '}' }

/** The statements of a text and everything that is wrong with its syntax. */
export function readSource(source: SourceTree, heads: ReadonlySet<string>): Source {
  const { text } = source
  if (!source.tree) return refused(text)
  return new Reader(text, tokensOf(source), heads).read()
}

function refused(text: string): Source {
  const fault: SyntaxFault =
    text.length > MAX_LENGTH
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

class Reader implements Cursor {
  readonly text: string
  readonly tokens: Token[]
  at = 0
  lossy = false
  private readonly heads: ReadonlySet<string>
  private readonly statements: Statement[] = []
  private readonly faults: SyntaxFault[] = []
  /** Set in a statement with an unclosed string: what follows it there is guesswork and not worth a report. */
  private quiet = false
  private statementColumn = 0

  constructor(text: string, tokens: Token[], heads: ReadonlySet<string>) {
    this.text = text
    this.heads = heads
    this.tokens = this.withoutOddBlanks(tokens)
  }

  /** Blanks that Python does not know as such (they come with pasted text) are reported and passed over. */
  private withoutOddBlanks(tokens: Token[]): Token[] {
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

  private bare() {
    return { text: this.text, tokens: [], at: 0, lossy: false }
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
    if (!this.quiet || code === 'HM106')
      this.faults.push({ code, from: span.from, to: span.to, message, fixes, severity })
  }

  read(): Source {
    while (this.at < this.tokens.length) {
      const before = this.at
      this.readLine()
      if (this.at === before) this.at++
    }
    const { text, tokens, statements, faults, lossy } = this
    return { text, tokens, statements, faults, lossy }
  }

  private readLine() {
    const token = this.token as Token
    this.quiet = false
    if (token.kind === 'string' && !token.unclosed && this.endsStatement(this.at + 1)) {
      this.at++ // A text on its own, such as a docstring, says nothing.
      return
    }
    if (token.first && token.column > 0 && this.isHead(this.at))
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
    if (token.kind === 'name' && this.tokens[this.at + 1]?.text === '(' && !isReserved(token.text))
      this.readStatement()
    else this.skipForeign()
  }

  private endsStatement(index: number): boolean {
    const token = this.tokens[index]
    return !token || token.first || token.text === ';'
  }

  /** Whether a statement starts at this token: a name and `(` at the beginning of a line. */
  private isHead(index: number): boolean {
    const token = this.tokens[index]
    if (!token?.first || token.kind !== 'name' || token.text === 'dict') return false
    const next = this.tokens[index + 1]
    if (next?.text !== '(' || next.first) return false
    return this.heads.has(token.text) || token.column <= this.statementColumn
  }

  /** Python that is no statement of the language; also whatever the reader can make nothing of. */
  private skipForeign() {
    const start = this.token as Token
    let depth = 0
    let end = start
    for (; this.at < this.tokens.length; this.at++) {
      const token = this.token as Token
      if (
        token !== start &&
        token.first &&
        (this.heads.has(token.text) || depth === 0) &&
        (token.column <= start.column || this.isHead(this.at))
      )
        break
      if (token.text === ';' && depth === 0) break
      if (token.text in CLOSER) depth++
      else if (')]}'.includes(token.text) && token.kind === 'op') depth = Math.max(0, depth - 1)
      if (!token.first || token === start || depth > 0) end = token
    }
    if (start.text === ';' && start === end) return this.readEnd()
    if (start.kind === 'op' && ')]},'.includes(start.text)) {
      this.lossy = true
      return this.fault('HM102', start, `This '${start.text}' belongs to no statement; remove it.`, [
        removal(start, 'Remove it'),
      ])
    }
    if (start.kind === 'bad' || start.unclosed) {
      this.at = this.tokens.indexOf(start)
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

  private skipToNext() {
    while (this.at < this.tokens.length && !this.token?.first && this.token?.text !== ';') this.at++
  }

  private readStatement() {
    const head = this.token as Token
    this.statementColumn = head.first ? head.column : this.statementColumn
    this.findUnclosedString()
    const open = this.tokens[this.at + 1] as Token
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

  /** An unclosed string garbles the rest of its statement, so it is looked for first and reported alone. */
  private findUnclosedString() {
    for (let index = this.at; index < this.tokens.length; index++) {
      if (index > this.at && this.isHead(index)) return
      const token = this.tokens[index] as Token
      if (!token.unclosed) continue
      const quote = /['"]+$/.exec(/^[A-Za-z]*['"]+/.exec(token.text)?.[0] ?? "'")?.[0] ?? "'"
      this.fault('HM106', token, `This text is not closed; end it with ${quote}.`, [
        {
          title: `Insert ${quote} here`,
          certain: false,
          changes: [{ from: token.to, to: token.to, insert: quote }],
        },
      ])
      this.quiet = true
      this.lossy = true
      return
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

  /** A value; `after` is the `=` before it, for the report when there is none. */
  readValue(stack: Token[], after?: Token): Value {
    const token = this.token
    if (!token || !startsValue(token) || (after && this.isHead(this.at)))
      return this.missingValue(token, after)
    if (token.kind === 'op' && (token.text === '[' || token.text === '(' || token.text === '{'))
      return this.operand(this.readBrackets(stack), stack)
    if (token.kind === 'name' && token.text === 'dict' && this.tokens[this.at + 1]?.text === '(')
      return this.operand(this.readDictCall(stack), stack)
    return this.operand(readScalar(this), stack)
  }

  private missingValue(token: Token | undefined, after?: Token): Value {
    const place = after ?? token ?? this.tokens.at(-1)
    const span = { from: place?.from ?? 0, to: place?.to ?? 0 }
    if (after) this.fault('HM123', span, "A value is missing after '='; write one, or None.")
    else
      this.fault(
        'HM110',
        span,
        `'${token?.text ?? ''}' is no value of the language; write a text, a number, a name, True, False, None or a list.`,
      )
    this.lossy = true
    if (!after && token && !(token.kind === 'op' && ')]},'.includes(token.text))) {
      this.at++
      this.skipValue()
    }
    const to = this.tokens[this.at - 1]?.to ?? span.to
    return { kind: 'bad', from: after ? span.to : span.from, to: Math.max(to, after ? span.to : span.from) }
  }

  /** Python would go on with an operator, a call or an index here; the language has none of them. */
  private operand(value: Value, _stack: Token[]): Value {
    const next = this.token
    if (!next || next.first) return value
    const goesOn =
      (next.kind === 'op' &&
        !')]},=:;'.includes(next.text) &&
        !(next.text === '[' || next.text === '{') &&
        next.text !== '(') ||
      (next.kind === 'op' && (next.text === '(' || next.text === '[') && next.from === value.to) ||
      (next.kind === 'name' && ['if', 'for', 'and', 'or', 'in', 'is', 'not', 'else'].includes(next.text))
    if (!goesOn) return value
    this.at++
    this.skipValue()
    const span = { from: value.from, to: this.tokens[this.at - 1]?.to ?? value.to }
    const written = this.text.slice(span.from, span.to)
    const isPath = /^[\w./-]+$/.test(written)
    this.fault(
      'HM110',
      span,
      isPath
        ? `Write the path '${written}' in quotes.`
        : 'An expression cannot stand here: a workflow is data and is never executed. Write its value.',
      isPath
        ? [{ title: 'Put it in quotes', certain: true, changes: [{ ...span, insert: `'${written}'` }] }]
        : [],
    )
    if (isPath) return { kind: 'string', value: written, quote: "'", ...span }
    this.lossy = true
    return { kind: 'bad', ...span }
  }

  /** Moves to the end of the current value: a comma or a closing bracket that is not its own. */
  private skipValue() {
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

  private readBrackets(stack: Token[]): Value {
    const open = this.token as Token
    const closer = CLOSER[open.text] as string
    this.at++
    const items: Item[] = []
    const entries: Entry[] = []
    let closed: Token | undefined
    let end = open.to
    while (!closed) {
      const token = this.token
      if (!token || this.isHead(this.at)) {
        end = this.unclosed([...stack, open])
        break
      }
      const op = token.kind === 'op' ? token.text : ''
      if (op === closer) {
        closed = token
        this.at++
      } else if (op === ')' || op === ']' || op === '}') {
        const after = this.tokens[this.at + 1]
        const goesOn = stack.length === 1 && after?.kind === 'op' && ',)'.includes(after.text) && !after.first
        if (goesOn || !stack.some((outer) => CLOSER[outer.text] === op)) {
          this.wrongCloser(token, closer)
          closed = token
          this.at++
          break
        }
        end = this.insertCloser(this.tokens[this.at - 1]?.to ?? token.from, open, closer)
        break
      } else if (op === ',') this.extraComma(token)
      else if (this.startsEntry(open.text)) {
        if (items.length > 0 || stack.length > 1) {
          const last = items.at(-1)
          end = this.insertCloser(last?.to ?? open.to, open, closer)
          if (last?.comma) this.at = this.tokens.findIndex((one) => one.from === last.comma?.from)
          break
        }
        entries.push(this.readEntry([...stack, open], open.text, closer))
      } else {
        const value = this.readValue([...stack, open])
        const item: Item = { value, from: value.from, to: value.to, comma: null }
        items.push(item)
        item.comma = this.readComma(item, closer)
      }
    }
    const to = closed?.to ?? end
    const inner = { from: open.to, to: closed?.from ?? end }
    const span = { from: open.from, to }
    if (entries.length > 0 && items.length === 0) {
      if (open.text === '[') return { kind: 'dict', style: 'brackets', entries, inner, ...span }
      if (open.text === '{') return { kind: 'dict', style: 'braces', entries, inner, ...span }
    }
    if (open.text === '{' && items.length === 0)
      return { kind: 'dict', style: 'braces', entries, inner, ...span }
    if (open.text === '{' || entries.length > 0) {
      this.fault(
        'HM110',
        span,
        open.text === '{'
          ? 'A set is no value of the language; write a list: [...].'
          : "A value in parentheses cannot hold 'name=value'; write dict(...).",
      )
      return { kind: 'bad', ...span }
    }
    const only = items[0]
    if (open.text === '(' && items.length === 1 && only && !only.comma) return { ...only.value, ...span }
    return { kind: 'list', items, inner, ...span }
  }

  private startsEntry(open: string): boolean {
    const next = this.tokens[this.at + 1]
    if (open === '{') return next?.text === ':'
    return this.token?.kind === 'name' && next?.kind === 'op' && next.text === '='
  }

  private readEntry(stack: Token[], open: string, closer: string): Entry {
    const token = this.token as Token
    const keyValue = open === '{' ? readScalar(this) : null
    if (!keyValue) this.at++
    const key = keyValue ? (keyValue.kind === 'string' ? keyValue.value : '') : token.text
    if (keyValue && keyValue.kind !== 'string' && keyValue.kind !== 'bad') {
      this.lossy = true
      this.fault('HM214', keyValue, 'A key of a dictionary is a text in quotes; put it in quotes.')
    }
    if (!keyValue && isReserved(key))
      this.fault(
        'HM120',
        token,
        `'${key}' is a word of Python and cannot be a key here; write {'${key}': ...}.`,
      )
    if (key === '__proto__') {
      this.lossy = true
      this.fault('HM214', token, "'__proto__' cannot be a key; choose another.")
    }
    const keySpan = { from: token.from, to: keyValue?.to ?? token.to }
    const sign = this.token as Token
    this.at++
    const value = this.readValue(stack, sign)
    const entry: Entry = { key, keySpan, value, from: token.from, to: value.to, comma: null }
    entry.comma = this.readComma(entry, closer)
    return entry
  }

  private readDictCall(stack: Token[]): Value {
    const name = this.token as Token
    const open = this.tokens[this.at + 1] as Token
    this.at += 2
    const entries: Entry[] = []
    for (;;) {
      const token = this.token
      if (!token || this.isHead(this.at)) {
        const to = this.unclosed([...stack, open])
        return { kind: 'dict', style: 'call', entries, inner: { from: open.to, to }, from: name.from, to }
      }
      const op = token.kind === 'op' ? token.text : ''
      if (op === ')') {
        this.at++
        return {
          kind: 'dict',
          style: 'call',
          entries,
          inner: { from: open.to, to: token.from },
          from: name.from,
          to: token.to,
        }
      }
      if (op === ',') this.extraComma(token)
      else if (op === ']' || op === '}') {
        if (stack.some((outer) => CLOSER[outer.text] === op)) {
          const to = this.insertCloser(this.tokens[this.at - 1]?.to ?? token.from, open, ')')
          return { kind: 'dict', style: 'call', entries, inner: { from: open.to, to }, from: name.from, to }
        }
        this.wrongCloser(token, ')')
        this.at++
        return {
          kind: 'dict',
          style: 'call',
          entries,
          inner: { from: open.to, to: token.from },
          from: name.from,
          to: token.to,
        }
      } else if (this.startsEntry('(')) entries.push(this.readEntry([...stack, open], '(', ')'))
      else {
        const value = this.readValue([...stack, open])
        this.lossy = true
        this.fault('HM110', value, "Inside dict(...) every value has a name: write 'name=value'.")
        this.readComma({ from: value.from, to: value.to }, ')')
      }
    }
  }

  /** After an argument or an item: its comma, or the report that it is missing. */
  private readComma(before: Span, closer: string): Span | null {
    const token = this.token
    if (!token || this.isHead(this.at)) return null
    if (token.kind === 'op') {
      if (token.text === ',') {
        this.at++
        return { from: token.from, to: token.to }
      }
      if (token.text === closer || ')]}'.includes(token.text)) return null
    }
    if (startsValue(token))
      this.fault(
        'HM104',
        { from: before.to, to: token.from },
        `A comma is missing before '${short(token.text)}'; insert it.`,
        [
          {
            title: 'Insert the comma',
            certain: true,
            changes: [{ from: before.to, to: before.to, insert: ',' }],
          },
        ],
      )
    else {
      const from = token.from
      this.skipValue()
      if (this.token === token) this.at++
      this.lossy = true
      this.fault(
        'HM110',
        { from, to: this.tokens[this.at - 1]?.to ?? token.to },
        `'${short(token.text)}' does not belong here; remove it, or separate arguments by commas.`,
      )
      if (this.token?.text === ',') this.at++
    }
    return null
  }

  private extraComma(token: Token) {
    this.at++
    this.fault('HM105', token, 'This comma separates nothing; remove it.', [
      removal(token, 'Remove the comma'),
    ])
  }

  private stray(token: Token) {
    this.at++
    this.fault('HM102', token, `This '${token.text}' closes no bracket; remove it.`, [
      removal(token, `Remove this ${nameOf(token.text)}`),
    ])
  }

  private wrongCloser(token: Token, closer: string) {
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

  private insertCloser(at: number, open: Token, closer: string): number {
    this.fault(
      'HM101',
      open,
      `This '${open.text}' is never closed; insert '${closer}' after ${this.quoteEnd(at)}.`,
      [{ title: `Insert '${closer}'`, certain: true, changes: [{ from: at, to: at, insert: closer }] }],
    )
    return at
  }

  /** Reports the innermost bracket of `stack` as unclosed, once for all of them. Returns where the text of the statement ends. */
  private unclosed(stack: Token[]): number {
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

  private quoteEnd(at: number): string {
    const before = this.tokens.findLast((token) => token.to <= at)
    return before ? `'${short(before.text)}'` : 'it'
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
    let depth = 0
    let any = false
    for (let index = comma ? this.at + 1 : this.at; index < this.tokens.length; index++) {
      const token = this.tokens[index] as Token
      if (this.isHead(index)) return false
      if (token.kind !== 'op') any = true
      else if (token.text in CLOSER) depth++
      else if (')]}'.includes(token.text) && --depth < 0) {
        if (!any || token.text !== ')') return false
        break
      } else if (token.text === ';') return false
      if (index === this.tokens.length - 1) return false
    }
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

  /** Between two statements: a new line or `;`, and nothing else. */
  private readEnd() {
    for (;;) {
      const token = this.token
      if (!token) return
      if (token.text === ';' && token.kind === 'op') {
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

/** The line break a text uses. */
export const eolOf = (text: string): string => /\r\n|\n|\r/.exec(text)?.[0] ?? '\n'

const nameOf = (bracket: string) => (bracket === ')' ? 'parenthesis' : bracket === ']' ? 'bracket' : 'brace')
const short = (text: string) => (text.length > 30 ? `${text.slice(0, 29)}…` : text)

const removal = (span: Span, title: string) => ({
  title,
  certain: true,
  changes: [{ from: span.from, to: span.to, insert: '' }],
})

function lineEnd(text: string, start: Span, end: Span): number {
  const stop = /[\r\n]/.exec(text.slice(start.from, end.to))
  return stop ? start.from + stop.index : end.to
}
