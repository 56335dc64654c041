/** What an edit does to a Workflow, written down without any text: the measure for `applyEdit`. */
import {
  ancestorsOf,
  boundsFault,
  parseQuantity,
  type Quantity,
  type Task,
  type Workflow,
} from '@hivemind/workflow'
import type { GraphEdit } from '../src/edits.ts'
import { parsePlace } from '../src/meaning/directives.ts'
import { isName } from '../src/syntax/literal.ts'
import { orderData } from './random.ts'

/** The workflow after the edit, or `null` when the edit makes no sense. */
export function referenceEdit(workflow: Workflow, edit: GraphEdit): Workflow | null {
  const result = structuredClone(workflow)
  if (!change(result, edit)) return null
  result.data = orderData(result.tasks, declaredIn(result))
  return result
}

const declaredIn = ({ data }: Workflow) => data.filter((item) => item.declared)

/** Edges as sets: the order of parents and children carries no meaning. */
export function withoutEdgeOrder(workflow: Workflow): Workflow {
  return {
    ...workflow,
    tasks: workflow.tasks.map((task) => ({
      ...task,
      parents: [...task.parents].sort(),
      children: [...task.children].sort(),
    })),
  }
}

function change(workflow: Workflow, edit: GraphEdit): boolean {
  if (!changeOnce(workflow, edit)) return false
  // the next edit of a batch knows the data that is declared, read or written by now, and no other; what is declared keeps its order
  const declared = declaredIn(workflow)
  const others = orderData(workflow.tasks, declared).filter((item) => !item.declared)
  workflow.data = [...declared, ...others]
  return true
}

function changeOnce(workflow: Workflow, edit: GraphEdit): boolean {
  const find = (name: string) => workflow.tasks.find((task) => task.name === name)
  switch (edit.kind) {
    case 'addTask': {
      const { name, dataIn = [], dataOut = null, code, parents = [], children = [], args = {} } = edit.task
      if (!isName(name) || find(name) || [...parents, ...children].some((other) => !find(other))) return false
      if (
        parents.some((parent) =>
          children.some((child) => child === parent || ancestorsOf(workflow, parent).has(child)),
        )
      )
        return false
      workflow.tasks.push({ name, dataIn, dataOut, code, parents, children, args, directives: {} })
      for (const parent of parents) find(parent)?.children.push(name)
      for (const child of children) find(child)?.parents.push(name)
      return true
    }
    case 'removeTask': {
      if (!find(edit.task)) return false
      workflow.tasks = workflow.tasks.filter((task) => task.name !== edit.task)
      for (const task of workflow.tasks) drop(task, edit.task)
      workflow.relations = workflow.relations.filter(({ a, b }) => a !== edit.task && b !== edit.task)
      return true
    }
    case 'renameTask': {
      if (!find(edit.task) || !isName(edit.to)) return false
      if (edit.task === edit.to) return true
      if (find(edit.to)) return false
      const rename = (name: string) => (name === edit.task ? edit.to : name)
      for (const task of workflow.tasks) {
        task.name = rename(task.name)
        task.parents = task.parents.map(rename)
        task.children = task.children.map(rename)
      }
      workflow.relations = workflow.relations.map((one) => ({ ...one, a: rename(one.a), b: rename(one.b) }))
      return true
    }
    case 'connect':
    case 'disconnect':
      return changeEdge(workflow, edit)
    case 'setRelation': {
      const { a, b, relation, scope } = edit
      if (!find(a) || !find(b) || a === b || (scope && relation !== 'serial')) return false
      const within = scope ? { scope } : {}
      const at = workflow.relations.findIndex(
        (one) => (one.a === a && one.b === b) || (one.a === b && one.b === a),
      )
      const before = workflow.relations[at]
      if (relation === null) workflow.relations = workflow.relations.filter((one) => one !== before)
      else if (!before) workflow.relations.push({ kind: relation, a, b, ...within })
      else
        workflow.relations[at] =
          relation === 'parallel'
            ? { kind: relation, a: before.a, b: before.b }
            : { kind: relation, a, b, ...within }
      return true
    }
    case 'setConstraint': {
      const { key, value } = edit
      const at = workflow.constraints.findIndex((one) => one.key === key)
      if (value === null) workflow.constraints = workflow.constraints.filter((one) => one.key !== key)
      else {
        const limit = parseQuantity(value) as Quantity
        if (at < 0) workflow.constraints.push({ key, limit })
        else workflow.constraints[at] = { key, limit }
      }
      return true
    }
    case 'setData': {
      const { data, fields } = edit
      const before = workflow.data.find((item) => item.name === data)
      if (fields === null) {
        workflow.data = workflow.data.filter((item) => item.name !== data)
        return true
      }
      const { size, rate, ...plain } = fields
      const given = {
        ...plain,
        ...(size ? { size: parseQuantity(size) as Quantity } : {}),
        ...(rate ? { rate: parseQuantity(rate) as Quantity } : {}),
      }
      if (before?.declared) Object.assign(before, given)
      else
        workflow.data = [
          ...workflow.data.filter((item) => item !== before),
          { name: data, ...given, declared: true },
        ]
      return true
    }
    case 'renameData': {
      const { data, to } = edit
      const item = workflow.data.find((one) => one.name === data)
      if (!item || !isName(to)) return false
      if (data === to) return true
      if (workflow.data.some((one) => one.name === to)) return false
      const rename = (name: string) => (name === data ? to : name)
      for (const task of workflow.tasks) {
        task.dataIn = task.dataIn.map(rename)
        task.dataOut = task.dataOut === null ? null : rename(task.dataOut)
      }
      item.name = to
      return true
    }
    case 'batch':
      return edit.edits.every((one) => change(workflow, one))
    default: {
      const task = find(edit.task)
      return task !== undefined && changeTask(task, edit)
    }
  }
}

