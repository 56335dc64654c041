/** What can be written at a position. */
import { isOp, OP_NAMES, OPS } from '@hivemind/nfu'
import { type Dimension, unitsOf } from '@hivemind/workflow'
import { type Analysis, analyse } from '../analysis.ts'
import { CONSTRAINTS, KNOWN_TASK_ARGUMENTS, type Parameter, STATEMENTS } from '../meaning/statements.ts'
import { lineStartOf } from '../syntax/layout.ts'
import { scan } from '../syntax/scan.ts'
import type { Value } from '../syntax/syntax.ts'
import type { CheckContext } from '../types.ts'
import { type Place, placeAt } from './place.ts'

/** A completion that an editor can offer at a position. */
export interface Completion {
  label: string
  kind: 'statement' | 'argument' | 'task' | 'data' | 'value' | 'unit' | 'function'
  detail: string
  /** What to put in place of the text from `from` to the position. */
  insert: string
}

/** The names that `Edge:` may be followed by, as far as they are known. */
type Places = Pick<CheckContext, 'deviceClasses' | 'edgeNodes' | 'devices'>

/** The completions at an offset; they replace the text from `from` up to it. Never throws. */
export function completionsAt(
  text: string,
  pos: number,
  places: Places = {},
): { from: number; options: Completion[] } {
  const at = Math.max(0, Math.min(pos, text.length))
  const analysis = analyse(text)
  const inText = scan(text.slice(0, at)).at(-1)
  const open =
    inText?.kind === 'string' &&
    (inText.unclosed || inText.to === at) &&
    (inText.unclosed || text[at - 1] !== inText.text[0] || inText.text.length === 1)
  if (commented(text, at)) return { from: at, options: [] }
  if (open && inText) return inString(analysis, text, at, inText.from, places)
  const word = wordBefore(text, at)
  const from = at - word.length
  const place = placeAt(analysis, at)
  const options = place.statement
    ? bareOptions(analysis, text, at, place, places)
    : statementOptions(text, from)
  return { from, options: ranked(options, word) }
}

/** The name that ends at a position; names have at most 100 characters. */
const wordBefore = (text: string, at: number): string =>
  /[A-Za-z_]\w*$/.exec(text.slice(Math.max(0, at - 100), at))?.[0] ?? ''

