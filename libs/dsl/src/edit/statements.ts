/** Edits of directives, relations, constraints and data descriptions. */
import { boundsFault, type ConstraintKey, parseQuantity } from '@hivemind/workflow'
import type { DirectiveEdit, DirectiveValues, GraphEdit } from '../edits.ts'
import { conditionText, parseCondition, parsePlace } from '../meaning/directives.ts'
import type { Bound, RelationDef } from '../meaning/model.ts'
import { CONSTRAINTS, STATEMENTS } from '../meaning/statements.ts'
import { isMediaType } from '../meaning/values.ts'
import { call, printKeyword, printName, printRelation } from '../print.ts'
import { elementInsertion, elementRemoval } from '../syntax/layout.ts'
import { quoteString, quoteValue } from '../syntax/literal.ts'
import type { DataFields } from '../types.ts'
import { demandName, EditError, type Editor } from './editor.ts'
import { argumentValue, demandGraph } from './tasks.ts'

type RelationEdit = Extract<GraphEdit, { kind: 'setRelation' }>

const HEAD_OF = {
  synchronize: 'Synchronize',
  schedule: 'Schedule',
  isolate: 'Isolate',
  place: 'Place',
  restore: 'Restore',
  learn: 'Learn',
  persist: 'Persist',
} as const

/** Sets or removes a directive of a task. Throws an EditError when the value is not possible. */
export function setDirective(editor: Editor, edit: DirectiveEdit) {
  const { task, directive, value } = edit
  editor.task(task)
  const head = HEAD_OF[directive]
  if (value === null || value === undefined || (directive === 'schedule' && Object.keys(value).length === 0))
    removeDirective(editor, task, head)
  else if (edit.directive === 'schedule') setSchedule(editor, task, edit.value ?? {})
  else if (value === true) {
    if (statementsOf(editor, task, head).length === 0) insertDirective(editor, task, head, [])
  } else setValue(editor, edit)
}

const statementsOf = (editor: Editor, task: string, head: string): Bound[] =>
  editor.model.directiveStatements
    .filter((one) => one.task.name === task && one.bound.spec.head === head)
    .map(({ bound }) => bound)

function removeDirective(editor: Editor, task: string, head: string) {
  removeStatements(editor, () => statementsOf(editor, task, head)[0])
  if (head !== 'Synchronize') return
  const { bound } = editor.task(task)
  const sync = bound.args.get('sync')
  if (sync)
    editor.change(elementRemoval(editor.text, bound.statement.args, bound.statement.args.indexOf(sync)))
}

function removeStatements(editor: Editor, next: () => Bound | undefined) {
  for (let bound = next(); bound; bound = next()) editor.remove(bound.statement)
}

/** Behind the last directive of the same task, or else behind the last of all. */
function insertDirective(editor: Editor, task: string, head: string, args: readonly string[]) {
  const near = editor.model.directiveStatements.filter((one) => one.task.name === task).at(-1)
    ?.bound.statement
  editor.insert(head, call(head, [printName(task), ...args]), near)
}

function setValue(editor: Editor, edit: DirectiveEdit) {
  const { task, directive } = edit
  const head = HEAD_OF[directive]
  const written = writtenValue(edit)
  const sync = directive === 'synchronize' ? editor.task(task).bound : undefined
  if (sync?.args.has('sync')) {
    replaceText(editor, sync, 'sync', written)
    removeStatements(editor, () => statementsOf(editor, task, head)[0])
    return
  }
  const [first] = statementsOf(editor, task, head)
  if (!first) return insertDirective(editor, task, head, [quoteString(written, editor.quote)])
  const parameter = STATEMENTS.get(head)?.parameters[1]?.name ?? ''
  replaceText(editor, first, parameter, written)
  removeStatements(editor, () => statementsOf(editor, task, head)[1])
}

/** What the language writes for the value. Throws an EditError when it is none of the possible ones. */
function writtenValue(edit: DirectiveEdit): string {
  const { directive, value } = edit
  if (directive === 'synchronize' && value !== null && typeof value === 'object') {
    const text = conditionText(value)
    if (parseCondition(text)) return text
    throw new EditError(`'${text}' is no condition; use 'all', 'any' or a count from 1.`)
  }
  const text = String(value)
  if (directive === 'place') {
    if (!parsePlace(text))
      throw new EditError(
        `'${text}' is no placement; use 'Cloud', 'Edge:all', 'Edge:<class or device>' or 'Fabric'.`,
      )
    return text
  }
  const choices = STATEMENTS.get(HEAD_OF[directive])?.parameters[1]?.choices ?? []
  if (!choices.includes(text))
    throw new EditError(`'${text}' is no value of ${HEAD_OF[directive]}; use one of ${choices.join(', ')}.`)
  return text
}

