/** HM4xx: who writes and who reads which data. */
import { pinsToDevices, swarmWideTasks, tasksHeldByData } from '@hivemind/workflow'
import { addRef, removeRef } from '../edit/refs.ts'
import type { DataDef, Ref, TaskDef } from '../meaning/model.ts'
import { statementRemoval } from '../syntax/layout.ts'
import type { Fix } from '../types.ts'
import { type Checked, renameFix } from './context.ts'
import { isEdgeNode } from './directives.ts'

/** Reports data without a writer or reader, written twice, read too early or described wrongly. */
export function checkData(checked: Checked) {
  const writers = checkWriters(checked)
  for (const definition of checked.definitions.values())
    for (const ref of definition.dataIn) checkReader(checked, definition, ref, writers)
  checkDescriptions(checked, writers)
}

function checkWriters({ report, definitions }: Checked): Map<string, TaskDef> {
  const writers = new Map<string, TaskDef>()
  for (const task of [...definitions.values()].sort((a, b) => a.ref.from - b.ref.from)) {
    const out = task.dataOut
    if (!out) continue
    const before = writers.get(out.name)
    if (before)
      report.add(
        'HM402',
        out,
        `'${out.name}' is written by '${before.ref.name}' (${report.where(before.dataOut ?? out)}) already; give one of the two another name.`,
        { task: task.ref.name },
      )
    else writers.set(out.name, task)
  }
  return writers
}

function checkReader(checked: Checked, task: TaskDef, ref: Ref, writers: ReadonlyMap<string, TaskDef>) {
  const { text, report, tasks, ordered, runsBefore } = checked
  const writer = writers.get(ref.name)
  const name = task.ref.name
  const parents = tasks.get(name)?.parents ?? []
  if (!writer) {
    if (parents.length === 0) return // An input of the workflow.
    const meant = report.nearest(ref.name, writers.keys(), task.dataOut?.name)
    report.add(
      'HM401',
      ref,
      `'${name}' reads '${ref.name}', which no task writes; ${meant ? `did you mean '${meant}'?` : 'let a parent write it, or read something else. Only tasks without parents read inputs of the workflow.'}`,
      {
        task: name,
        fixes: () => (meant ? [renameFix(text, ref, meant, true)] : unreadFix(checked, task, ref.name)),
      },
    )
  } else if (writer === task) {
    report.add(
      'HM410',
      ref,
      `'${name}' reads '${ref.name}', which it writes itself; read or write something else.`,
      { task: name },
    )
  } else if (ordered && !parents.includes(writer.ref.name)) {
    const before = runsBefore(writer.ref.name, name)
    const fixes = () => [
      ...(runsBefore(name, writer.ref.name) ? [] : parentFix(checked, writer, task)),
      ...unreadFix(checked, task, ref.name),
    ]
    if (before)
      report.add(
        'HM405',
        ref,
        `'${ref.name}' is written by '${writer.ref.name}', which runs before '${name}' but is not its parent; make it a parent, so that the data goes straight to '${name}'.`,
        { task: name, fixes },
      )
    else
      report.add(
        'HM404',
        ref,
        `'${ref.name}' is written by '${writer.ref.name}' (${report.where(writer.ref)}), which does not run before '${name}'; make it a parent.`,
        { task: name, fixes },
      )
  }
}

/** Adds the edge on both sides, where they are written. */
function parentFix({ text, quote }: Checked, parent: TaskDef, child: TaskDef): Fix[] {
  const parents = child.bound.args.get('parentTask')
  const children = parent.bound.args.get('childTask')
  const changes = [
    ...(parents ? (addRef(text, parents, parent.ref.name, quote) ?? []) : []),
    ...(children ? (addRef(text, children, child.ref.name, quote) ?? []) : []),
  ]
  return changes.length > 0
    ? [{ title: `Make '${parent.ref.name}' a parent of '${child.ref.name}'`, certain: false, changes }]
    : []
}

/** Takes data out of what a task reads. */
function unreadFix({ text }: Checked, task: TaskDef, data: string): Fix[] {
  const argument = task.bound.args.get('dataIn')
  const changes = argument ? removeRef(text, argument, data, 'None') : []
  return changes.length > 0 ? [{ title: `Do not read '${data}'`, certain: false, changes }] : []
}

