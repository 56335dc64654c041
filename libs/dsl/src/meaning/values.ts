/** Reads the values of arguments as what their parameter wants, and reports what does not fit. */
import {
  type ArgValue,
  type BoundedQuantity,
  boundsFault,
  type Dimension,
  parseQuantity,
  type Quantity,
  unitsOf,
} from '@hivemind/workflow'
import { isName, quoteString } from '../syntax/literal.ts'
import type { Argument, Item, Span, Value } from '../syntax/syntax.ts'
import type { Ref } from './model.ts'
import { oneOf } from './names.ts'
import { type Report, replace } from './report.ts'

const KIND_NAMES: Record<Value['kind'], string> = {
  string: 'a text',
  number: 'a number',
  boolean: 'True or False',
  none: 'None',
  name: 'a name',
  list: 'a list',
  dict: 'a dictionary',
  bad: 'no value',
}

function wrongKind(report: Report, value: Value, wanted: string) {
  if (value.kind !== 'bad') report.add('HM205', value, `This is ${KIND_NAMES[value.kind]}; write ${wanted}.`)
}

/** A task or data name, bare or in quotes. */
export function readRef(value: Value, what: 'task' | 'data', report: Report): Ref | null {
  if (value.kind !== 'name' && value.kind !== 'string') {
    wrongKind(report, value, `the name of a ${what === 'task' ? 'task' : 'piece of data'}`)
    return null
  }
  const name = value.kind === 'name' ? value.name : value.value
  if (!isName(name)) {
    const safe = name
      .replace(/[^A-Za-z0-9_]+/g, '_')
      .replace(/^(?=\d)/, '_')
      .slice(0, 100)
    report.add(
      'HM206',
      value,
      `'${name.slice(0, 60)}' is no name: use letters from A to Z, digits and '_', not starting with a digit, at most 100, and none of None, True, False.`,
      isName(safe)
        ? {
            fixes: [
              replace(
                `Write '${safe}'`,
                value,
                value.kind === 'name' ? safe : quoteString(safe, value.quote),
                false,
              ),
            ],
          }
        : {},
    )
    return null
  }
  const ref = { name, quoted: value.kind === 'string', from: value.from, to: value.to }
  report.refs[what].push(ref)
  return ref
}

/** Names in a list, a single name, or none. Reports and leaves out repetitions. */
export function readRefs(value: Value, what: 'task' | 'data', report: Report): Ref[] {
  if (value.kind === 'none') return []
  if (value.kind !== 'list') {
    const ref = value.kind === 'name' || value.kind === 'string' ? readRef(value, what, report) : null
    if (!ref && value.kind !== 'name' && value.kind !== 'string')
      wrongKind(report, value, `a list of names: ['a', 'b']`)
    return ref ? [ref] : []
  }
  const refs = new Map<string, Ref>()
  value.items.forEach((item: Item, index) => {
    const ref = readRef(item.value, what, report)
    if (!ref) return
    const before = refs.get(ref.name)
    if (before)
      report.add('HM212', ref, `'${ref.name}' is in this list twice; remove one.`, {
        fixes: () => [{ title: 'Remove it', certain: true, changes: report.removal(value.items, index) }],
      })
    else refs.set(ref.name, ref)
  })
  return [...refs.values()]
}

