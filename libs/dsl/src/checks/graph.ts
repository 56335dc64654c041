/** HM3xx: the list of tasks, their definitions and the edges between them. */
import { addRef, removeRef } from '../edit/refs.ts'
import type { Model, Ref, TaskDef } from '../meaning/model.ts'
import { type Report, replace } from '../meaning/report.ts'
import { eolOf, statementRemoval } from '../syntax/layout.ts'
import { quoteString } from '../syntax/literal.ts'
import type { Fix, TextChange } from '../types.ts'
import { type Checked, renameFix } from './context.ts'
import { findCycles } from './cycles.ts'

/** Reports what is wrong with the list of tasks, their definitions and the edges between them. */
export function checkGraph(checked: Checked) {
  checkTaskGraph(checked)
  checkDefinitions(checked)
  checkList(checked)
  for (const task of checked.definitions.values()) checkEdges(checked, task)
  checkCycles(checked)
  checkAlone(checked)
}

function checkTaskGraph({ text, quote, model, report, definitions }: Checked) {
  const [first, ...others] = model.graphs
  if (!first) {
    const start = model.source.statements[0]
    const list = [...definitions.keys()].map((name) => quoteString(name, quote)).join(', ')
    const at = start?.from ?? text.length
    const broken = at > 0 && !start && !/[\r\n]$/.test(text)
    const eol = eolOf(text)
    report.add(
      'HM301',
      start?.head ?? { from: at, to: at },
      'There is no TaskGraph; add TaskGraph(list=[...]) with the names of all tasks.',
      {
        fixes: [
          replace(
            'Add a TaskGraph',
            { from: at, to: at },
            `${broken ? eol : ''}TaskGraph(list=[${list}])${eol}${start ? eol : ''}`,
            true,
          ),
        ],
      },
    )
    return
  }
  for (const { statement } of others)
    report.add(
      'HM302',
      statement.head,
      `There is a TaskGraph in ${report.where(first.statement)} already; a workflow has exactly one. Put all tasks into it and remove this one.`,
      {
        fixes: [
          { title: 'Remove this TaskGraph', certain: false, changes: [statementRemoval(text, statement)] },
        ],
      },
    )
  if (model.list?.items.length === 0 && definitions.size === 0)
    report.add(
      'HM312',
      first.statement.head,
      'The workflow has no tasks yet; add a Task(...) and its name to the list.',
    )
}

function checkDefinitions({ model, report, definitions }: Checked) {
  for (const task of model.tasks) {
    const first = definitions.get(task.ref.name)
    if (first && first !== task)
      report.add(
        'HM305',
        task.ref,
        `'${task.ref.name}' is defined in ${report.where(first.ref)} already; rename or remove one of them.`,
        { task: task.ref.name },
      )
  }
}

function checkList({ text, quote, model, report, definitions }: Checked) {
  const graph = model.graphs[0]
  if (!graph) return
  const listed = new Set(model.listed.map(({ name }) => name))
  const unlisted = new Set([...definitions.keys()].filter((name) => !listed.has(name)))
  for (const ref of model.listed) {
    if (definitions.has(ref.name)) continue
    const meant = report.nearest(ref.name, unlisted)
    if (meant) {
      unlisted.delete(meant)
      report.add(
        'HM306',
        ref,
        `No task is called '${ref.name}'; did you mean '${meant}' (${report.where(definitions.get(meant)?.ref ?? ref)})?`,
        {
          fixes: [renameFix(text, ref, meant, true)],
        },
      )
    } else {
      const fixes = () => [defineFix(text, model.tasks.at(-1), ref.name), ...unlistFix(report, model, ref)]
      report.add(
        'HM303',
        ref,
        `'${ref.name}' is listed but not defined; add Task(${ref.name}, ...) or remove it from the list.`,
        { fixes },
      )
    }
  }
  for (const name of unlisted) {
    const { ref } = definitions.get(name) as TaskDef
    const argument = graph.args.get('list')
    const fixes = (): Fix[] => {
      const changes = argument ? addRef(text, argument, name, quote) : null
      return changes ? [{ title: `Add '${name}' to the list`, certain: true, changes }] : []
    }
    report.add(
      'HM304',
      ref,
      `'${name}' is not in the list of the TaskGraph (${report.where(graph.statement)}); add it.`,
      { task: name, fixes },
    )
  }
}

function unlistFix(report: Report, { list }: Model, ref: Ref): Fix[] {
  const index = list?.items.findIndex((item) => item.from === ref.from) ?? -1
  return list && index >= 0
    ? [
        {
          title: `Remove '${ref.name}' from the list`,
          certain: false,
          changes: report.removal(list.items, index),
        },
      ]
    : []
}

function defineFix(text: string, last: TaskDef | undefined, name: string): Fix {
  const eol = eolOf(text)
  const at = last ? last.bound.statement.to : text.length
  const gap = last || !/[\r\n]$/.test(text) ? eol + eol : eol
  const insert = `${gap}Task(${name}, None, None, 'tasks/${name}.py', parentTask=None, childTask=[])${last ? '' : eol}`
  return { title: `Define '${name}'`, certain: false, changes: [{ from: at, to: at, insert }] }
}

