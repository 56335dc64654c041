/** Edits of tasks, their data and the edges between them. */
import { type ArgValue, ancestorsOf } from '@hivemind/workflow'
import type { NewTask } from '../edits.ts'
import type { Bound, Ref, TaskDef } from '../meaning/model.ts'
import { toArgValue } from '../meaning/values.ts'
import { printTask } from '../print.ts'
import { elementRemoval, statementRemoval } from '../syntax/layout.ts'
import { isBareName, isReserved, quoteString, quoteValue } from '../syntax/literal.ts'
import type { Argument } from '../syntax/syntax.ts'
import type { TextChange } from '../types.ts'
import { demandName, EditError, type Editor, TASK_PARAMETERS } from './editor.ts'
import { addRef, nameLike, removeRef } from './refs.ts'

/** Adds a task, its name to the list, and its edges. Throws an EditError when it makes no sense. */
export function addTask(editor: Editor, task: NewTask) {
  const { name, dataIn = [], dataOut = null, code, parents = [], children = [], args = {} } = task
  demandName(name, 'task')
  for (const data of [...dataIn, ...(dataOut === null ? [] : [dataOut])]) demandName(data, 'piece of data')
  if (editor.model.tasks.some(({ ref }) => ref.name === name))
    throw new EditError(`There is a task '${name}' already; choose another name.`)
  for (const other of [...parents, ...children]) editor.task(other)
  for (const key of Object.keys(args)) demandArgument(key)
  const { workflow } = editor
  for (const parent of parents)
    for (const child of children)
      if (parent === child || ancestorsOf(workflow, parent).has(child))
        throw new EditError(
          `'${name}' cannot run between '${parent}' and '${child}': '${child}' does not run after '${parent}'.`,
        )
  const written = tryPrint(() =>
    printTask({ name, dataIn, dataOut, code, parents, children, args }, editor.quote),
  )
  editor.insert('Task', written)
  addToList(editor, name)
  for (const parent of parents) addEdgeSide(editor, parent, 'childTask', name)
  for (const child of children) addEdgeSide(editor, child, 'parentTask', name)
}

function tryPrint(make: () => string): string {
  try {
    return make()
  } catch (error) {
    throw new EditError(error instanceof Error ? error.message : String(error))
  }
}

/** Makes a TaskGraph with all tasks, when there is none. */
export function demandGraph(editor: Editor) {
  const { model, quote } = editor
  if (model.graphs[0]) return
  const names = [...new Set(model.tasks.map(({ ref }) => ref.name))]
  editor.insert('TaskGraph', `TaskGraph(list=[${names.map((one) => quoteString(one, quote)).join(', ')}])`)
}

function addToList(editor: Editor, name: string) {
  demandGraph(editor)
  const { model, text, quote } = editor
  const graph = model.graphs[0] as Bound
  if (model.listed.some((ref) => ref.name === name)) return
  const list = graph.args.get('list')
  if (!list) editor.setArgument(graph, 'list', `[${quoteString(name, quote)}]`)
  else editor.change(demandRef(addRef(text, list, name, quote), 'list of the TaskGraph'))
}

function demandRef<T>(changes: T | null, what: string): T {
  if (changes === null) throw new EditError(`The ${what} is no list of names; fix it first.`)
  return changes
}

/** Adds a name to one side of an edge, if that side is written. */
function addEdgeSide(editor: Editor, task: string, key: 'parentTask' | 'childTask', name: string) {
  editor.change(edgeSideChanges(editor, task, key, name))
}

/** The changes that add a name to one side of an edge; none when that side is not written, or has the name. */
function edgeSideChanges(
  editor: Editor,
  task: string,
  key: 'parentTask' | 'childTask',
  name: string,
): TextChange[] {
  const definition = editor.task(task)
  const refs = key === 'parentTask' ? definition.parents : definition.children
  const argument = definition.bound.args.get(key)
  if (!refs || !argument || refs.some((ref) => ref.name === name)) return []
  return demandRef(addRef(editor.text, argument, name, editor.quote), `${key} of '${task}'`)
}

/**
 * Removes a task with every statement about it, and its name from the list and from all edges. The text is read again only when
 * a step leaves something behind: a second statement about the task, or a name that is written twice.
 */
