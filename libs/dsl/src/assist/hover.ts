/** Help for what stands at a position, and where each task is defined. */

import { BOUNDS, parseQuantity, type Quantity } from '@hivemind/workflow'
import { type Analysis, analyse } from '../analysis.ts'
import { Document, type DslDocument } from '../document.ts'
import { CONSTRAINTS, STATEMENTS } from '../meaning/statements.ts'
import type { Span } from '../syntax/syntax.ts'
import { parameterOf, placeAt } from './place.ts'

/** Help for a range of the text, from offset `from` up to `to`. */
export interface Hover extends Span {
  /** One or a few plain sentences. */
  text: string
}

/** Help for the statement, argument, name or quantity at an offset, or `null`. Never throws. */
export function hoverAt(text: string, pos: number): Hover | null {
  const analysis = analyse(text)
  const holds = (span: Span) => span.from <= pos && pos <= span.to
  const head = analysis.model.source.statements.find((statement) => holds(statement.head))?.head
  if (head) {
    const spec = STATEMENTS.get(head.text)
    if (!spec) return null
    const parameters = spec.parameters.map(({ name, required, keywordOnly }) =>
      required || !keywordOnly ? name : `${name}=..`,
    )
    return {
      from: head.from,
      to: head.to,
      text: `${spec.head}(${parameters.join(', ')}${spec.others ? ', ...' : ''})\n${spec.help}`,
    }
  }
  return nameHover(analysis, holds) ?? argumentHover(analysis, pos)
}

function nameHover({ model }: Analysis, holds: (span: Span) => boolean): Hover | null {
  const task = model.taskRefs.find(holds)
  if (task) {
    const definition = model.tasks.find(({ ref }) => ref.name === task.name)
    if (!definition) return { from: task.from, to: task.to, text: `'${task.name}' is not defined.` }
    const reads = definition.dataIn.map(({ name }) => name).join(', ') || 'nothing'
    const writes = definition.dataOut?.name ?? 'nothing'
    return {
      from: task.from,
      to: task.to,
      text: `Task '${task.name}': reads ${reads}, writes ${writes}.\nCode: ${definition.code || 'none'}`,
    }
  }
  const data = model.dataRefs.find(holds)
  if (!data) return null
  const writer = model.tasks.find(({ dataOut }) => dataOut?.name === data.name)
  const readers = model.tasks
    .filter(({ dataIn }) => dataIn.some(({ name }) => name === data.name))
    .map(({ ref }) => ref.name)
  const fields = model.data.find(({ ref }) => ref.name === data.name)?.fields ?? {}
  const about = Object.entries(fields).map(([key, value]) => `${key} ${value}`)
  return {
    from: data.from,
    to: data.to,
    text: `Data '${data.name}': ${writer ? `written by ${writer.ref.name}` : 'an input of the workflow'}, read by ${readers.join(', ') || 'nobody'}.${about.length > 0 ? `\n${about.join(', ')}` : ''}`,
  }
}

function argumentHover(analysis: Analysis, pos: number): Hover | null {
  const { argument, parameter, spec, key } = placeAt(analysis, pos)
  if (!argument) return null
  const entry =
    argument.value.kind === 'dict'
      ? argument.value.entries.find((one) => one.from <= pos && pos <= one.to)
      : undefined
  const constraint = CONSTRAINTS.find((one) => one.key === (key ?? entry?.key))
  if (entry && constraint && parameter?.value === 'constraints') {
    const quantity = entry.value.kind === 'string' ? parseQuantity(entry.value.value) : null
    return {
      from: entry.from,
      to: entry.to,
      text: `${constraint.key}: ${constraint.help}${quantity ? `\n${inBaseUnit(quantity)}` : ''}`,
    }
  }
  const word = argument.keyword?.text
  const known = parameter ?? (word ? parameterOf(spec, word) : null)
  const from = argument.keyword?.from ?? argument.from
  if (known) {
    const { bounds } = known
    const range = bounds ? `\nFrom ${BOUNDS[bounds].min.text} to ${BOUNDS[bounds].max.text}.` : ''
    return { from, to: argument.to, text: `${known.name}: ${known.help}${range}` }
  }
  return word && spec?.others ? { from, to: argument.to, text: `${word}: ${spec.others}` } : null
}

const BASE = {
  time: 'ms',
  rate: 'per second',
  size: 'bytes',
  costPerHour: 'USD per hour',
  costPerRun: 'USD per run',
  energy: 'J',
  power: 'W',
  share: 'of the whole',
} as const
const inBaseUnit = ({ dimension, value }: Quantity) => `= ${value} ${BASE[dimension]}`

/** Where each task is defined, for jumping between canvas and text. Of two definitions the first counts. */
export function taskRanges(document: string | DslDocument): Record<string, Span> {
  const ranges: Record<string, Span> = {}
  for (const { ref, bound } of Document.of(document).analyse().model.tasks)
    if (!Object.hasOwn(ranges, ref.name))
      ranges[ref.name] = { from: bound.statement.from, to: bound.statement.to }
  return ranges
}