/** `type/subtype`, with or without parameters. */
export function isMediaType(text: string): boolean {
  const [type = '', ...parameters] = text.split(';')
  return (
    /^[\w!#$&^.+-]+\/[\w!#$&^.+*-]+$/.test(parameters.length > 0 ? type.trimEnd() : type) &&
    parameters.every((one) => /^[^=\s]+=./s.test(one.trimStart()))
  )
}

/** The text that an argument is; reports any other value and returns `null` for it. */
export function readText(argument: Argument, report: Report, wanted = 'a text in quotes'): string | null {
  if (argument.value.kind === 'string') return argument.value.value
  wrongKind(report, argument.value, wanted)
  return null
}

/** One of a few words; a word in the wrong case, or without quotes, gets a fix. */
export function readChoice<T extends string>(
  argument: Argument,
  choices: readonly T[],
  report: Report,
): T | null {
  const { value } = argument
  if (value.kind !== 'string' && value.kind !== 'name') {
    wrongKind(report, value, oneOf(choices))
    return null
  }
  const word = value.kind === 'name' ? value.name : value.value
  const exact = choices.find((choice) => choice === word)
  if (exact !== undefined && value.kind === 'string') return exact
  const meant =
    exact ??
    choices.find((choice) => choice.toLowerCase() === word.toLowerCase()) ??
    report.nearest(word, choices)
  report.add(
    'HM208',
    value,
    `'${word}' is none of the possible values; write ${meant ? `'${meant}'` : oneOf(choices)}${value.kind === 'name' ? ' in quotes' : ''}.`,
    {
      fixes: meant ? [replace(`Write '${meant}'`, value, quoteString(meant), true)] : [],
    },
  )
  return exact ?? null
}

/** Units people write for ours. */
const UNIT_WORDS: Record<string, string> = {
  sec: 's',
  secs: 's',
  second: 's',
  seconds: 's',
  S: 's',
  msec: 'ms',
  msecs: 'ms',
  millis: 'ms',
  milliseconds: 'ms',
  MS: 'ms',
  usec: 'us',
  µs: 'us',
  μs: 'us',
  m: 'min',
  mins: 'min',
  minute: 'min',
  minutes: 'min',
  hr: 'h',
  hrs: 'h',
  hour: 'h',
  hours: 'h',
  fps: '/s',
  hz: 'Hz',
  HZ: 'Hz',
  '/sec': '/s',
  '/second': '/s',
  '/hour': '/h',
  '/minute': '/min',
  '1/s': '/s',
  b: 'B',
  bytes: 'B',
  byte: 'B',
  kb: 'kB',
  mb: 'MB',
  gb: 'GB',
  Mb: 'MB',
  Gb: 'GB',
  kib: 'KiB',
  mib: 'MiB',
  gib: 'GiB',
  '$/hr': '$/h',
  '$/hour': '$/h',
  'USD/h': '$/h',
  usd: '$/run',
  $: '$/run',
  joule: 'J',
  joules: 'J',
  j: 'J',
  kj: 'kJ',
  wh: 'Wh',
  percent: '%',
  watt: 'W',
  watts: 'W',
  w: 'W',
  mw: 'mW',
  kw: 'kW',
}

/** A quantity with one of the given dimensions. `code` is what a wrong unit is reported as. */
export function readQuantity(
  value: Value,
  dimensions: readonly Dimension[],
  example: string,
  code: 'HM210' | 'HM702',
  report: Report,
): Quantity | null {
  const units = dimensions.flatMap((dimension) => unitsOf(dimension))
  if (value.kind === 'number') {
    report.add(
      code,
      value,
      `A unit is missing; write a text such as '${example}' (units: ${units.join(', ')}).`,
      {
        fixes: units
          .slice(0, 3)
          .map((unit) => replace(`Write '${value.value}${unit}'`, value, `'${value.value}${unit}'`, false)),
      },
    )
    return null
  }
  if (value.kind !== 'string') {
    wrongKind(report, value, `a quantity such as '${example}'`)
    return null
  }
  const quantity = parseQuantity(value.value, dimensions)
  if (quantity) return quantity
  const written = value.value.trim()
  const number = /^[\d.]+(?:[eE][+-]?\d+)?/.exec(written)?.[0] ?? ''
  const word = number === '' ? '' : written.slice(number.length).trimStart()
  const meant = Object.hasOwn(UNIT_WORDS, word) ? (UNIT_WORDS[word] as string) : null
  const fixed = meant && parseQuantity(`${number}${meant}`, dimensions) ? `${number}${meant}` : null
  report.add(
    code,
    value,
    fixed
      ? `'${word}' is no unit; write '${fixed}'.`
      : `'${value.value}' is no quantity that fits here; write a number of at least 0 with one of the units ${units.join(', ')}, such as '${example}'.`,
    {
      fixes: fixed
        ? [
            replace(
              `Write '${fixed}'`,
              value,
              quoteString(fixed, value.quote),
              meant !== 'min' && meant !== '$/run',
            ),
          ]
        : [],
    },
  )
  return null
}

/** A quantity that has a range (HM215); one outside of it is reported and still read. */
export function readBounded(
  value: Value,
  name: BoundedQuantity,
  dimensions: readonly Dimension[],
  example: string,
  report: Report,
): Quantity | null {
  const quantity = readQuantity(value, dimensions, example, 'HM210', report)
  const fault = quantity && boundsFault(name, quantity)
  if (fault) report.add('HM215', value, `${fault} Write one such as '${example}'.`)
  return quantity
}

/** A value of a task argument; bare names that are no known task or data become `{ name }`. */
export function toArgValue(value: Value, known: ReadonlySet<string>, bare: (ref: Ref) => void): ArgValue {
  switch (value.kind) {
    case 'string':
    case 'number':
    case 'boolean':
      return value.value
    case 'none':
    case 'bad':
      return null
    case 'name':
      bare({ name: value.name, quoted: false, from: value.from, to: value.to })
      return known.has(value.name) ? value.name : { name: value.name }
    case 'list':
      return value.items.map((item) => toArgValue(item.value, known, bare))
    case 'dict': {
      const result: { [key: string]: ArgValue } = {}
      for (const entry of value.entries)
        if (entry.key !== '__proto__') result[entry.key] = toArgValue(entry.value, known, bare)
      return result
    }
  }
}

/** Where the value of an argument stands; `null` without the argument. */
export const spanOf = (argument: Argument | undefined): Span | null =>
  argument ? { from: argument.value.from, to: argument.value.to } : null
