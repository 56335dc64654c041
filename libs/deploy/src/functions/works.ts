/** The functions that a deployment has, and which of them serves a device. Pure. */
import { nodeServing, tierRow } from '@hivemind/swarm'
import { functionTasks, type PlanTask } from '@hivemind/synthesis'
import { functionName } from '@hivemind/task-runner'
import type { DeploymentSpec, EdgeNodeSpec } from '../types.ts'
import type { FunctionWork } from './hosting.ts'

/** A task that is called, with the board or the edge node that it is on. */
export type DeployedFunction = Pick<FunctionWork, 'name' | 'task' | 'node' | 'machine' | 'board'>

/** Every function of a deployment: one for each task that is called, and on edge nodes one for each node. */
export function functionsOf({
  synthesis,
  boards,
  edgeNodes,
}: Pick<DeploymentSpec, 'synthesis' | 'boards' | 'edgeNodes'>): DeployedFunction[] {
  return functionTasks(synthesis.plan).flatMap((task): DeployedFunction[] => {
    if (isOnNodes(task))
      return nodeNames(edgeNodes).map((node) => ({
        name: functionName(task.name, node),
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
  return functionsOf(spec).map((each) => ({
    ...each,
    workflow: plan.workflow,
    bundle: byTask.get(each.task.name),
    projectDir: spec.projectDir,
  }))
}

/**
 * Name of the function of a task that serves a device, by the device's number from 0. The edge nodes have the devices in turn, as in the
 * estimates (`nodesOfDevices`).
 */
export function functionServing(task: PlanTask, device: number, edgeNodes: EdgeNodeSpec | undefined): string {
  if (!isOnNodes(task)) return task.name
  const nodes = nodeNames(edgeNodes)
  return functionName(task.name, nodes[nodeServing(device, nodes.length)])
}

/** Whether a function is where the cloud of its deployment is, and not on a machine of its own. */
export const isInCloud = ({ machine }: Pick<FunctionWork, 'machine'>): boolean => machine === undefined

const isOnNodes = (task: PlanTask): boolean => tierRow(task.tier).hardware === 'nodes'

const nodeNames = (nodes: EdgeNodeSpec | undefined): readonly string[] =>
  nodes?.machines ?? Array.from({ length: nodes?.count ?? 0 }, (_, index) => `${nodes?.name}-${index + 1}`)
