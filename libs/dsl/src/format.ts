/** A written text in the house style: its statements laid out again, with everything around them kept. */
import { analyse } from './analysis.ts'
import { applyChanges } from './change.ts'
import { STATEMENTS, type ValueKind } from './meaning/statements.ts'
import { call } from './print.ts'
import { eolOf } from './syntax/layout.ts'
import { isBareName, quoteString } from './syntax/literal.ts'
import type { Token } from './syntax/scan.ts'
import type { Entry, Source, Span, Statement, StringValue, Value } from './syntax/syntax.ts'
import type { TextChange } from './types.ts'

/** What lies between statements. */
const PARTS = /#[^\r\n]*|\\(?:\r\n|\n|\r)|[ \t\f\r\n]+/g

/**
 * The text in the house style, or `null` when its syntax has errors (HM1..). The meaning stays, and so does every
 * comment: a statement with comments inside is left as it is written, every other one is laid out as `print` would.
 * Between statements only blank lines go: of several one stays, and none at the start and the end of the text.
 * Formatting twice gives what formatting once gives; what `print` gives stays as it is.
 */
export function format(text: string): string | null {
  const { model, report } = analyse(text)
  const faulty = report.finish([]).some(({ code, severity }) => severity === 'error' && code < 'HM2')
  if (faulty || model.source.lossy) return null
  return new Formatter(model.source).format()
}

class Formatter {
  private readonly source: Source
  private readonly eol: string
  /** Behind the byte order mark, where there is one. */
  private readonly start: number

  constructor(source: Source) {
    this.source = source
    this.start = source.text.startsWith('\ufeff') ? 1 : 0
    this.eol = eolOf(source.text)
  }

  format(): string {
    const { text, statements, tokens } = this.source
    const changes: TextChange[] = []
    const kept: Span[] = []
    let next = 0
    for (const statement of statements) {
      while (next < tokens.length && (tokens[next] as Token).to <= statement.from) {
        kept.push(tokens[next] as Token)
        next++
      }
      const start = next
      while (next < tokens.length && (tokens[next] as Token).from < statement.to) next++
      const inside = tokens.slice(start, next)
      if (!this.hasComment(inside))
        changes.push({ from: statement.from, to: statement.to, insert: this.statement(statement) })
      kept.push(statement)
    }
    kept.push(...tokens.slice(next))
    let at = this.start
    for (const { from, to } of [...kept, { from: text.length, to: text.length }]) {
      changes.push(...this.gap(at, from))
      at = to
    }
    const formatted = applyChanges(text, changes)
    return formatted.length === this.start || /[\r\n]$/.test(formatted) ? formatted : formatted + this.eol
  }

  private hasComment(tokens: readonly Token[]): boolean {
    return tokens.some(
      (token, index) =>
        index > 0 && this.source.text.slice((tokens[index - 1] as Token).to, token.from).includes('#'),
    )
  }

  /** Takes blank lines out of what lies between two statements: blanks, line breaks and comments. */
  private gap(from: number, to: number): TextChange[] {
    const changes: TextChange[] = []
    let isContinued = false
    for (const { 0: part, index } of this.source.text.slice(from, to).matchAll(PARTS)) {
      if (!/^[#\\]/.test(part) && !isContinued) {
        const span = { from: from + index, to: from + index + part.length }
        changes.push({ ...span, insert: this.blanks(part, span) })
      }
      isContinued = part.startsWith('\\')
    }
    return changes
  }

  private blanks(blanks: string, { from, to }: Span): string {
    const breaks = [...blanks.matchAll(/\r\n|\n|\r/g)].map((found) => found.index + found[0].length)
    const indentation = blanks.slice(breaks.at(-1) ?? 0)
    if (to === this.source.text.length)
      return from === this.start ? '' : (/\r\n|\n|\r/.exec(blanks)?.[0] ?? this.eol)
    if (from === this.start) return indentation
    return breaks.length > 2 ? blanks.slice(0, breaks[1]) + indentation : blanks
  }

  private statement({ head, args }: Statement): string {
    const spec = STATEMENTS.get(head.text)
    const byPlace = spec?.parameters.filter((parameter) => !parameter.keywordOnly) ?? []
    let place = 0
    const written = args.map(({ keyword, value }) => {
      const parameter = keyword
        ? spec?.parameters.find(
            ({ name, aliases }) => name === keyword.text || aliases?.includes(keyword.text),
          )
        : byPlace[place++]
      const text = this.value(value, parameter?.value)
      return keyword ? `${keyword.text}=${text}` : text
    })
    const line = `${head.text}(${written.join(', ')})`
    if (!/[\r\n]/.test(line)) return call(head.text, written).replaceAll('\n', this.eol)
    return `${head.text}(${this.eol}${written.map((one) => `    ${one},${this.eol}`).join('')})`
  }

  /** A value; names of tasks and data are bare or in quotes as the house style has them in that place. */
  private value(value: Value, kind?: ValueKind): string {
    switch (value.kind) {
      case 'none':
        return 'None'
      case 'boolean':
        return value.value ? 'True' : 'False'
      case 'name':
        return kind === 'tasks' ? quoteString(value.name) : value.name
      case 'string':
        return (kind === 'task' || kind === 'data' || kind === 'dataList') && this.isBare(value)
          ? value.value
          : this.strings(value)
      case 'number':
        return this.tokensIn(value)
          .filter(({ text }) => text !== '(' && text !== ')')
          .map(({ text }) => text)
          .join('')
      case 'list':
        return `[${value.items.map((item) => this.value(item.value, kind)).join(', ')}]`
      case 'dict':
        return this.dict(value.style === 'braces', value.entries)
      case 'bad':
        return this.source.text.slice(value.from, value.to)
    }
  }

  /** Texts side by side stay as they are: they are most likely a mistake, and reported as one. */
  private isBare(value: StringValue): boolean {
    return isBareName(value.value) && this.literals(value).length === 1
  }

  private dict(braces: boolean, entries: readonly Entry[]): string {
    const parts = entries.map(({ key, keySpan, value }) =>
      braces ? `${this.strings(keySpan)}: ${this.value(value)}` : `${key}=${this.value(value)}`,
    )
    return braces ? `{${parts.join(', ')}}` : `dict(${parts.join(', ')})`
  }

  /** One or more literals as they are written, in single quotes where that takes no escapes. */
  private strings(span: Span): string {
    return this.literals(span)
      .map(({ text }) => (/^"[^"'\\\r\n]*"$/.test(text) ? `'${text.slice(1, -1)}'` : text))
      .join(' ')
  }

  private literals(span: Span): Token[] {
    return this.tokensIn(span).filter(({ kind }) => kind === 'string')
  }

  private tokensIn({ from, to }: Span): Token[] {
    const { tokens } = this.source
    let low = 0
    for (let high = tokens.length; low < high; ) {
      const middle = (low + high) >> 1
      if ((tokens[middle] as Token).from < from) low = middle + 1
      else high = middle
    }
    const found: Token[] = []
    for (let index = low; (tokens[index]?.to ?? to + 1) <= to; index++) found.push(tokens[index] as Token)
    return found
  }
}
