/** Copies and pastes tasks as the text of a small workflow, which any editor can hold. */
import { check, directiveEdits, type GraphEdit, print } from '@hivemind/dsl'
import type { Task, Workflow } from '@hivemind/workflow'
import { freeName } from './names.ts'
import { takenNames } from './palette.ts'

/** The workflow of the named tasks only, with the edges and relations among them. */
export function subworkflowOf(workflow: Workflow, names: ReadonlySet<string>): Workflow {
  const tasks = workflow.tasks
    .filter((task) => names.has(task.name))
    .map((task) => ({
      ...task,
      parents: task.parents.filter((name) => names.has(name)),
      children: task.children.filter((name) => names.has(name)),
    }))
  const used = new Set(tasks.flatMap((task) => [...task.dataIn, ...(task.dataOut ? [task.dataOut] : [])]))
  return {
    schema: workflow.schema,
    tasks,
    data: workflow.data.filter((data) => used.has(data.name)),
    relations: workflow.relations.filter(({ a, b }) => names.has(a) && names.has(b)),
    constraints: [],
  }
}

/** Clipboard text of the named tasks. */
export const copied = (workflow: Workflow, names: Iterable<string>): string =>
  print(subworkflowOf(workflow, new Set(names)))

export interface Paste {
  edits: GraphEdit[]
  /** Names in the workflow, by name on the clipboard. */
  names: Map<string, string>
  /** The workflow on the clipboard, with its own names. */
  source: Workflow
}

/**
 * Edits that add the tasks of a clipboard text under free names; `null` if the text has no tasks. Data that pasted tasks
 * write gets a new name; data they only read keeps its name, so a copied consumer reads the same data as the original.
 */
export function pasted(text: string, into: Workflow | null): Paste | null {
  if (!/\bTask\s*\(/.test(text)) return null
  const source = check(text).workflow ?? check(withTaskGraph(text)).workflow
  if (!source || source.tasks.length === 0) return null
  const taken = takenNames(into)
  const names = new Map<string, string>()
  const claim = (name: string): string => {
    const free = freeName(name, taken)
    taken.add(free)
    names.set(name, free)
    return free
  }
  for (const task of source.tasks) claim(task.name)
  for (const task of source.tasks) if (task.dataOut && !names.has(task.dataOut)) claim(task.dataOut)
  const dataName = (name: string): string => names.get(name) ?? name
  const edits: GraphEdit[] = source.tasks.map((task: Task) => ({
    kind: 'addTask',
    task: {
      name: names.get(task.name) ?? task.name,
      dataIn: task.dataIn.map(dataName),
      dataOut: task.dataOut && dataName(task.dataOut),
      code: task.code,
      args: task.args,
    },
  }))
  for (const task of source.tasks)
    for (const child of task.children) {
      const [from, to] = [names.get(task.name), names.get(child)]
      if (from && to) edits.push({ kind: 'connect', from, to })
    }
  // A copy that reads data of an existing task becomes its child.
  const writtenHere = new Set(source.tasks.map((task) => task.dataOut))
  for (const task of source.tasks)
    for (const writer of into?.tasks ?? [])
      if (writer.dataOut && !writtenHere.has(writer.dataOut) && task.dataIn.includes(writer.dataOut))
        edits.push({ kind: 'connect', from: writer.name, to: names.get(task.name) ?? task.name })
  const declared = new Set(into?.data.filter((data) => data.declared).map((data) => data.name))
  for (const data of source.data) {
    const name = dataName(data.name)
    if (!data.declared || declared.has(name)) continue
    edits.push({
      kind: 'setData',
      data: name,
      fields: {
        ...(data.kind ? { kind: data.kind } : {}),
        ...(data.type ? { type: data.type } : {}),
        ...(data.size ? { size: data.size.text } : {}),
        ...(data.rate ? { rate: data.rate.text } : {}),
        ...(data.stays ? { stays: data.stays } : {}),
      },
    })
  }
  for (const task of source.tasks)
    edits.push(...directiveEdits(names.get(task.name) ?? task.name, task.directives))
  for (const { a, b, kind, scope } of source.relations) {
    const [first, second] = [names.get(a), names.get(b)]
    if (first && second)
      edits.push({ kind: 'setRelation', a: first, b: second, relation: kind, ...(scope ? { scope } : {}) })
  }
  return { edits, names, source }
}

/** Adds a TaskGraph to statements that were copied without one. */
function withTaskGraph(text: string): string {
  const names = [...text.matchAll(/\bTask\s*\(\s*['"]?([\p{L}_][\p{L}\p{N}_]*)/gu)].map((match) => match[1])
  return `TaskGraph(list=[${names.map((name) => `'${name}'`).join(', ')}])\n${text}`
}