/** Whether the position is in a comment. */
function commented(text: string, at: number): boolean {
  const line = text.slice(lineStartOf(text, at), at)
  const hash = line.replace(/'[^']*'|"[^"]*"/g, (quoted) => ' '.repeat(quoted.length)).indexOf('#')
  return hash >= 0 && !/['"]/.test(line.slice(0, hash).replace(/'[^']*'|"[^"]*"/g, ''))
}

function ranked(options: readonly Completion[], word: string): Completion[] {
  const low = word.toLowerCase()
  const starts = options.filter(({ label }) => label.toLowerCase().startsWith(low))
  return [
    ...starts,
    ...options.filter((one) => !starts.includes(one) && low !== '' && one.label.toLowerCase().includes(low)),
  ]
}

function statementOptions(text: string, from: number): Completion[] {
  const before = text.slice(lineStartOf(text, from), from).trimEnd()
  if (before !== '' && !before.endsWith(';')) return []
  return [...STATEMENTS.values()].map(({ head, help, parameters }) => ({
    label: head,
    kind: 'statement',
    detail: `${head}(${parameters.map(({ name, required }) => (required ? name : `${name}=..`)).join(', ')}): ${help}`,
    insert: `${head}(`,
  }))
}

const names = (analysis: Analysis, what: 'task' | 'data'): string[] => {
  const { model } = analysis
  if (what === 'task')
    return [...new Set([...model.tasks.map(({ ref }) => ref.name), ...model.listed.map(({ name }) => name)])]
  return [...new Set(model.dataRefs.map(({ name }) => name))]
}

function bareOptions(
  analysis: Analysis,
  text: string,
  at: number,
  place: Place,
  places: Places,
): Completion[] {
  const { statement, spec, argument, parameter, nested } = place
  if (!statement || !spec) return []
  const values = parameter
    ? valueOptions(analysis, parameter, place, (value) => `'${value}'`, text, at, places)
    : []
  if (nested || argument?.keyword)
    return argument?.keyword && at <= argument.keyword.to ? keywordOptions(place) : values
  return [...values, ...keywordOptions(place)]
}

function keywordOptions({ statement, spec, argument }: Place): Completion[] {
  if (!statement || !spec) return []
  const given = new Set(
    statement.args.flatMap((one) => (one.keyword && one !== argument ? [one.keyword.text] : [])),
  )
  const byPlace = statement.args.filter((one) => !one.keyword && one !== argument).length
  const open = spec.parameters.filter(
    (one, index) => !given.has(one.name) && (one.keywordOnly || index >= byPlace),
  )
  const known = spec.head === 'Task' ? KNOWN_TASK_ARGUMENTS.filter(({ name }) => !given.has(name)) : []
  return [...open, ...known].map(({ name, help }) => ({
    label: `${name}=`,
    kind: 'argument',
    detail: help,
    insert: `${name}=`,
  }))
}

/** The values a parameter can have, written by `quote` where they are texts. */
function valueOptions(
  analysis: Analysis,
  parameter: Parameter,
  place: Place,
  quote: (value: string) => string,
  text: string,
  at: number,
  places: Places,
): Completion[] {
  const bare = (name: string) => (place.nested ? quote(name) : name)
  const refs = (what: 'task' | 'data', write: (name: string) => string): Completion[] =>
    names(analysis, what).map((name) => ({
      label: name,
      kind: what,
      detail: what === 'task' ? 'Task' : 'Data',
      insert: write(name),
    }))
  const none: Completion = { label: 'None', kind: 'value', detail: 'Nothing', insert: 'None' }
  switch (parameter.value) {
    case 'task':
      return place.spec?.head === 'Task' ? [] : refs('task', bare)
    case 'tasks': {
      const own = place.statement?.head.text === 'Task' ? nameOf(place) : null
      const value = place.argument?.value
      const used =
        value?.kind === 'list'
          ? value.items.filter((item) => at < item.from || at > item.to).map((item) => wordOf(item.value))
          : []
      const list = refs('task', place.nested ? quote : (name) => `[${quote(name)}]`).filter(
        ({ label }) => label !== own && !used.includes(label),
      )
      return place.nested || place.spec?.head === 'TaskGraph' ? list : [...list, none]
    }
    case 'data':
    case 'dataList':
      return [...refs('data', bare), ...(place.nested ? [] : [none])]
    case 'code':
      return functionOptions(text, at, quote)
    case 'place':
      return [...(parameter.choices ?? []), ...placeNames(places)].map((choice) => ({
        label: choice,
        kind: 'value',
        detail: parameter.help,
        insert: quote(choice),
      }))
    case 'choice':
    case 'text':
    case 'count':
      return (parameter.choices ?? []).map((choice) => ({
        label: choice,
        kind: 'value',
        detail: parameter.help,
        insert: quote(choice),
      }))
    case 'quantity':
      return units(text, at, parameter.dimensions ?? [], parameter.help)
    case 'constraints':
      return constraintOptions(place, text, at)
    default:
      return []
  }
}

/** Network functions, and behind `nfu:OP?` their parameters that are not given yet. */
function functionOptions(text: string, at: number, quote: (value: string) => string): Completion[] {
  const begun = /nfu:(\w+)\?([^'"\r\n]{0,200})$/.exec(text.slice(Math.max(0, at - 240), at))
  const [, op = '', query = ''] = begun ?? []
  if (!begun || !isOp(op))
    return OP_NAMES.map((one) => ({
      label: `nfu:${one}`,
      kind: 'function',
      detail: `Network function. ${OPS[one].help}`,
      insert: quote(`nfu:${one}`),
    }))
  const before = `nfu:${op}?${query.slice(0, query.lastIndexOf('&') + 1)}`
  return OPS[op].parameters
    .filter(({ name }) => !new RegExp(`[?&]${name}=`).test(before))
    .map(({ name, help }) => ({
      label: `${before}${name}=`,
      kind: 'function',
      detail: help,
      insert: `${before}${name}=`,
    }))
}

function nameOf({ statement }: Place): string | null {
  const value = statement?.args[0]?.value
  return value ? wordOf(value) : null
}

const wordOf = (value: Value): string | null =>
  value.kind === 'name' ? value.name : value.kind === 'string' ? value.value : null

function constraintOptions({ nested, key }: Place, text: string, at: number): Completion[] {
  if (key) {
    const spec = CONSTRAINTS.find((one) => one.key === key)
    return spec ? units(text, at, spec.dimensions, spec.help) : []
  }
  if (!nested)
    return [{ label: 'dict(...)', kind: 'value', detail: 'The constraints, by name', insert: 'dict(' }]
  return CONSTRAINTS.map((one) => ({
    label: `${one.key}=`,
    kind: 'argument',
    detail: one.help,
    insert: `${one.key}='${one.example}'`,
  }))
}

/** Units behind the number before the position. */
function units(text: string, at: number, dimensions: readonly Dimension[], help: string): Completion[] {
  const number = /['"]\s*([\d.]+)\s*[\w/$%]*$/.exec(text.slice(Math.max(0, at - 60), at))?.[1]
  if (number === undefined) return []
  return dimensions
    .flatMap((dimension) => unitsOf(dimension))
    .map((unit) => ({ label: `${number}${unit}`, kind: 'unit', detail: help, insert: `${number}${unit}` }))
}

/** Inside quotes: the values without them. */
/** `Edge:` with the names of classes, edge nodes and devices; alone where none is known. */
function placeNames({ deviceClasses = [], edgeNodes = [], devices = [] }: Places): string[] {
  const names = new Set([...deviceClasses, ...edgeNodes, ...devices])
  return names.size > 0 ? [...names].map((name) => `Edge:${name}`) : ['Edge:']
}

function inString(
  analysis: Analysis,
  text: string,
  at: number,
  start: number,
  places: Places,
): { from: number; options: Completion[] } {
  const from = start + (/^[A-Za-z]*(?:'''|"""|'|")/.exec(text.slice(start, at))?.[0].length ?? 1)
  const place = placeAt(analysis, at)
  if (!place.parameter) return { from, options: [] }
  const options = valueOptions(
    analysis,
    place.parameter,
    { ...place, nested: place.parameter.value === 'constraints' ? place.nested : true },
    (value) => value,
    text,
    at,
    places,
  )
  return {
    from,
    options: ranked(
      options.filter(({ kind, insert }) => kind !== 'argument' && insert !== 'None'),
      text.slice(from, at),
    ),
  }
}