function checkDescriptions(checked: Checked, writers: ReadonlyMap<string, TaskDef>) {
  const { text, model, report, definitions } = checked
  const used = new Set(writers.keys())
  for (const task of definitions.values()) for (const ref of task.dataIn) used.add(ref.name)
  const all = new Set(model.data.map((data) => data.ref.name))
  const undescribed = [...used].filter((name) => !all.has(name))
  const described = new Map<string, DataDef>()
  for (const data of model.data) {
    const { ref, fields, bound } = data
    const before = described.get(ref.name)
    if (before) reportSecond(text, data, before, report)
    else described.set(ref.name, data)
    if (!used.has(ref.name)) {
      const meant = report.nearest(ref.name, undescribed)
      report.add(
        'HM406',
        ref,
        `No task reads or writes '${ref.name}'; ${meant ? `did you mean '${meant}'?` : 'remove this description, or let a task use it.'}`,
        {
          fixes: meant
            ? [renameFix(text, ref, meant, false)]
            : [
                {
                  title: 'Remove this description',
                  certain: false,
                  changes: [statementRemoval(text, bound.statement)],
                },
              ],
        },
      )
    }
    const rate = bound.args.get('rate')
    if (fields.kind === 'object' && rate)
      report.add('HM407', rate, "An object has no rate; write kind='stream', or remove the rate.", {
        fixes: [
          {
            title: 'Remove the rate',
            certain: false,
            changes: report.removal(bound.statement.args, bound.statement.args.indexOf(rate)),
          },
        ],
      })
    const stays = bound.args.get('stays')
    const problem = stays && fields.stays ? leaves(checked, ref.name, writers) : null
    if (stays && problem)
      report.add('HM411', stays, problem, {
        fixes: [
          {
            title: `Let '${ref.name}' leave the device`,
            certain: false,
            changes: report.removal(bound.statement.args, bound.statement.args.indexOf(stays)),
          },
        ],
      })
  }
}

/** Why data would leave the device it should stay on, in a sentence; `null` when it need not. */
function leaves(
  { workflow, tasks, ordered, context }: Checked,
  data: string,
  writers: ReadonlyMap<string, TaskDef>,
): string | null {
  const writer = tasks.get(writers.get(data)?.ref.name ?? '')
  if (!writer)
    return workflow.tasks.some((task) => task.dataIn.includes(data))
      ? `'${data}' is an input of the workflow, which comes from outside; only what a task writes on a device can stay there.`
      : null
  if (writer.children.length === 0)
    return `'${data}' is a result of the run, which goes to the cloud; let a task on the device read it and write what may leave.`
  if (writer.directives.persist)
    return `Persist(${writer.name}) keeps '${data}' in the cloud; remove one of the two.`
  const wide = ordered ? swarmWideTasks(workflow) : new Set<string>()
  for (const [name, held] of tasksHeldByData(workflow)) {
    const pin = tasks.get(name)?.directives.place
    if (
      held !== data ||
      (!wide.has(name) && (!pin || (pinsToDevices(pin) && !isEdgeNode(pin.target, context))))
    )
      continue
    const why = wide.has(name) ? 'runs once for the whole swarm' : 'is pinned to another tier'
    const what =
      name === writer.name
        ? 'writes it'
        : tasks.get(name)?.dataIn.includes(data)
          ? 'reads it'
          : `is handed it as a child of '${writer.name}'`
    return `'${data}' stays on the device, but '${name}', which ${what}, ${why}; let a task on the device write what may leave.`
  }
  return null
}

function reportSecond(text: string, later: DataDef, first: DataDef, report: Checked['report']) {
  const keys = ['kind', 'type', 'size', 'rate', 'stays'] as const
  const different = keys.filter(
    (key) =>
      later.fields[key] !== undefined &&
      first.fields[key] !== undefined &&
      later.fields[key] !== first.fields[key],
  )
  for (const key of different)
    report.add(
      'HM403',
      later.bound.args.get(key)?.value ?? later.ref,
      `The ${key} of '${later.ref.name}' is '${first.fields[key]}' in ${report.where(first.bound.args.get(key) ?? first.ref)} and '${later.fields[key]}' here; keep one.`,
    )
  if (different.length > 0) return
  const adds = keys.some((key) => later.fields[key] !== undefined && first.fields[key] === undefined)
  report.add(
    'HM409',
    later.ref,
    `'${later.ref.name}' is described in ${report.where(first.ref)} already; ${adds ? 'put both descriptions into one, only the first counts.' : 'remove this one.'}`,
    {
      fixes: adds
        ? []
        : [
            {
              title: 'Remove this description',
              certain: true,
              changes: [statementRemoval(text, later.bound.statement)],
            },
          ],
    },
  )
}
