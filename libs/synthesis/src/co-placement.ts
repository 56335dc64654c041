/**
 * Which functions share a container, so that what one emits is handed to the next in memory (HiveMind 4.3: a child in the container of
 * its parent, where the two allow it). Pure.
 */
import { tierRow } from '@hivemind/swarm'
import { functionTasks } from './edges.ts'
import type { Plan, PlanTask } from './plan.ts'

/** The plan with a parent named for every task that can run in the container of one. */
export function coPlace(plan: Plan): Plan {
  const byName = new Map(plan.tasks.map((task) => [task.name, task]))
  return {
    ...plan,
    handOver: 'co-placed',
    tasks: plan.tasks.map((task) => {
      const [parent] = task.parents.map((name) => byName.get(name))
      return parent && canFollow(parent, task) ? { ...task, inContainerOf: parent.name } : task
    }),
  }
}

/**
 * Whether each call of the task follows from one item of its parent alone, so that its container can make it without asking the run: the
 * parent emits one item for a call, which is all that the task reads, and nothing else decides when it starts.
 */
function canFollow(parent: PlanTask, task: PlanTask): boolean {
  const isFunction = [parent, task].every(({ tier, isolate }) => tierRow(tier).id === 'cloud' && !isolate)
  const readsItAlone =
    task.parents.length === 1 && task.dataIn.length === 1 && task.dataIn[0] === parent.dataOut
  const oneForOne =
    parent.scope === task.scope &&
    task.scope !== 'scatter' &&
    parent.kindIn === task.kindIn &&
    [parent, task].every(({ kindIn, kindOut }) => kindIn === 'stream' || kindOut === 'object')
  const startsAtOnce =
    !task.barrier &&
    task.stateKey === undefined &&
    task.serialWith.length === 0 &&
    task.serialAfter === undefined &&
    task.overlaps === undefined &&
    task.learn === undefined &&
    task.onMiss === undefined &&
    task.priority === parent.priority
  return isFunction && readsItAlone && oneForOne && startsAtOnce
}

/** The tasks of each function of a plan: one, or those that share a container, each after its parent. */
export function containersOf(plan: Plan): [PlanTask, ...PlanTask[]][] {
  const containers = new Map<string, [PlanTask, ...PlanTask[]]>()
  for (const task of functionTasks(plan)) {
    const shared = task.inContainerOf === undefined ? undefined : containers.get(task.inContainerOf)
    if (shared) shared.push(task)
    containers.set(task.name, shared ?? [task])
  }
  return [...new Set(containers.values())]
}

/** The tasks that go on in the container of a task when it has emitted its item, each after its parent. */
export function followersOf(plan: Plan, task: string): PlanTask[] {
  const within = new Set([task])
  return plan.tasks.filter(({ name, inContainerOf }) => {
    const follows = inContainerOf !== undefined && within.has(inContainerOf)
    if (follows) within.add(name)
    return follows
  })
}
