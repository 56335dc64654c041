/** Random workflows, compiled to plans, for tests of runs. */
import type { Placement } from '@hivemind/swarm'
import { type Plan, synthesise } from '@hivemind/synthesis'
import { kindsOf, scopesOf, type Task, type Workflow } from '@hivemind/workflow'

export type Rng = () => number

/** A small seeded generator (mulberry32). */
export function rng(seed: number): Rng {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let word = Math.imul(state ^ (state >>> 15), state | 1)
    word ^= word + Math.imul(word ^ (word >>> 7), word | 61)
    return ((word ^ (word >>> 14)) >>> 0) / 4294967296
  }
}

export const pick = <T>(random: Rng, from: readonly T[]): T => from[Math.floor(random() * from.length)] as T

export interface RandomPlanOptions {
  maxTasks: number
  restore?: readonly NonNullable<Task['directives']['restore']>[]
  /** Chances of the parts of the language; 0 leaves one out. */
  chance?: Partial<
    Record<'barrier' | 'scatter' | 'state' | 'serial' | 'overlap' | 'deadline' | 'edge', number>
  >
}

/** A random workflow and placement that the language allows, as a plan. */
export function randomPlan(random: Rng, options: RandomPlanOptions): Plan {
  return synthesise({ name: 'random', ...randomWorkflow(random, options), files: [] }).plan
}

/** A random workflow that the language allows, and a placement of it. */
export function randomWorkflow(
  random: Rng,
  { maxTasks, restore = ['respawn'], chance = {} }: RandomPlanOptions,
): { workflow: Workflow; placement: Placement } {
  const likely = (what: keyof NonNullable<RandomPlanOptions['chance']>, otherwise: number): boolean =>
    random() < (chance[what] ?? otherwise)
  const count = 1 + Math.floor(random() * maxTasks)
  const tasks: Task[] = []
  for (let index = 0; index < count; index++) {
    const near = tasks.slice(-6)
    const parents = near.filter(() => random() < 1.6 / Math.max(1, near.length)).map(({ name }) => name)
    const name = `t${index}`
    const root = parents.length === 0
    tasks.push({
      name,
      dataIn: parents.map((parent) => `${parent}Out`),
      dataOut: `${name}Out`,
      code: 'nfu:forward',
      parents,
      children: [],
      args: {
        role: root && random() < 0.7 ? 'sensor' : 'compute',
        ...(likely('state', 0.12) && !root ? { state: 'device' } : {}),
      },
      directives: {
        restore: pick(random, restore),
        ...(!root && likely('barrier', 0.14)
          ? {
              synchronize: pick(random, [
                { kind: 'all' },
                { kind: 'all' },
                { kind: 'any' },
                { kind: 'count', count: 3 },
              ] as const),
            }
          : {}),
        ...(likely('deadline', 0.15)
          ? {
              schedule: {
                deadline: { dimension: 'time', value: 5 + random() * 60, text: '' },
                ...(random() < 0.5 && { onMiss: 'drop' as const }),
              },
            }
          : random() < 0.3
            ? { schedule: { priority: Math.floor(random() * 3) } }
            : {}),
      },
    })
  }
  for (const task of tasks)
    for (const parent of task.parents) tasks.find(({ name }) => name === parent)?.children.push(task.name)
  const workflow: Workflow = {
    schema: 'hivemind.workflow/1',
    tasks,
    data: tasks.map(({ dataOut }) => ({ name: dataOut as string, declared: false })),
    relations: [],
    constraints: [],
  }
  const below = new Set(
    tasks
      .filter(({ parents }) => parents.some((parent) => scopesOf(workflow).get(parent) === 'swarm'))
      .map(({ name }) => name),
  )
  for (const task of tasks)
    if (below.has(task.name) && !task.directives.synchronize && likely('scatter', 0.5))
      task.directives.place = { tier: 'edge', target: 'all' }
  const scopes = scopesOf(workflow)
  const placement: Placement = {}
  for (const task of tasks) {
    const onDevices = task.args.role === 'sensor' || scopes.get(task.name) === 'scatter'
    placement[task.name] =
      scopes.get(task.name) === 'swarm' ? 'cloud' : onDevices || likely('edge', 0.5) ? 'edge' : 'cloud'
  }
  relate(random, workflow, placement, likely('serial', 0.25), likely('overlap', 0.2))
  return { workflow, placement }
}

function relate(
  random: Rng,
  workflow: Workflow,
  placement: Placement,
  serial: boolean,
  overlap: boolean,
): void {
  const { tasks } = workflow
  const kinds = kindsOf(workflow)
  if (serial && tasks.length > 1) {
    const at = Math.floor(random() * (tasks.length - 1))
    const [a, b] = [tasks[at] as Task, tasks[at + 1 + Math.floor(random() * (tasks.length - at - 1))] as Task]
    const root = b.parents.length === 0
    if (!(root && placement[b.name] === 'edge'))
      workflow.relations.push({
        kind: 'serial',
        a: a.name,
        b: b.name,
        ...(random() < 0.3 && { scope: 'swarm' as const }),
      })
  }
  if (overlap) {
    const child = tasks.find(({ parents }) => parents.some((parent) => kinds.get(parent)?.out === 'object'))
    const parent = child?.parents.find((name) => kinds.get(name)?.out === 'object')
    const taken = workflow.relations.some(
      ({ a, b }) => [a, b].includes(child?.name ?? '') && [a, b].includes(parent ?? ''),
    )
    if (child && parent && !taken) workflow.relations.push({ kind: 'overlap', a: parent, b: child.name })
  }
}
