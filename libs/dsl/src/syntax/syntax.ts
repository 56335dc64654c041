/** What the reader makes of a text: statements with their arguments, every part with its place. */
import type { Token } from './scan.ts'

export interface Span {
  from: number
  to: number
}

export interface StringValue extends Span {
  kind: 'string'
  value: string
  quote: '"' | "'"
}
export interface NumberValue extends Span {
  kind: 'number'
  value: number
}
export interface NameValue extends Span {
  kind: 'name'
  name: string
}
export interface ListValue extends Span {
  kind: 'list'
  items: Item[]
  /** Just after the opening bracket and just before the closing one. */
  inner: Span
}
/** An entry of a list, with the end of the comma after it where there is one. */
export interface Item {
  value: Value
  from: number
  to: number
  comma: Span | null
}
export interface DictValue extends Span {
  kind: 'dict'
  /** `dict(a=1)`, `{'a': 1}`, or the paper's `[a=1]`. */
  style: 'call' | 'braces' | 'brackets'
  entries: Entry[]
  inner: Span
}
export interface Entry extends Span {
  key: string
  keySpan: Span
  value: Value
  comma: Span | null
}
export type Value =
  | StringValue
  | NumberValue
  | NameValue
  | ListValue
  | DictValue
  | ({ kind: 'boolean'; value: boolean } & Span)
  | ({ kind: 'none' } & Span)
  /** Something that is no value of the language; already reported. */
  | ({ kind: 'bad' } & Span)

export interface Argument extends Span {
  keyword: (Span & { text: string }) | null
  value: Value
  comma: Span | null
}

/** `Head(arguments)`. */
export interface Statement extends Span {
  head: Span & { text: string }
  args: Argument[]
  /** Just after the opening parenthesis and just before the closing one. */
  inner: Span
}

export interface SyntaxFault extends Span {
  code: string
  message: string
  fixes: { title: string; certain: boolean; changes: { from: number; to: number; insert: string }[] }[]
  severity?: 'error' | 'warning' | 'hint'
}

export interface Source {
  text: string
  tokens: Token[]
  statements: Statement[]
  faults: SyntaxFault[]
  /** True when something could not be read, so that the statements are not all of what was meant. */
  lossy: boolean
}
