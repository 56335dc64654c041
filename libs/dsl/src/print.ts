/** The house style: how the language looks when nobody has written it by hand. */
import {
  type ArgValue,
  type DataItem,
  placeText,
  type Relation,
  type SyncCondition,
  type Task,
  type Workflow,
} from '@hivemind/workflow'
import { conditionText } from './meaning/directives.ts'
import { STATEMENTS } from './meaning/statements.ts'
import { isBareName, isName, isReserved, quoteString, quoteValue } from './syntax/literal.ts'

const WIDTH = 100

/**
 * The text of a workflow: canonical, and valid Python 3. `check` reads the same workflow out of it.
 * Throws an Error when the workflow holds what the language cannot say (a name or keyword that is none).
 */
export function print(workflow: Workflow): string {
  const constraints = workflow.constraints.map(({ key, limit }) => `${key}=${quoteString(limit.text)}`)
  const blocks = [
    call('TaskGraph', [
      `list=${quoteValue(workflow.tasks.map((task) => nameOf(task.name)))}`,
      ...(constraints.length > 0 ? [`constraint=dict(${constraints.join(', ')})`] : []),
    ]),
    workflow.data
      .filter((item) => item.declared)
      .map((item) => printData(item))
      .join('\n'),
    ...workflow.tasks.map((task) => printTask(task)),
    workflow.relations.map((relation) => printRelation(relation)).join('\n'),
    workflow.tasks.flatMap(printDirectives).join('\n'),
  ]
  return `${blocks.filter((block) => block !== '').join('\n\n')}\n`
}

/** `Serial(a, b, scope='swarm')` and the like. */
export const printRelation = ({ kind, a, b, scope }: Relation, quote: '"' | "'" = "'"): string =>
  call(capital(kind), [printName(a), printName(b), ...(scope ? [`scope=${quoteString(scope, quote)}`] : [])])

const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)

function nameOf(name: string): string {
  if (!isName(name)) throw new Error(`'${name}' cannot be a name in a workflow: use letters, digits and '_'.`)
  return name
}

/** A task or data name, bare where Python allows it. */
export const printName = (name: string): string => (isBareName(nameOf(name)) ? name : quoteString(name))

/** `head(args)`, on one line where it fits, otherwise one argument to a line. */
export function call(head: string, args: readonly string[]): string {
  const line = `${head}(${args.join(', ')})`
  return line.length <= WIDTH ? line : `${head}(\n${args.map((arg) => `    ${arg},\n`).join('')})`
}

/** `key=value`. Throws an Error when the key cannot be the name of an argument. */
export function printKeyword(key: string, value: ArgValue, quote: '"' | "'" = "'"): string {
  if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key) || isReserved(key) || key === '__proto__')
    throw new Error(
      `'${key}' cannot be the name of an argument: use letters, digits and '_', and no word of Python.`,
    )
  return `${key}=${quoteValue(value, quote)}`
}

/** `None`, a name, or a list of names. */
export function printDataIn(names: readonly string[]): string {
  if (names.length === 0) return 'None'
  const [first] = names
  return names.length === 1 && first !== undefined ? printName(first) : `[${names.map(printName).join(', ')}]`
}

/** `None` or a name. */
export const printDataOut = (name: string | null): string => (name === null ? 'None' : printName(name))

const PARAMETERS = new Set(STATEMENTS.get('Task')?.parameters.map(({ name }) => name))

/** The Task statement, with its edges and arguments but without directives. */
export function printTask(task: Omit<Task, 'directives'>, quote: '"' | "'" = "'"): string {
  return call('Task', [
    printName(task.name),
    printDataIn(task.dataIn),
    printDataOut(task.dataOut),
    quoteString(task.code, quote),
    ...Object.entries(task.args).map(([key, value]) => {
      if (PARAMETERS.has(key))
        throw new Error(`'${key}' is an argument of every Task and cannot be one of the task's own.`)
      return printKeyword(key, value, quote)
    }),
    `parentTask=${task.parents.length === 0 ? 'None' : quoteValue(task.parents.map(nameOf), quote)}`,
    `childTask=${quoteValue(task.children.map(nameOf), quote)}`,
  ])
}

/** The Data statement. */
export function printData(
  { name, kind, type, size, rate, stays }: Omit<DataItem, 'declared'>,
  quote: '"' | "'" = "'",
): string {
  const fields = { kind, type, size: size?.text, rate: rate?.text, stays }
  const args = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [printKeyword(key, value, quote)],
  )
  return call('Data', [printName(name), ...args])
}

/** The Synchronize statement. */
export const printSynchronize = (task: string, condition: SyncCondition, quote: '"' | "'" = "'"): string =>
  call('Synchronize', [printName(task), quoteString(conditionText(condition), quote)])

function printDirectives({ name, directives }: Task): string[] {
  const task = printName(name)
  const { synchronize, schedule, isolate, place, restore, learn, persist } = directives
  const lines: string[] = []
  if (synchronize) lines.push(printSynchronize(name, synchronize))
  const wishes = Object.entries({
    priority: schedule?.priority,
    deadline: schedule?.deadline?.text,
    onMiss: schedule?.onMiss,
  }).flatMap(([key, value]) => (value === undefined ? [] : [printKeyword(key, value)]))
  if (wishes.length > 0) lines.push(call('Schedule', [task, ...wishes]))
  if (isolate) lines.push(call('Isolate', [task]))
  if (place) lines.push(call('Place', [task, quoteString(placeText(place))]))
  if (restore) lines.push(call('Restore', [task, quoteString(restore)]))
  if (learn) lines.push(call('Learn', [task, quoteString(learn)]))
  if (persist) lines.push(call('Persist', [task]))
  return lines
}
