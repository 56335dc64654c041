/** Where in the language a position lies: in which statement, in which argument, in which list. */
import type { Analysis } from '../analysis.ts'
import {
  KNOWN_TASK_ARGUMENTS,
  type Parameter,
  STATEMENTS,
  type StatementSpec,
} from '../meaning/statements.ts'
import type { Argument, Statement, Value } from '../syntax/syntax.ts'

/** Where in a statement a position lies. Every field is `null` outside of statements. */
export interface Place {
  statement: Statement | null
  spec: StatementSpec | null
  argument: Argument | null
  /** The parameter whose value the position is in or would start. */
  parameter: Parameter | null
  /** A key of `constraint=dict(...)` or the like, when the position is in its value. */
  key: string | null
  /** True when the position is inside a list or dictionary of the argument. */
  nested: boolean
}

/** The place of an offset. A statement that is still being written reaches to the next one. */
export function placeAt({ model }: Analysis, pos: number): Place {
  const { statements, text } = model.source
  const nowhere: Place = {
    statement: null,
    spec: null,
    argument: null,
    parameter: null,
    key: null,
    nested: false,
  }
  const index = statements.findLastIndex((one) => one.head.to < pos)
  const statement = statements[index]
  // A statement that is still being written goes on to the next one.
  const isOpen = statement && text[statement.inner.to] !== ')'
  const end = isOpen ? (statements[index + 1]?.from ?? text.length) : (statement?.inner.to ?? 0)
  if (!statement || pos < statement.inner.from || pos > end) return nowhere
  const spec = STATEMENTS.get(statement.head.text) ?? null
  const within = { ...nowhere, statement, spec }
  const before = statement.args.filter((one) => one.comma && one.comma.to <= pos).length
  const argument = statement.args[before] ?? null
  const byPlace = spec?.parameters.filter((one) => !one.keywordOnly) ?? []
  if (!argument || (pos < argument.from && text.slice(pos, argument.from).trim() !== '')) {
    const named = statement.args.some((one) => one.keyword)
    return { ...within, parameter: named ? null : (byPlace[before] ?? null) }
  }
  const { keyword, value } = argument
  if (keyword && pos <= keyword.to) return { ...within, argument }
  const parameter = keyword ? parameterOf(spec, keyword.text) : (byPlace[before] ?? null)
  const nested =
    (value.kind === 'list' || value.kind === 'dict') && value.inner.from <= pos && pos <= value.inner.to
  return { ...within, argument, parameter, nested, key: keyAt(value, pos) }
}

/** The parameter of a keyword; of a Task also those that the runner and the explorer read. */
export const parameterOf = (spec: StatementSpec | null, name: string): Parameter | null =>
  spec?.parameters.find((one) => one.name === name || one.aliases?.includes(name)) ??
  (spec?.head === 'Task' ? (KNOWN_TASK_ARGUMENTS.find((one) => one.name === name) ?? null) : null)

function keyAt(value: Value, pos: number): string | null {
  if (value.kind !== 'dict') return null
  return value.entries.find((entry) => entry.keySpan.to < pos && pos <= entry.to)?.key ?? null
}