function checkEdgeName(
  { text, report, definitions }: Checked,
  task: TaskDef,
  key: 'parentTask' | 'childTask',
  ref: Ref,
) {
  if (definitions.has(ref.name)) return
  const meant = report.nearest(ref.name, definitions.keys(), task.ref.name)
  const argument = task.bound.args.get(key)
  const removal = () =>
    argument ? removeRef(text, argument, ref.name, key === 'parentTask' ? 'None' : '[]') : []
  report.add(
    'HM307',
    ref,
    `There is no task '${ref.name}'; ${meant ? `did you mean '${meant}'?` : 'define it or remove it here.'}`,
    {
      task: task.ref.name,
      fixes: () =>
        meant
          ? [renameFix(text, ref, meant, true)]
          : [{ title: `Remove '${ref.name}'`, certain: false, changes: removal() }],
    },
  )
}

function checkEdges(checked: Checked, task: TaskDef) {
  const { definitions } = checked
  for (const key of ['parentTask', 'childTask'] as const)
    for (const ref of (key === 'parentTask' ? task.parents : task.children) ?? [])
      checkEdgeName(checked, task, key, ref)
  for (const child of task.children ?? []) {
    const other = definitions.get(child.name)
    if (other && other !== task && other.parents && !other.parents.some(({ name }) => name === task.ref.name))
      reportDisagreement(checked, task, child, other, 'childTask', 'parentTask')
  }
  for (const parent of task.parents ?? []) {
    const other = definitions.get(parent.name)
    if (
      other &&
      other !== task &&
      other.children &&
      !other.children.some(({ name }) => name === task.ref.name)
    )
      reportDisagreement(checked, task, parent, other, 'parentTask', 'childTask')
  }
}

/** `says` names `ref`, and `silent` (the task named) has the opposite argument without naming it back. */
function reportDisagreement(
  { text, quote, report }: Checked,
  says: TaskDef,
  ref: Ref,
  silent: TaskDef,
  key: string,
  opposite: string,
) {
  const argument = silent.bound.args.get(opposite)
  const own = says.bound.args.get(key)
  if (!argument || !own) return
  const name = says.ref.name
  const fixes = (): Fix[] => {
    const add = addRef(text, argument, name, quote)
    const remove = removeRef(text, own, ref.name, key === 'parentTask' ? 'None' : '[]')
    return [
      ...(add
        ? [{ title: `Add '${name}' to ${opposite} of '${silent.ref.name}'`, certain: true, changes: add }]
        : []),
      { title: `Remove '${ref.name}' from ${key} of '${name}'`, certain: false, changes: remove },
    ]
  }
  const later = says.bound.statement.from > silent.bound.statement.from
  const [span, earlier] = later ? [ref, argument] : [argument.value, ref]
  report.add(
    'HM308',
    span,
    `'${name}' names '${ref.name}' in its ${key}, but '${silent.ref.name}' does not name '${name}' in its ${opposite} (see ${report.where(earlier)}); make both agree.`,
    { fixes, task: later ? name : silent.ref.name },
  )
}

function checkCycles(checked: Checked) {
  const { text, workflow, report, definitions } = checked
  const { cycles, stuck } = findCycles(workflow.tasks)
  for (const cycle of cycles) {
    // Reported where the last of its tasks is defined, at the edge that leads on from there.
    const place = (name: string) => definitions.get(name)?.bound.statement.from ?? 0
    const start = cycle.reduce(
      (late, name, index) => (place(name) > place(cycle[late] as string) ? index : late),
      0,
    )
    const path = [...cycle.slice(start), ...cycle.slice(0, start)]
    const from = definitions.get(path[0] as string) as TaskDef
    const to = definitions.get(path[1] ?? (path[0] as string)) as TaskDef
    const ref = from.children?.find(({ name }) => name === to.ref.name) ?? from.ref
    const shown = path.length > 12 ? [...path.slice(0, 11), '...'] : path
    report.add(
      'HM309',
      ref,
      `These tasks wait for each other: ${[...shown, path[0]].join(' -> ')}. Remove one of these edges.`,
      {
        task: from.ref.name,
        fixes: [
          {
            title: `Remove the edge from '${from.ref.name}' to '${to.ref.name}'`,
            certain: false,
            changes: edgeRemoval(text, from, to),
          },
        ],
      },
    )
  }
  for (const name of stuck) {
    const task = definitions.get(name)
    if (task)
      report.add(
        'HM311',
        task.ref,
        `'${name}' can never start: it waits, directly or not, for tasks that wait for each other. Break the cycle.`,
        { task: name },
      )
  }
}

function edgeRemoval(text: string, from: TaskDef, to: TaskDef): TextChange[] {
  const children = from.bound.args.get('childTask')
  const parents = to.bound.args.get('parentTask')
  return [
    ...(children ? removeRef(text, children, to.ref.name, '[]') : []),
    ...(parents ? removeRef(text, parents, from.ref.name, 'None') : []),
  ]
}

function checkAlone({ workflow, report, definitions }: Checked) {
  if (workflow.tasks.length < 2) return
  for (const task of workflow.tasks) {
    const definition = definitions.get(task.name)
    if (definition && task.parents.length === 0 && task.children.length === 0)
      report.add(
        'HM310',
        definition.ref,
        `No edge leads to or from '${task.name}': nothing starts it and nobody waits for it. Give it a parentTask or a childTask.`,
        { task: task.name },
      )
  }
}
