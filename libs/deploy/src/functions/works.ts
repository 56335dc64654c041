/** The functions that a deployment has, and which of them serves a device. Pure. */
import { nodeServing, tierRow } from '@hivemind/swarm'
import { containersOf, type PlanTask } from '@hivemind/synthesis'
import { functionName } from '@hivemind/task-runner'
import type { DeploymentSpec, EdgeNodeSpec } from '../types.ts'
import type { FunctionWork } from './hosting.ts'

/** A function, with the board or the edge node that it is on. */
export interface DeployedFunction extends Pick<FunctionWork, 'name' | 'task' | 'node' | 'machine' | 'board'> {
  /** The tasks that share its container, each behind the one that it follows. */
  coPlaced?: readonly PlanTask[]
}

/** Every function of a deployment: one for each task that is called or for those that share a container, and on edge nodes one for each node. */
export function functionsOf({
  synthesis,
  boards,
  edgeNodes,
}: Pick<DeploymentSpec, 'synthesis' | 'boards' | 'edgeNodes'>): DeployedFunction[] {
  return containersOf(synthesis.plan).flatMap(([task, ...coPlaced]): DeployedFunction[] => {
    if (coPlaced.length > 0) return [{ name: nameOf([task, ...coPlaced]), task, coPlaced }]
    if (isOnNodes(task))
      return nodeNames(edgeNodes).map((node) => ({
        name: nameOf([task], node),
        task,
        node,
        ...(edgeNodes?.machines && { machine: node }),
      }))
    const board = boards?.[task.name]
    return [{ name: task.name, task, ...(board !== undefined && { board }) }]
  })
}

/** The functions of a deployment, each with its code. */
export function functionWorksOf(spec: DeploymentSpec): FunctionWork[] {
  const { plan, bundles } = spec.synthesis
  const byTask = new Map(bundles.map((bundle) => [bundle.task, bundle]))
  return functionsOf(spec).map(({ coPlaced, ...each }) => ({
    ...each,
    workflow: plan.workflow,
    bundle: byTask.get(each.task.name),
    projectDir: spec.projectDir,
    ...(coPlaced && { coPlaced: coPlaced.map((task) => ({ task, bundle: byTask.get(task.name) })) }),
  }))
}

/**
 * Names the function of a task that serves a device, by the device's number from 0. The edge nodes have the devices in turn, as in the
 * estimates (`nodesOfDevices`).
 */
export function functionsServing({
  synthesis,
  edgeNodes,
}: Pick<DeploymentSpec, 'synthesis' | 'edgeNodes'>): (task: PlanTask, device: number) => string {
  const nodes = nodeNames(edgeNodes)
  const names = new Map(
    containersOf(synthesis.plan).flatMap((tasks) => tasks.map(({ name }) => [name, nameOf(tasks)])),
  )
  return (task, device) =>
    isOnNodes(task)
      ? nameOf([task], nodes[nodeServing(device, nodes.length)])
      : (names.get(task.name) ?? task.name)
}

const nameOf = (tasks: readonly PlanTask[], node?: string): string =>
  functionName(
    tasks.map(({ name }) => name),
    node,
  )

/** Whether a function is where the cloud of its deployment is, and not on a machine of its own. */
export const isInCloud = ({ machine }: Pick<FunctionWork, 'machine'>): boolean => machine === undefined

const isOnNodes = (task: PlanTask): boolean => tierRow(task.tier).hardware === 'nodes'

const nodeNames = (nodes: EdgeNodeSpec | undefined): readonly string[] =>
  nodes?.machines ?? Array.from({ length: nodes?.count ?? 0 }, (_, index) => `${nodes?.name}-${index + 1}`)