function drop(task: Task, name: string) {
  task.parents = task.parents.filter((other) => other !== name)
  task.children = task.children.filter((other) => other !== name)
}

function changeEdge(workflow: Workflow, edit: GraphEdit & { kind: 'connect' | 'disconnect' }): boolean {
  const parent = workflow.tasks.find((task) => task.name === edit.from)
  const child = workflow.tasks.find((task) => task.name === edit.to)
  if (!parent || !child) return false
  const exists = parent.children.includes(child.name)
  if (edit.kind === 'disconnect') {
    if (!exists) return false
    parent.children = parent.children.filter((name) => name !== child.name)
    child.parents = child.parents.filter((name) => name !== parent.name)
    return true
  }
  if (
    parent === child ||
    ancestorsOf(workflow, parent.name).has(child.name) ||
    (edit.data && parent.dataOut === null)
  )
    return false
  if (!exists) {
    parent.children.push(child.name)
    child.parents.push(parent.name)
  }
  if (edit.data && parent.dataOut !== null && !child.dataIn.includes(parent.dataOut))
    child.dataIn.push(parent.dataOut)
  return true
}

type TaskEdit = Extract<
  GraphEdit,
  { kind: 'setCode' | 'setDataIn' | 'setDataOut' | 'setArg' | 'setDirective' }
>

function changeTask(task: Task, edit: TaskEdit): boolean {
  if (edit.kind === 'setCode') {
    if (edit.code.trim() === '') return false
    task.code = edit.code
  } else if (edit.kind === 'setDataIn') task.dataIn = [...new Set(edit.dataIn)]
  else if (edit.kind === 'setDataOut') task.dataOut = edit.dataOut
  else if (edit.kind === 'setArg') {
    const { value } = edit
    if (value === null) delete task.args[edit.arg]
    else if (
      typeof value === 'object' &&
      !Array.isArray(value) &&
      'none' in value &&
      Object.keys(value).length === 1 &&
      value.none === true
    )
      task.args[edit.arg] = null
    else task.args[edit.arg] = value
  } else return setDirective(task, edit)
  return true
}

function setDirective({ directives }: Task, edit: Extract<TaskEdit, { kind: 'setDirective' }>): boolean {
  const empty = edit.value === null || (edit.directive === 'schedule' && Object.keys(edit.value).length === 0)
  if (empty) delete directives[edit.directive]
  else if (edit.directive === 'schedule') {
    const { priority, deadline, onMiss } = edit.value ?? {}
    const quantity = deadline === undefined ? undefined : (parseQuantity(deadline) as Quantity)
    if (quantity && boundsFault('deadline', quantity)) return false
    directives.schedule = {
      ...(priority === undefined ? {} : { priority }),
      ...(quantity ? { deadline: quantity } : {}),
      ...(onMiss === undefined ? {} : { onMiss }),
    }
  } else if (edit.directive === 'place') {
    const pin = parsePlace(edit.value ?? '')
    if (!pin) return false
    directives.place = pin
  } else Object.assign(directives, { [edit.directive]: edit.value })
  return true
}
