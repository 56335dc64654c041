/** The data-flow graph of a plan, for lambdas of a store: tasks are lambdas, and the edges between them pools. */
import type { Plan, PlanTask } from './plan.ts'

type Persistence = 'transient' | 'volatile' | 'persistent'

/** A graph in the format that `parseGraph` of the store reads. */
export interface DataFlow {
  id: string
  desc: string
  pools: { pathname: string; persistence: Persistence }[]
  graph: { pathname: string; lambdas: DataFlowLambda[] }[]
}

interface DataFlowLambda {
  id: string
  stateful: boolean
  timeoutMs: number
  config: unknown
  destinations: Record<string, 'put' | 'trigger_put'>[]
}

/**
 * The graph of a plan. A pool holds what one data name, or the end of a task that writes none, hands on. What is under `Persist` is
 * in persistent pools. Results, and what a lambda has to read again beside its input, are in volatile ones. The rest passes by
 * trigger puts, and is kept nowhere.
 */
export function dataFlow(plan: Plan): DataFlow {
  const root = `/${nameOf(plan.workflow)}`
  const paths = new Map(plan.tasks.map((task) => [task, inputsOf(plan, root, task)]))
  const all = new Set([
    ...[...paths.values()].flat(),
    ...plan.tasks.flatMap((task) => outputOf(plan, root, task) ?? []),
  ])
  const persistence = new Map([...all].map((path) => [path, persistenceOf(plan, root, path, paths)]))
  return {
    id: nameOf(plan.workflow),
    desc: `The workflow ${plan.workflow}, with ${plan.tasks.map(({ name, tier }) => `${name} on ${tier}`).join(', ')}.`,
    pools: [...persistence].map(([pathname, kind]) => ({ pathname, persistence: kind })),
    graph: [...all].flatMap((pathname) => {
      const readers = plan.tasks.filter((task) => paths.get(task)?.includes(pathname))
      const lambdas = readers.map((task) => lambdaOf(plan, root, task, paths.get(task) ?? [], persistence))
      return lambdas.length > 0 ? [{ pathname, lambdas }] : []
    }),
  }
}

function lambdaOf(
  plan: Plan,
  root: string,
  task: PlanTask,
  inputs: readonly string[],
  persistence: ReadonlyMap<string, Persistence>,
): DataFlowLambda {
  const to = outputOf(plan, root, task)
  const { name, tier, runtime, code, bundle, args, scope, barrier, stateKey, timeoutMs } = task
  return {
    id: lambdaName(plan, name),
    stateful: stateKey !== undefined,
    timeoutMs,
    config: { task: name, tier, runtime, code, bundle, args, scope, inputs, ...(barrier && { barrier }) },
    destinations: to === null ? [] : [{ [to]: persistence.get(to) === 'transient' ? 'trigger_put' : 'put' }],
  }
}

/** Paths whose objects run a task: of what it reads, and of what its other parents hand on. */
function inputsOf(plan: Plan, root: string, task: PlanTask): string[] {
  const parents = plan.tasks.filter(({ name }) => task.parents.includes(name))
  const read = task.dataIn.map((data) => dataPath(root, data))
  const paths = [...read, ...parents.flatMap((parent) => outputOf(plan, root, parent) ?? [])]
  return paths.length > 0 ? [...new Set(paths)] : [`${root}/.start`]
}

/** Path of what a task hands on; null when nothing comes of it. */
function outputOf(plan: Plan, root: string, task: PlanTask): string | null {
  if (task.dataOut !== null) return dataPath(root, task.dataOut)
  return task.children.length > 0 ? `${root}/.after-${lambdaName(plan, task.name)}` : null
}

function persistenceOf(
  plan: Plan,
  root: string,
  path: string,
  paths: ReadonlyMap<PlanTask, readonly string[]>,
): Persistence {
  const writers = plan.tasks.filter((task) => outputOf(plan, root, task) === path)
  if (writers.some(({ persist }) => persist)) return 'persistent'
  const isReadAgain = ({ barrier }: PlanTask, inputs: readonly string[]) =>
    inputs.length > 1 || barrier !== undefined
  const readAgain = [...paths].some(([task, inputs]) => inputs.includes(path) && isReadAgain(task, inputs))
  return readAgain || writers.some(({ children }) => children.length === 0) ? 'volatile' : 'transient'
}

/** Data and workflows may have names that are no part of a path. */
const dataPath = (root: string, data: string): string => `${root}/${encodeURIComponent(data)}`

const nameOf = (workflow: string): string => workflow.replace(/[^\w.-]/g, '_').slice(0, 100)

const lambdaName = (plan: Plan, task: string): string =>
  /^[\w.-]{1,100}$/.test(task) ? task : (plan.names.tasks[task] as string)
