/** Reads values: lists, tuples, dictionaries and what stands in them. */
import { isReserved } from './literal.ts'
import { CLOSER, short, TokenReader } from './reader.ts'
import type { Token } from './scan.ts'
import type { Entry, Item, Span, Value } from './syntax.ts'
import { readScalar, startsValue } from './values.ts'

/** Reads values with brackets: lists, tuples and dictionaries. */
export class ValueReader extends TokenReader {
  /** A value; `after` is the `=` before it, for the report when there is none. */
  readValue(stack: Token[], after?: Token): Value {
    const token = this.token
    if (!token || !startsValue(token) || (after && this.isHead(this.at)))
      return this.missingValue(token, after)
    if (token.kind === 'op' && (token.text === '[' || token.text === '(' || token.text === '{'))
      return this.operand(this.readBrackets(stack))
    if (token.kind === 'name' && token.text === 'dict' && this.tokens[this.at + 1]?.text === '(')
      return this.operand(this.readDictCall(stack))
    return this.operand(readScalar(this))
  }

  protected missingValue(token: Token | undefined, after?: Token): Value {
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
  protected operand(value: Value): Value {
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
    if (!(next.text in CLOSER)) this.at++
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

  protected readBrackets(stack: Token[]): Value {
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
        if (open.text !== '{' && (items.length > 0 || stack.length > 1)) {
          const last = items.at(-1)
          end = this.insertCloser(last?.to ?? open.to, open, closer)
          while (last?.comma && (this.token?.from ?? 0) > last.comma.from) this.at--
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
      if (open.text === '[') {
        this.reportSquare(span, inner)
        return { kind: 'dict', style: 'brackets', entries, inner, ...span }
      }
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

  /** The paper's `[name=value]` is read; Python cannot read it. */
  private reportSquare(span: Span, inner: Span) {
    const text = this.text.slice(inner.from, inner.to)
    this.fault(
      'HM116',
      span,
      `Python cannot read '[name=value]'; write dict(${text.length > 40 ? '...' : text.trim()}).`,
      [
        {
          title: 'Write dict(...)',
          certain: true,
          changes: [
            { from: span.from, to: inner.from, insert: 'dict(' },
            { from: inner.to, to: span.to, insert: ')' },
          ],
        },
      ],
      'hint',
    )
  }

  protected startsEntry(open: string): boolean {
    const next = this.tokens[this.at + 1]
    if (open === '{') return next?.text === ':'
    return this.token?.kind === 'name' && next?.kind === 'op' && next.text === '='
  }

  protected readEntry(stack: Token[], open: string, closer: string): Entry {
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

  protected readDictCall(stack: Token[]): Value {
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
  protected readComma(before: Span, closer: string): Span | null {
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
}
