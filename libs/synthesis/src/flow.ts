/** The Node-RED flow of the edge tier: one tab; a task is a node, data that stays on the device a wire. */
import { edgeTasks, wiredParents } from './edges.ts'
import { hashOf } from './hash.ts'
import type { NodeRedNode, Plan, PlanTask } from './plan.ts'

const COLUMN = 220
const ROW = 80

/**
 * The flow that every edge agent loads: a node of type `hivemind-task` for each edge task, and a wire wherever data stays on
 * the device. The run core on the device decides what is ready when a message reaches a node.
 */
export function edgeFlow(plan: Plan): NodeRedNode[] {
  const tab = idOf(plan, 'tab', plan.workflow)
  const depths = depthsOf(plan)
  const nodes = edgeTasks(plan).map(
    (task, row): NodeRedNode => ({
      id: idOf(plan, 'task', task.name),
      type: 'hivemind-task',
      name: task.name,
      task: task.name,
      runtime: task.runtime,
      code: task.code,
      bundle: task.bundle,
      dataIn: task.dataIn,
      dataOut: task.dataOut,
      z: tab,
      x: 120 + (depths.get(task.name) ?? 0) * COLUMN,
      y: 80 + row * ROW,
      wires: [wiresOf(plan, task)],
    }),
  )
  return [{ id: tab, type: 'tab', label: plan.workflow, disabled: false, info: '' }, ...nodes]
}

function wiresOf(plan: Plan, task: PlanTask): string[] {
  return plan.links
    .filter((link) => link.from === task.name && link.transport === 'wire')
    .map((link) => idOf(plan, 'task', link.to))
}

function idOf(plan: Plan, kind: string, name: string): string {
  return hashOf(`${plan.workflow}\0${kind}\0${name}`).slice(0, 16)
}

function depthsOf(plan: Plan): Map<string, number> {
  const depths = new Map<string, number>()
  for (const task of plan.tasks)
    depths.set(
      task.name,
      Math.max(0, ...wiredParents(plan, task).map((parent) => (depths.get(parent) ?? 0) + 1)),
    )
  return depths
}
