/** The directives of Listing 2 and the barrier: what each statement says of its task. */
import type { Pin, SyncCondition } from '@hivemind/workflow'
import { quoteString } from '../syntax/literal.ts'
import type { Argument, Value } from '../syntax/syntax.ts'
import type { Bound, DirectiveDef, Ref } from './model.ts'
import { type Report, replace } from './report.ts'
import { readBounded, readChoice, readText } from './values.ts'

const RESTORE = ['respawn', 'repartition', 'checkpoint', 'ignore'] as const
const ON_MISS = ['drop'] as const
const LEARN = ['Global', 'Device', 'Off'] as const

/** What a directive says of its task: one entry, for `Schedule` one for each of its arguments. */
export function directivesOf(bound: Bound, task: Ref | null, report: Report): DirectiveDef[] {
  const { spec, args } = bound
  const make = (
    key: DirectiveDef['key'],
    value: DirectiveDef['value'] | undefined,
    written: string,
    at?: Argument,
    field = '',
  ): DirectiveDef[] =>
    task && value !== undefined
      ? [{ bound, task, key, field, value, written, span: at?.value ?? bound.statement }]
      : []
  switch (spec.head) {
    case 'Isolate':
      return make('isolate', true, 'True')
    case 'Persist':
      return make('persist', true, 'True')
    case 'Synchronize': {
      const condition = args.get('condition')
      const value = condition ? readCondition(condition.value, report) : null
      return make('synchronize', value ?? undefined, value ? conditionText(value) : '', condition)
    }
    case 'Place': {
      const where = args.get('where')
      const text = where ? readPlace(where, report) : null
      return make('place', text ?? undefined, text ?? '', where)
    }
    case 'Restore': {
      const policy = args.get('policy')
      const value = policy ? readChoice(policy, RESTORE, report) : null
      return make('restore', value ?? undefined, value ?? '', policy)
    }
    case 'Learn': {
      const scope = args.get('scope')
      const value = scope ? readChoice(scope, LEARN, report) : null
      return make('learn', value ?? undefined, value ?? '', scope)
    }
    default:
      return scheduleOf(bound, report, make)
  }
}

function scheduleOf(
  bound: Bound,
  report: Report,
  make: (
    key: DirectiveDef['key'],
    value: DirectiveDef['value'] | undefined,
    written: string,
    at?: Argument,
    field?: string,
  ) => DirectiveDef[],
): DirectiveDef[] {
  const { args, statement } = bound
  const result: DirectiveDef[] = []
  const priority = args.get('priority')
  if (priority?.value.kind === 'number')
    result.push(...make('schedule', priority.value.value, String(priority.value.value), priority, 'priority'))
  else if (priority && priority.value.kind !== 'bad') {
    const number =
      priority.value.kind === 'string' ? Number(priority.value.value.trim() || Number.NaN) : Number.NaN
    report.add(
      'HM205',
      priority.value,
      'A priority is a number; write one without quotes.',
      Number.isFinite(number)
        ? { fixes: [replace(`Write ${number}`, priority.value, String(number), true)] }
        : {},
    )
  }
  const deadline = args.get('deadline')
  const quantity = deadline ? readBounded(deadline.value, 'deadline', ['time'], '200ms', report) : null
  if (quantity) result.push(...make('schedule', quantity.text, quantity.text, deadline, 'deadline'))
  const onMiss = args.get('onMiss')
  const dropped = onMiss ? readChoice(onMiss, ON_MISS, report) : null
  if (dropped) result.push(...make('schedule', dropped, dropped, onMiss, 'onMiss'))
  if (args.has('task') && args.size === 1 && statement.args.length === 1)
    report.add(
      'HM609',
      statement,
      'This Schedule asks for nothing; give it priority=.. or deadline=.., or remove it.',
    )
  return result
}

/** `sync='all'` on a Task. */
export function syncOf(bound: Bound, task: Ref, report: Report): DirectiveDef | null {
  const argument = bound.args.get('sync')
  if (!argument || argument.value.kind === 'none') return null
  const value = readCondition(argument.value, report)
  return value
    ? {
        bound,
        task,
        key: 'synchronize',
        field: '',
        value,
        written: conditionText(value),
        span: argument.value,
      }
    : null
}

/** A condition as the language writes it: `'all'`, `'any'` or a count. */
export function conditionText(condition: SyncCondition): string {
  return condition.kind === 'count' ? String(condition.count) : condition.kind
}

/** The condition a text stands for, or `null`. */
export function parseCondition(text: string): SyncCondition | null {
  if (text === 'all' || text === 'any') return { kind: text }
  return /^[1-9]\d{0,8}$/.test(text) ? { kind: 'count', count: Number(text) } : null
}

function readCondition(value: Value, report: Report): SyncCondition | null {
  if (value.kind === 'bad') return null
  const text =
    value.kind === 'string'
      ? value.value
      : value.kind === 'number'
        ? String(value.value)
        : value.kind === 'name'
          ? value.name
          : ''
  const condition = parseCondition(text)
  if (condition && value.kind !== 'name') return condition
  const meant = parseCondition(text.trim().toLowerCase())
  report.add(
    'HM610',
    value,
    `A condition is 'all', 'any' or a count from 1, such as '3'; write one of these.`,
    {
      fixes: meant
        ? [replace(`Write '${conditionText(meant)}'`, value, quoteString(conditionText(meant)), true)]
        : [],
    },
  )
  return null
}

/** The pin a text stands for, or `null`. */
export function parsePlace(text: string): Pin | null {
  if (text === 'Cloud') return { tier: 'cloud' }
  if (text === 'Fabric') return { tier: 'fabric' }
  const target = /^Edge:([A-Za-z0-9][\w.-]{0,99})$/.exec(text)?.[1]
  return target ? { tier: 'edge', target } : null
}

function readPlace(argument: Argument, report: Report): string | null {
  const text =
    argument.value.kind === 'name'
      ? argument.value.name
      : readText(argument, report, "'Cloud', 'Edge:all', 'Edge:<class or device>' or 'Fabric'")
  if (text === null) return null
  if (parsePlace(text) && argument.value.kind === 'string') return text
  const tidy = text
    .trim()
    .replace(/^cloud$/i, 'Cloud')
    .replace(/^fabric$/i, 'Fabric')
    .replace(/^edge(?:\s*:\s*all)?$/i, 'Edge:all')
    .replace(/^edge\s*:\s*/i, 'Edge:')
  const meant = parsePlace(tidy) ? tidy : null
  report.add(
    'HM605',
    argument.value,
    `'${text}' is no placement; write ${meant ? `'${meant}'` : "'Cloud', 'Edge:all', 'Edge:<class or device>' or 'Fabric'"}.`,
    {
      fixes: meant ? [replace(`Write '${meant}'`, argument.value, quoteString(meant), true)] : [],
    },
  )
  return null
}