export function removeTask(editor: Editor, name: string) {
  editor.task(name)
  for (let left = true; left; ) {
    const { model, text } = editor
    const bound =
      model.tasks.find(({ ref }) => ref.name === name)?.bound ??
      model.relations.find(({ a, b }) => a.name === name || b.name === name)?.bound ??
      model.directiveStatements.find(({ task }) => task.name === name)?.bound
    const without = (argument: Argument | undefined, empty: string): TextChange[] =>
      argument ? removeRef(text, argument, name, empty) : []
    const changes = [
      ...(bound ? [statementRemoval(text, bound.statement)] : []),
      ...without(model.graphs[0]?.args.get('list'), '[]'),
      ...model.tasks
        .filter((task) => task.bound !== bound)
        .flatMap(({ bound: { args } }) => [
          ...without(args.get('parentTask'), 'None'),
          ...without(args.get('childTask'), '[]'),
        ]),
    ]
    editor.change(changes)
    const isTaken = (ref: Ref) => changes.some(({ from, to }) => from <= ref.from && ref.to <= to)
    left = changes.length > 0 && model.taskRefs.some((ref) => ref.name === name && !isTaken(ref))
  }
}

/** Takes a name out of an argument as often as it is there. */
function removeAll(editor: Editor, argument: () => Argument | undefined, name: string, empty: string) {
  for (;;) {
    const at = argument()
    const changes = at ? removeRef(editor.text, at, name, empty) : []
    if (changes.length === 0) return
    editor.change(changes)
  }
}

/** Renames a task in every place where it is named. Throws an EditError when the name is taken or is none. */
export function renameTask(editor: Editor, name: string, to: string) {
  editor.task(name)
  if (name === to) return
  demandName(to, 'task')
  if (editor.model.tasks.some(({ ref }) => ref.name === to))
    throw new EditError(`There is a task '${to}' already; choose another name.`)
  rename(editor, [...editor.model.taskRefs, ...editor.model.bareNames], name, to)
}

/** Renames data in every place where it is named. Throws an EditError when the name is taken or is none. */
export function renameData(editor: Editor, name: string, to: string) {
  const { model } = editor
  if (!model.dataRefs.some((ref) => ref.name === name)) throw new EditError(`There is no data '${name}'.`)
  if (name === to) return
  demandName(to, 'piece of data')
  if (model.dataRefs.some((ref) => ref.name === to))
    throw new EditError(`There is data '${to}' already; choose another name.`)
  const isTask = model.tasks.some(({ ref }) => ref.name === name)
  rename(editor, [...model.dataRefs, ...(isTask ? [] : model.bareNames)], name, to)
}

