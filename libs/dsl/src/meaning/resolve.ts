/** From statements to the model: which statement says what. Reports what is wrong with single statements. */
import type { ArgValue } from '@hivemind/workflow'
import type { Argument, Source } from '../syntax/syntax.ts'
import { bind } from './bind.ts'
import { readConstraints } from './constraints.ts'
import { directivesOf, syncOf } from './directives.ts'
import type { Bound, DataDef, Model, Ref, RelationDef, TaskDef } from './model.ts'
import { type Report, replace } from './report.ts'
import { HEADS, STATEMENTS } from './statements.ts'
import {
  isMediaType,
  readBounded,
  readChoice,
  readQuantity,
  readRef,
  readRefs,
  readText,
  spanOf,
  toArgValue,
} from './values.ts'

/** Reads the statements of a source into a model. */
export function resolve(source: Source, report: Report): Model {
  const model: Model = {
    source,
    graphs: [],
    listed: [],
    list: null,
    constraintDict: null,
    tasks: [],
    data: [],
    relations: [],
    directives: [],
    constraints: [],
    directiveStatements: [],
    bareNames: [],
    taskRefs: report.refs.task,
    dataRefs: report.refs.data,
  }
  const bounds = bindAll(source, report)
  const known = namesIn(bounds)
  for (const bound of bounds) {
    const { head } = bound.spec
    if (head === 'TaskGraph') addGraph(model, bound, report)
    else if (head === 'Task') addTask(model, bound, known, report)
    else if (head === 'Data') addData(model, bound, report)
    else if (head === 'Parallel' || head === 'Overlap' || head === 'Serial') addRelation(model, bound, report)
    else addDirective(model, bound, report)
  }
  model.directives.sort((a, b) => a.span.from - b.span.from)
  return model
}

function bindAll(source: Source, report: Report): Bound[] {
  const bounds: Bound[] = []
  for (const statement of source.statements) {
    const word = statement.head.text
    let spec = STATEMENTS.get(word)
    if (!spec) {
      const meant = report.nearest(word, HEADS)
      report.add(
        'HM201',
        statement.head,
        `There is no statement '${word}'; ${meant ? `did you mean '${meant}'?` : `the statements are ${[...HEADS].join(', ')}.`}`,
        {
          fixes: meant ? [replace(`Write '${meant}'`, statement.head, meant, true)] : [],
        },
      )
      // Read as what was most likely meant, so that the rest of the text is not reported for it.
      spec = meant ? STATEMENTS.get(meant) : undefined
    }
    if (spec) bounds.push(bind(source, statement, spec, report))
  }
  return bounds
}

/** The names of all tasks and data, which bare names in task arguments stand for. */
function namesIn(bounds: readonly Bound[]): Set<string> {
  const names = new Set<string>()
  const add = (argument: Argument | undefined) => {
    const values =
      argument?.value.kind === 'list'
        ? argument.value.items.map((item) => item.value)
        : argument
          ? [argument.value]
          : []
    for (const value of values) {
      if (value.kind === 'string') names.add(value.value)
      if (value.kind === 'name') names.add(value.name)
    }
  }
  for (const { spec, args } of bounds) {
    if (spec.head === 'Task') for (const parameter of ['name', 'dataIn', 'dataOut']) add(args.get(parameter))
    if (spec.head === 'Data') add(args.get('name'))
  }
  return names
}

function addGraph(model: Model, bound: Bound, report: Report) {
  model.graphs.push(bound)
  const list = bound.args.get('list')
  const first = model.graphs.length === 1
  if (list) {
    const refs = readRefs(list.value, 'task', report)
    if (first) model.listed = refs
    if (first && list.value.kind === 'list') model.list = list.value
  }
  const constraint = bound.args.get('constraint')
  if (constraint && first) readConstraints(model, constraint, report)
}

function addTask(model: Model, bound: Bound, known: ReadonlySet<string>, report: Report) {
  const { args } = bound
  const name = args.get('name')
  const ref = name ? readRef(name.value, 'task', report) : null
  const read = (key: string, what: 'task' | 'data'): Ref[] | null => {
    const argument = args.get(key)
    return argument ? readRefs(argument.value, what, report) : null
  }
  const dataOutArgument = args.get('dataOut')
  const dataOut =
    dataOutArgument && dataOutArgument.value.kind !== 'none'
      ? readRef(dataOutArgument.value, 'data', report)
      : null
  const code = args.get('code')
  const dataIn = read('dataIn', 'data') ?? []
  const parents = read('parentTask', 'task')
  const children = read('childTask', 'task')
  if (!ref) return
  const bareNames: Ref[] = []
  const others: Record<string, ArgValue> = {}
  for (const argument of bound.others) {
    const key = argument.keyword?.text
    if (key) others[key] = toArgValue(argument.value, known, (bare) => bareNames.push(bare))
  }
  model.bareNames.push(...bareNames)
  const task: TaskDef = {
    bound,
    ref,
    dataIn,
    dataOut,
    code: code ? (readText(code, report, 'the path of the code in quotes') ?? '') : '',
    codeSpan: spanOf(code),
    parents,
    children,
    args: others,
  }
  model.tasks.push(task)
  const sync = syncOf(bound, ref, report)
  if (sync) model.directives.push(sync)
}

function addData(model: Model, bound: Bound, report: Report) {
  const name = bound.args.get('name')
  const ref = name ? readRef(name.value, 'data', report) : null
  const fields: DataDef['fields'] = {}
  const kind = bound.args.get('kind')
  const kindValue = kind ? readChoice(kind, ['object', 'stream'] as const, report) : null
  if (kindValue) fields.kind = kindValue
  const type = bound.args.get('type')
  const typeValue = type ? readText(type, report, "a media type in quotes, such as 'image/jpeg'") : null
  if (type && typeValue !== null) {
    if (isMediaType(typeValue)) fields.type = typeValue
    else
      report.add(
        'HM408',
        type.value,
        `'${typeValue}' is no media type; write one such as 'image/jpeg' or 'application/json'.`,
      )
  }
  const size = bound.args.get('size')
  const sizeValue = size ? readQuantity(size.value, ['size'], '2MB', 'HM210', report) : null
  if (sizeValue) fields.size = sizeValue.text
  const rate = bound.args.get('rate')
  const rateValue = rate ? readBounded(rate.value, 'rate', ['rate'], '8/s', report) : null
  if (rateValue) fields.rate = rateValue.text
  const stays = bound.args.get('stays')
  const staysValue = stays ? readChoice(stays, ['device'] as const, report) : null
  if (staysValue) fields.stays = staysValue
  if (ref) model.data.push({ bound, ref, fields })
}

function addDirective(model: Model, bound: Bound, report: Report) {
  const argument = bound.args.get('task')
  const task = argument ? readRef(argument.value, 'task', report) : null
  if (task) model.directiveStatements.push({ bound, task })
  model.directives.push(...directivesOf(bound, task, report))
}

function addRelation(model: Model, bound: Bound, report: Report) {
  const [a, b] = ['a', 'b'].map((key) => {
    const argument = bound.args.get(key)
    return argument ? readRef(argument.value, 'task', report) : null
  })
  const kind = bound.spec.head.toLowerCase() as RelationDef['kind']
  const within = bound.args.get('scope')
  const scope = within ? readChoice(within, ['swarm'] as const, report) : null
  if (a && b) model.relations.push({ bound, kind, a, b, ...(scope ? { scope } : {}) })
}
