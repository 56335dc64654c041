/** From the model to the Workflow: what the text means, taken as well as it can be. */
import {
  type DataItem,
  type Directives,
  parseQuantity,
  type Quantity,
  type Relation,
  type SyncCondition,
  type Task,
  type Workflow,
} from '@hivemind/workflow'
import { parsePlace } from './directives.ts'
import type { DataDef, DirectiveDef, Model, TaskDef } from './model.ts'

/** The workflow that a model means. Of contradicting statements the first counts. */
export function buildWorkflow(model: Model): Workflow {
  const defined = new Map<string, TaskDef>()
  for (const task of model.tasks) if (!defined.has(task.ref.name)) defined.set(task.ref.name, task)
  const order = new Set([
    ...model.listed.map(({ name }) => name).filter((name) => defined.has(name)),
    ...defined.keys(),
  ])
  const tasks = new Map<string, Task>()
  for (const name of order) {
    const definition = defined.get(name) as TaskDef
    const within = (refs: TaskDef['parents']) =>
      (refs ?? []).map((ref) => ref.name).filter((other) => defined.has(other))
    tasks.set(name, {
      name,
      dataIn: definition.dataIn.map((ref) => ref.name),
      dataOut: definition.dataOut?.name ?? null,
      code: definition.code,
      parents: within(definition.parents),
      children: within(definition.children),
      args: definition.args,
      directives: {},
    })
  }
  for (const task of tasks.values()) {
    for (const child of task.children) addTo(tasks.get(child)?.parents, task.name)
    for (const parent of task.parents) addTo(tasks.get(parent)?.children, task.name)
  }
  for (const directive of model.directives) {
    const task = tasks.get(directive.task.name)
    if (task) setDirective(task.directives, directive)
  }
  return {
    schema: 'hivemind.workflow/1',
    tasks: [...tasks.values()],
    data: dataOf(model, [...tasks.values()]),
    relations: relationsOf(model, tasks),
    constraints: model.constraints.flatMap(({ constraint }) => (constraint ? [constraint] : [])),
  }
}

function addTo(names: string[] | undefined, name: string) {
  if (names && !names.includes(name)) names.push(name)
}

/** The first statement about one thing counts; later ones that differ are reported. */
function setDirective(directives: Directives, { key, field, value }: DirectiveDef) {
  if (key === 'schedule') {
    directives.schedule ??= {}
    const { schedule } = directives
    if (field === 'priority') schedule.priority ??= value as number
    else if (field === 'deadline') schedule.deadline ??= parseQuantity(value as string) as Quantity
    else schedule.onMiss ??= value as 'drop'
  } else if (key === 'synchronize') directives.synchronize ??= value as SyncCondition
  else if (key === 'place') {
    const pin = parsePlace(value as string)
    if (pin) directives.place ??= pin
  } else if (key === 'restore') directives.restore ??= value as NonNullable<Directives['restore']>
  else if (key === 'learn') directives.learn ??= value as NonNullable<Directives['learn']>
  else directives[key] = true
}

/** Data in the order tasks first read or write it, then data that is only described. */
function dataOf(model: Model, tasks: readonly Task[]): DataItem[] {
  const names = new Set(
    tasks.flatMap((task) => [...task.dataIn, ...(task.dataOut === null ? [] : [task.dataOut])]),
  )
  const described = new Map<string, DataDef>()
  for (const data of model.data) {
    names.add(data.ref.name)
    if (!described.has(data.ref.name)) described.set(data.ref.name, data)
  }
  return [...names].map((name) => {
    const definition = described.get(name)
    if (!definition) return { name, declared: false }
    const { kind, type, size, rate, stays } = definition.fields
    return {
      name,
      ...(kind === undefined ? {} : { kind }),
      ...(type === undefined ? {} : { type }),
      ...(size === undefined ? {} : { size: parseQuantity(size) as Quantity }),
      ...(rate === undefined ? {} : { rate: parseQuantity(rate) as Quantity }),
      ...(stays === undefined ? {} : { stays }),
      declared: true,
    }
  })
}

/** Relations over known, different tasks; the first over one pair counts. */
function relationsOf(model: Model, tasks: ReadonlyMap<string, Task>): Relation[] {
  const pairs = new Set<string>()
  const relations: Relation[] = []
  for (const { kind, a, b, scope } of model.relations) {
    const pair = [a.name, b.name].sort().join(' ')
    if (a.name === b.name || !tasks.has(a.name) || !tasks.has(b.name) || pairs.has(pair)) continue
    pairs.add(pair)
    relations.push({ kind, a: a.name, b: b.name, ...(scope ? { scope } : {}) })
  }
  return relations
}