function rename(editor: Editor, refs: readonly Ref[], name: string, to: string) {
  const places = new Map(refs.filter((ref) => ref.name === name).map((ref) => [ref.from, ref]))
  editor.change(
    [...places.values()].map((ref) => {
      const written = editor.text.slice(ref.from, ref.to)
      const plain = /^(["'])(\w+)\1$/.exec(written)
      if (plain) return { from: ref.from + 1, to: ref.to - 1, insert: to }
      if (ref.quoted) return { from: ref.from, to: ref.to, insert: quoteString(to, editor.quote) }
      return { from: ref.from, to: ref.to, insert: isBareName(to) ? to : quoteString(to, editor.quote) }
    }),
  )
}

/** Adds an edge; with `data`, the child also reads what the parent writes. Throws an EditError on a cycle. */
export function connect(editor: Editor, from: string, to: string, data: boolean) {
  const parent = editor.task(from)
  const child = editor.task(to)
  if (from === to) throw new EditError(`'${from}' cannot be its own parent.`)
  if (ancestorsOf(editor.workflow, from).has(to))
    throw new EditError(`'${to}' runs before '${from}' already; this edge would close a cycle.`)
  const out = parent.dataOut?.name
  if (data && out === undefined)
    throw new EditError(`'${from}' writes no data that '${to}' could read; give it a dataOut first.`)
  if (!parent.bound.args.has('childTask') && !child.bound.args.has('parentTask')) {
    editor.setArgument(editor.task(to).bound, 'parentTask', `[${quoteString(from, editor.quote)}]`)
    editor.setArgument(editor.task(from).bound, 'childTask', `[${quoteString(to, editor.quote)}]`)
  }
  // Both sides are changed in one step, so that the text is read again once.
  editor.change([
    ...edgeSideChanges(editor, from, 'childTask', to),
    ...edgeSideChanges(editor, to, 'parentTask', from),
  ])
  if (data && out !== undefined && !child.dataIn.some((ref) => ref.name === out)) {
    const names = child.dataIn.map((ref) => ref.name)
    setDataIn(editor, to, [...names, out])
  }
}

/**
 * Removes an edge on both sides; with `data`, the child also no longer reads what the parent writes. Throws an EditError when
 * there is none.
 */
export function disconnect(editor: Editor, from: string, to: string, data: boolean) {
  const parent = editor.task(from)
  const child = editor.task(to)
  if (!parent.children?.some(({ name }) => name === to) && !child.parents?.some(({ name }) => name === from))
    throw new EditError(`There is no edge from '${from}' to '${to}'.`)
  removeAll(editor, () => editor.task(from).bound.args.get('childTask'), to, '[]')
  removeAll(editor, () => editor.task(to).bound.args.get('parentTask'), from, 'None')
  const out = parent.dataOut?.name
  const read = child.dataIn.map(({ name }) => name)
  if (data && out !== undefined && read.includes(out))
    setDataIn(
      editor,
      to,
      read.filter((name) => name !== out),
    )
}

/** Sets the code of a task. Throws an EditError when it is empty. */
export function setCode(editor: Editor, task: string, code: string) {
  if (code.trim() === '') throw new EditError('The path of the code cannot be empty.')
  const { bound, code: before } = editor.task(task)
  const value = bound.args.get('code')?.value
  if (value?.kind === 'string' && before === code) return
  editor.setArgument(bound, 'code', quoteString(code, value?.kind === 'string' ? value.quote : editor.quote))
}

/** Sets what a task reads. Names that stay keep their place and their form. */
export function setDataIn(editor: Editor, task: string, names: readonly string[]) {
  for (const name of names) demandName(name, 'piece of data')
  const wanted = [...new Set(names)]
  const definition = editor.task(task)
  const before = definition.dataIn.map((ref) => ref.name)
  if (before.join() === wanted.join() && definition.bound.args.has('dataIn')) return
  const value = definition.bound.args.get('dataIn')?.value
  const kept = before.filter((name) => wanted.includes(name))
  const stepwise =
    value?.kind === 'list' &&
    kept.length > 0 &&
    [...kept, ...wanted.filter((name) => !before.includes(name))].join() === wanted.join()
  if (!stepwise) {
    const neighbour =
      value?.kind === 'list' ? value.items[0]?.value : value?.kind === 'none' ? undefined : value
    const written = wanted.map((name) =>
      neighbour
        ? nameLike(name, neighbour, editor.quote)
        : isBareName(name)
          ? name
          : quoteString(name, editor.quote),
    )
    const [first = 'None'] = written
    editor.setArgument(
      definition.bound,
      'dataIn',
      written.length > 1 || (value?.kind === 'list' && written.length > 0)
        ? `[${written.join(', ')}]`
        : first,
    )
    return
  }
  const argument = () => editor.task(task).bound.args.get('dataIn')
  for (const name of before) if (!wanted.includes(name)) removeAll(editor, argument, name, 'None')
  for (const name of wanted) {
    const at = argument()
    if (at && !before.includes(name))
      editor.change(demandRef(addRef(editor.text, at, name, editor.quote), `dataIn of '${task}'`))
  }
}

/** Sets what a task writes; `null` writes None. */
export function setDataOut(editor: Editor, task: string, name: string | null) {
  if (name !== null) demandName(name, 'piece of data')
  const { bound, dataOut } = editor.task(task)
  const value = bound.args.get('dataOut')?.value
  if (
    value &&
    value.kind !== 'bad' &&
    (dataOut?.name ?? null) === name &&
    (name !== null || value.kind === 'none')
  )
    return
  const written =
    name === null
      ? 'None'
      : value?.kind === 'string' || !isBareName(name)
        ? nameLike(name, value, editor.quote)
        : name
  editor.setArgument(bound, 'dataOut', written)
}

function demandArgument(arg: string) {
  if (TASK_PARAMETERS.has(arg))
    throw new EditError(`'${arg}' is an argument of every task; it has an edit of its own.`)
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(arg) || isReserved(arg) || arg === '__proto__')
    throw new EditError(
      `'${arg}' cannot be the name of an argument: use letters, digits and '_', and no word of Python.`,
    )
}

const isNone = (value: ArgValue | { none: true }): value is { none: true } =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  Object.keys(value).length === 1 &&
  value.none === true

/** Sets an argument of the task itself; `null` removes it. */
export function setArg(editor: Editor, task: string, arg: string, value: ArgValue | { none: true }) {
  demandArgument(arg)
  const definition = editor.task(task)
  const { statement, others } = definition.bound
  const argument = others.find(({ keyword }) => keyword?.text === arg)
  if (value === null) {
    if (argument) editor.change(elementRemoval(editor.text, statement.args, statement.args.indexOf(argument)))
    return
  }
  const wanted = isNone(value) ? null : value
  if (argument && argument.value.kind !== 'bad' && same(definition, arg, wanted)) return
  const before = argument?.value
  editor.setArgument(
    definition.bound,
    arg,
    tryPrint(() => quoteValue(wanted, before?.kind === 'string' ? before.quote : editor.quote)),
  )
}

const same = (task: TaskDef, arg: string, value: ArgValue) =>
  JSON.stringify(task.args[arg]) === JSON.stringify(value)

/** The value of a keyword argument as it is written. */
export const argumentValue = (argument: Argument): ArgValue => toArgValue(argument.value, new Set(), () => {})