/** Writes a text as an argument, unless it is there already, in the quotes it is written in. */
function replaceText(editor: Editor, bound: Bound, parameter: string, text: string) {
  const value = bound.args.get(parameter)?.value
  if (value?.kind === 'string' && value.value === text) return
  if (value?.kind === 'number' && String(value.value) === text) return
  editor.setArgument(
    bound,
    parameter,
    quoteString(text, value?.kind === 'string' ? value.quote : editor.quote),
  )
}

function setSchedule(editor: Editor, task: string, values: DirectiveValues['schedule']) {
  demandSchedule(values)
  const written = Object.entries(values).flatMap(([key, value]) =>
    value === undefined ? [] : [{ key, value, text: printKeyword(key, value, editor.quote) }],
  )
  const find = () => statementsOf(editor, task, 'Schedule')[0]
  if (!find())
    return insertDirective(
      editor,
      task,
      'Schedule',
      written.map(({ text }) => text),
    )
  removeStatements(editor, () => statementsOf(editor, task, 'Schedule')[1])
  for (;;) {
    const { statement } = find() as Bound
    const index = statement.args.findIndex(
      ({ keyword }) => keyword && keyword.text !== 'task' && !Object.hasOwn(values, keyword.text),
    )
    if (index < 0) break
    editor.change(elementRemoval(editor.text, statement.args, index))
  }
  for (const { key, value } of written) {
    const bound = find() as Bound
    const argument = bound.statement.args.find(({ keyword }) => keyword?.text === key)
    if (
      argument &&
      argument.value.kind !== 'bad' &&
      JSON.stringify(argumentValue(argument)) === JSON.stringify(value)
    )
      continue
    editor.setArgument(
      bound,
      key,
      quoteValue(value, argument?.value.kind === 'string' ? argument.value.quote : editor.quote),
    )
  }
}

/** Throws an EditError when the arguments are none that `Schedule` takes. */
function demandSchedule(values: DirectiveValues['schedule']) {
  const { priority, deadline, onMiss, ...others } = values
  const [unknown] = Object.keys(others)
  if (unknown !== undefined)
    throw new EditError(`Schedule has no argument '${unknown}'; it takes priority, deadline and onMiss.`)
  if (priority !== undefined && (typeof priority !== 'number' || !Number.isFinite(priority)))
    throw new EditError('A priority is a finite number.')
  if (onMiss !== undefined && onMiss !== 'drop')
    throw new EditError(`'${String(onMiss)}' is no value of onMiss; use 'drop', or leave it away.`)
  if (deadline === undefined) return
  const quantity = typeof deadline === 'string' ? parseQuantity(deadline, ['time']) : null
  const fault = quantity ? boundsFault('deadline', quantity) : "A deadline is a time such as '200ms'."
  if (fault) throw new EditError(fault)
}

/** Sets or removes the relation of two tasks. Throws an EditError when it makes no sense. */
export function setRelation(editor: Editor, { a, b, relation, scope }: RelationEdit) {
  editor.task(a)
  editor.task(b)
  if (a === b) throw new EditError('A relation needs two different tasks.')
  if (scope && relation !== 'serial')
    throw new EditError("Only Serial takes scope='swarm'; leave the scope away, or choose Serial.")
  const ofPair = () =>
    editor.model.relations.filter(
      (one) => (one.a.name === a && one.b.name === b) || (one.a.name === b && one.b.name === a),
    )
  if (relation === null) return removeStatements(editor, () => ofPair()[0]?.bound)
  const head = relation.charAt(0).toUpperCase() + relation.slice(1)
  if (!ofPair()[0]) return editor.insert(head, printRelation({ kind: relation, a, b, scope }, editor.quote))
  const first = () => ofPair()[0] as RelationDef
  const { statement } = first().bound
  const index = scope ? -1 : statement.args.findIndex(({ keyword }) => keyword?.text === 'scope')
  if (index >= 0) editor.change(elementRemoval(editor.text, statement.args, index))
  setHead(editor, first(), head, relation !== 'parallel' && first().a.name !== a)
  if (scope) replaceText(editor, first().bound, 'scope', scope)
  removeStatements(editor, () => ofPair()[1]?.bound)
}

/** Writes another relation over the two tasks of a statement, and swaps the two where wanted. */
function setHead(editor: Editor, { a, b, bound }: RelationDef, head: string, isTurned: boolean) {
  const { text } = editor
  const { from, to } = bound.statement.head
  editor.change([
    { from, to, insert: head },
    ...(isTurned
      ? [
          { from: a.from, to: a.to, insert: text.slice(b.from, b.to) },
          { from: b.from, to: b.to, insert: text.slice(a.from, a.to) },
        ]
      : []),
  ])
}

