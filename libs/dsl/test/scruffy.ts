/** The same workflow as a person might have written it: comments, odd line breaks, both quotes, any order, any spelling. */
import { type ArgValue, placeText, type Task, type Workflow } from '@hivemind/workflow'
import { isBareName, quoteString, quoteValue } from '../src/syntax/literal.ts'

type Pick = (below: number) => number

export function scruffy(workflow: Workflow, pick: Pick): string {
  const eol = pick(4) === 0 ? '\r\n' : '\n'
  const style = new Style(pick, eol)
  const graph = style.call('TaskGraph', [
    `${style.one('list', 'list', 'edgeList')}=${style.list(workflow.tasks.map((task) => task.name))}`,
    ...(workflow.constraints.length > 0 ? [style.constraints(workflow)] : []),
  ])
  const data = workflow.data
    .filter((item) => item.declared)
    .map((item) =>
      style.call('Data', [
        style.name(item.name),
        ...Object.entries({
          kind: item.kind,
          type: item.type,
          size: item.size?.text,
          rate: item.rate?.text,
          stays: item.stays,
        }).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${style.text(value)}`])),
      ]),
    )
  const tasks = workflow.tasks.map((task) => style.task(task))
  const rest = [
    ...workflow.relations.map(({ kind, a, b, scope }) =>
      style.call(kind.charAt(0).toUpperCase() + kind.slice(1), [
        style.name(a),
        style.name(b),
        ...(scope ? [`scope=${style.text(scope)}`] : []),
      ]),
    ),
    ...workflow.tasks.flatMap((task) => style.directives(task)),
  ]
  const body = [graph, ...data, ...tasks, ...rest]
  if (pick(3) === 0) body.push(body.shift() as string)
  let text = pick(3) === 0 ? `# ${style.word()}${eol}` : ''
  for (const statement of body) {
    if (pick(4) === 0) text += `# about '${style.word()}, (nothing${eol}`
    text += statement
    text += pick(8) === 0 ? '; ' : `${pick(5) === 0 ? `  # ${style.word()}` : ''}${eol.repeat(1 + pick(3))}`
  }
  return pick(4) === 0 ? text.replace(/[\r\n]+$/, '') : text
}

class Style {
  private readonly pick: Pick
  private readonly eol: string

  constructor(pick: Pick, eol: string) {
    this.pick = pick
    this.eol = eol
  }

  word = () => ['drone', 'keep', 'why?', "it's", 'x=(1'][this.pick(5)] as string
  one = <T>(...choices: T[]): T => choices[this.pick(choices.length)] as T
  text = (value: string) => quoteString(value, this.one('"', "'", "'"))
  name = (value: string) => (isBareName(value) && this.pick(3) > 0 ? value : this.text(value))
  value = (value: ArgValue) => quoteValue(value, this.one('"', "'"))

  list(names: readonly string[]): string {
    const bare = this.pick(4) === 0
    const items = names.map((one) => (bare && isBareName(one) ? one : this.text(one)))
    const tuple = this.pick(8) === 0 && items.length > 1
    const inner = this.join(items)
    return tuple ? `(${inner})` : `[${inner}]`
  }

  /** Elements on one line or on many, with comments, blanks and a last comma now and then. */
  private join(items: readonly string[]): string {
    if (items.length === 0) return this.one('', '', ' ')
    if (this.pick(3) > 0) {
      const text = items.join(this.one(', ', ',', ' , '))
      return text + (this.pick(6) === 0 ? ',' : '')
    }
    const indent = this.one('    ', '  ', '')
    const lines = items.map((item, index) => {
      const last = index === items.length - 1
      return `${indent}${item}${last && this.pick(2) ? '' : ','}${this.pick(5) === 0 ? `  # ${this.word()}` : ''}${this.eol}`
    })
    return this.eol + lines.join('')
  }

  call(head: string, args: readonly string[]): string {
    return `${head}${this.one('', '', ' ')}(${this.join(args)})`
  }

  constraints({ constraints }: Workflow): string {
    const word = this.one('constraint', 'constraints')
    const style = this.pick(3)
    if (style === 0)
      return `${word}=[${constraints.map(({ key, limit }) => `${key}=${this.text(limit.text)}`).join(', ')}]`
    if (style === 1)
      return `${word}={${this.join(constraints.map(({ key, limit }) => `${this.text(key)}: ${this.text(limit.text)}`))}}`
    return `${word}=dict(${this.join(constraints.map(({ key, limit }) => `${key}=${this.text(limit.text)}`))})`
  }

  task(task: Task): string {
    const dataIn =
      task.dataIn.length === 0
        ? this.one('None', '[]')
        : task.dataIn.length === 1 && this.pick(3) > 0
          ? this.name(task.dataIn[0] as string)
          : this.list(task.dataIn)
    const dataOut = task.dataOut === null ? 'None' : this.name(task.dataOut)
    const named = this.pick(5) === 0
    const head = [
      this.name(task.name),
      ...(named
        ? [`dataIn=${dataIn}`, `dataOut=${dataOut}`, `code=${this.text(task.code)}`]
        : [dataIn, dataOut, this.text(task.code)]),
    ]
    const rest = Object.entries(task.args).map(([key, value]) => `${key}=${this.value(value)}`)
    // One side of an edge may be left out, if the other side of all its edges is written: tasks write both or are parents only.
    const parents =
      task.parents.length === 0
        ? this.one('parentTask=None', 'parentTask=[]', '')
        : task.parents.length === 1 && this.pick(4) === 0
          ? `parentTask=${this.text(task.parents[0] as string)}`
          : `parentTask=${this.list(task.parents)}`
    const children = this.pick(4) === 0 ? '' : `childTask=${this.list(task.children)}`
    const sync =
      task.directives.synchronize && this.syncInTask.has(task.name)
        ? [`sync=${this.text(conditionOf(task))}`]
        : []
    const edges = this.pick(3) === 0 ? [children, parents] : [parents, children]
    return this.call(
      'Task',
      [...head, ...rest, ...sync, ...edges].filter((one) => one !== ''),
    )
  }

  private readonly syncInTask = { has: (name: string) => name.length % 2 === 0 }

  directives(task: Task): string[] {
    const { synchronize, schedule, isolate, place, restore, learn, persist } = task.directives
    const on = (head: string, ...args: string[]) => this.call(head, [this.name(task.name), ...args])
    return [
      ...(synchronize && !this.syncInTask.has(task.name)
        ? [on('Synchronize', this.text(conditionOf(task)))]
        : []),
      ...(schedule
        ? [
            on(
              'Schedule',
              ...Object.entries({
                priority: schedule.priority,
                deadline: schedule.deadline?.text,
                onMiss: schedule.onMiss,
              }).flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${this.value(value)}`])),
            ),
          ]
        : []),
      ...(isolate ? [on('Isolate')] : []),
      ...(place ? [on('Place', this.text(placeText(place)))] : []),
      ...(restore ? [on('Restore', this.text(restore))] : []),
      ...(learn ? [on('Learn', this.text(learn))] : []),
      ...(persist ? [on('Persist')] : []),
    ]
  }
}

function conditionOf({ directives: { synchronize } }: Task): string {
  return synchronize?.kind === 'count' ? String(synchronize.count) : (synchronize?.kind ?? 'all')
}
