/** What the reader makes of a text: statements with their arguments, every part with its place. */
import type { Token } from './scan.ts'

/** A stretch of text: UTF-16 offsets, `to` exclusive. */
export interface Span {
  from: number
  to: number
}

/** A text in quotes. */
export interface StringValue extends Span {
  kind: 'string'
  value: string
  quote: '"' | "'"
}
/** A number. */
export interface NumberValue extends Span {
  kind: 'number'
  value: number
}
/** A bare name. */
export interface NameValue extends Span {
  kind: 'name'
  name: string
}
/** A list or tuple. */
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
/** A dictionary. */
export interface DictValue extends Span {
  kind: 'dict'
  /** `dict(a=1)`, `{'a': 1}`, or the paper's `[a=1]`. */
  style: 'call' | 'braces' | 'brackets'
  entries: Entry[]
  inner: Span
}
/** An entry of a dictionary. */
export interface Entry extends Span {
  key: string
  keySpan: Span
  value: Value
  comma: Span | null
}
/** The value of an argument or entry. */
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

/** An argument of a statement, with or without a name. */
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

/** A fault of syntax; its fields are those of a diagnostic. */
export interface SyntaxFault extends Span {
  code: string
  message: string
  fixes: { title: string; certain: boolean; changes: { from: number; to: number; insert: string }[] }[]
  severity?: 'error' | 'warning' | 'hint'
}

/** A text as the reader understands it. */
export interface Source {
  text: string
  tokens: Token[]
  statements: Statement[]
  faults: SyntaxFault[]
  /** True when something could not be read, so that the statements are not all of what was meant. */
  lossy: boolean
}