/** Sets a constraint of the TaskGraph; `null` removes it. Throws an EditError when the limit is not possible. */
export function setConstraint(editor: Editor, key: ConstraintKey, value: string | null) {
  const spec = CONSTRAINTS.find((one) => one.key === key)
  if (!spec)
    throw new EditError(
      `There is no constraint '${key}'; use one of ${CONSTRAINTS.map((one) => one.key).join(', ')}.`,
    )
  if (value !== null && !parseQuantity(value, spec.dimensions))
    throw new EditError(`'${value}' is no limit for ${key}; write one such as '${spec.example}'.`)
  if (!editor.model.graphs[0]) {
    if (value === null) return
    demandGraph(editor)
  }
  const entries = () => editor.model.constraintDict?.entries ?? []
  const removeEntry = (index: number) => editor.change(elementRemoval(editor.text, entries(), index))
  if (value === null) {
    for (
      let index = entries().findIndex((entry) => entry.key === key);
      index >= 0;
      index = entries().findIndex((entry) => entry.key === key)
    )
      removeEntry(index)
    const graph = editor.model.graphs[0]
    const argument = graph?.args.get('constraint')
    if (graph && argument && editor.model.constraintDict && entries().length === 0)
      editor.change(elementRemoval(editor.text, graph.statement.args, graph.statement.args.indexOf(argument)))
    return
  }
  const text = value.trim()
  const first = entries().find((entry) => entry.key === key)
  if (first) {
    const before = first.value
    if (before.kind !== 'string' || before.value.trim() !== text)
      editor.change([
        {
          from: before.from,
          to: before.to,
          insert: quoteString(text, before.kind === 'string' ? before.quote : editor.quote),
        },
      ])
    for (;;) {
      const second = entries().findIndex(
        (entry, index) => entry.key === key && entries().findIndex((one) => one.key === key) < index,
      )
      if (second < 0) return
      removeEntry(second)
    }
  }
  addConstraint(editor, key, quoteString(text, editor.quote))
}

function addConstraint(editor: Editor, key: string, value: string) {
  const { model, text } = editor
  const dict = model.constraintDict
  if (dict) {
    const written =
      dict.style === 'braces' ? `${quoteString(key, editor.quote)}: ${value}` : `${key}=${value}`
    editor.change(elementInsertion(text, dict.entries, dict.inner, written))
    return
  }
  const graph = model.graphs[0]
  if (!graph) throw new EditError('There is no TaskGraph to hold the constraint.')
  const argument = graph.args.get('constraint')
  const replaceable =
    !argument ||
    argument.value.kind === 'none' ||
    (argument.value.kind === 'list' && argument.value.items.length === 0)
  if (!replaceable)
    throw new EditError(
      'The constraints of the TaskGraph are in no form that can be edited; write dict(...) first.',
    )
  editor.setArgument(graph, argument?.keyword?.text ?? 'constraint', `dict(${key}=${value})`)
}

/** Sets fields of a Data statement; `null` removes the statement. Throws an EditError when a value is not possible. */
export function setData(editor: Editor, name: string, fields: DataFields | null) {
  const statements = () => editor.model.data.filter(({ ref }) => ref.name === name).map(({ bound }) => bound)
  if (fields === null) return removeStatements(editor, () => statements()[0])
  demandName(name, 'piece of data')
  const given = Object.entries(fields).filter((entry): entry is [string, string] => entry[1] !== undefined)
  for (const [key, value] of given) demandField(key, value)
  if (statements().length === 0) {
    editor.insert(
      'Data',
      call('Data', [
        printName(name),
        ...given.map(([key, value]) => `${key}=${quoteString(value, editor.quote)}`),
      ]),
    )
    return
  }
  for (const [key, value] of given) {
    const holder = statements().find((bound) => bound.args.has(key)) ?? statements()[0]
    if (holder) replaceText(editor, holder, key, value)
  }
}

function demandField(key: string, value: string) {
  if (key === 'stays' && value === 'device') return
  if (key === 'kind' ? value === 'object' || value === 'stream' : key === 'type' ? isMediaType(value) : false)
    return
  if (key === 'size' && parseQuantity(value, ['size'])) return
  const rate = key === 'rate' ? parseQuantity(value, ['rate']) : null
  const fault = rate && boundsFault('rate', rate)
  if (fault) throw new EditError(fault)
  if (rate) return
  const wanted = {
    kind: "'object' or 'stream'",
    type: "a media type such as 'image/jpeg'",
    size: "a size such as '2MB'",
    rate: "a rate such as '8/s'",
    stays: "'device'",
  }[key]
  throw new EditError(
    wanted ? `'${value}' is no ${key} of data; write ${wanted}.` : `Data has no field '${key}'.`,
  )
}
