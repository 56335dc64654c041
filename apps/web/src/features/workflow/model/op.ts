/** The code of a network functional unit, `nfu:OP?name=value&...`, as the fields of a form. */
import { isOp, OPS, type OpName } from '@hivemind/nfu'

/** Text of each parameter by name, as written. */
export type OpValues = Readonly<Record<string, string>>

/** Reads op and parameters. `null` when the op is unknown or a parameter is not written as one: then the text is edited. */
export function readOp(code: string): { op: OpName; values: OpValues } | null {
  const [, op = '', query] = /^nfu:([^?]*)(?:\?([\s\S]*))?$/.exec(code) ?? []
  if (!isOp(op)) return null
  const values: Record<string, string> = {}
  for (const part of query === undefined ? [] : query.split('&')) {
    const [, name = '', value = ''] = /^([A-Za-z_]\w*)=(.*)$/s.exec(part) ?? []
    if (!OPS[op].parameters.some((parameter) => parameter.name === name)) return null
    if (Object.hasOwn(values, name)) return null
    values[name] = value
  }
  return { op, values }
}

/** Prints the code. Empty parameters, and those the op does not have, are left out. */
export function printOp(op: OpName, values: OpValues): string {
  const written = OPS[op].parameters.flatMap(({ name }) =>
    Object.hasOwn(values, name) && values[name] !== '' ? [`${name}=${values[name]}`] : [],
  )
  return written.length === 0 ? `nfu:${op}` : `nfu:${op}?${written.join('&')}`
}
