/**
 * Which functions share a container, so that what one emits is handed to the next in memory (HiveMind 4.3: a child in the container of
 * its parent, where the two allow it). Pure.
 */
import { tierRow } from '@hivemind/swarm'
import { functionTasks } from './edges.ts'
import type { Plan, PlanTask } from './plan.ts'

/** The plan with a container named for every task that can run in that of its parents. */
export function coPlace(plan: Plan): Plan {
  const placed = new Map<string, PlanTask>()
  for (const task of plan.tasks) {
    const parents = task.parents.flatMap((name) => placed.get(name) ?? [])
    const [container, ...others] = new Set(parents.map(containerOf))
    const shares = container !== undefined && others.length === 0 && canFollow(parents, task)
    placed.set(task.name, shares ? { ...task, inContainerOf: container } : task)
  }
  return { ...plan, handOver: 'co-placed', tasks: [...placed.values()] }
}

const containerOf = ({ name, inContainerOf }: PlanTask): string => inContainerOf ?? name

/**
 * Whether each call of the task follows from one item of each of its parents alone, which are in one container, so that this can make it
 * without asking the run: a parent emits one item for a call, the items are all that the task reads, and nothing else decides when it starts.
 */
function canFollow(parents: readonly PlanTask[], task: PlanTask): boolean {
  const all = [...parents, task]
  const areFunctions = all.every(({ tier, isolate }) => tierRow(tier).id === 'cloud' && !isolate)
  const given = new Set(parents.map(({ dataOut }) => dataOut))
  const readsThemAlone =
    task.parents.length === given.size &&
    task.dataIn.length === given.size &&
    task.dataIn.every((data) => given.has(data))
  const oneForOne =
    task.scope !== 'scatter' &&
    all.every(
      ({ scope, kindIn, kindOut }) =>
        scope === task.scope && kindIn === task.kindIn && (kindIn === 'stream' || kindOut === 'object'),
    )
  const startsAtOnce =
    !task.barrier &&
    task.stateKey === undefined &&
    task.serialWith.length === 0 &&
    task.serialAfter === undefined &&
    task.overlaps === undefined &&
    task.learn === undefined &&
    task.onMiss === undefined &&
    all.every(({ priority }) => priority === task.priority)
  return areFunctions && readsThemAlone && oneForOne && startsAtOnce
}

/** The tasks of each function of a plan: one, or those that share a container, each after its parents. */
export function containersOf(plan: Plan): [PlanTask, ...PlanTask[]][] {
  const containers = new Map<string, [PlanTask, ...PlanTask[]]>()
  for (const task of functionTasks(plan)) {
    const shared = containers.get(containerOf(task))
    if (shared) shared.push(task)
    else containers.set(task.name, [task])
  }
  return [...containers.values()]
}

/** The tasks that the container of a task goes on with when that is called and has emitted its item, each after its parents. */
export function followersOf(plan: Plan, task: string): PlanTask[] {
  const called = plan.tasks.find(({ name }) => name === task)
  const within = new Set([task])
  return plan.tasks.filter(({ name, parents, inContainerOf }) => {
    const follows =
      called !== undefined &&
      inContainerOf === containerOf(called) &&
      parents.every((parent) => within.has(parent))
    if (follows) within.add(name)
    return follows
  })
}
