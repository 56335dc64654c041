/** The Node-RED flow of the edge tier: one tab; a task is a node, data that stays on the device a wire. */
import { edgeTasks, isEntered, leavesDevice, outsideData, wiredParents } from './edges.ts'
import { hashOf } from './hash.ts'
import type { NodeRedNode, Plan, PlanTask } from './plan.ts'

const COLUMN = 220
const ROW = 80

/**
 * The flow that every edge agent loads. Node types, implemented by `apps/edge-agent`: `hivemind-in` (an invocation
 * from outside), `hivemind-join` (waits for all parents of an item), `hivemind-task`, `hivemind-out` (an item leaves).
 */
export function edgeFlow(plan: Plan): NodeRedNode[] {
  const tab = idOf(plan, 'tab', plan.workflow)
  const nodes: NodeRedNode[] = [{ id: tab, type: 'tab', label: plan.workflow, disabled: false, info: '' }]
  const depths = depthsOf(plan)
  edgeTasks(plan).forEach((task, row) => {
    const column = depths.get(task.name) ?? 0
    const place = (offset: number) => ({ z: tab, x: 120 + (column * 4 + offset) * COLUMN, y: 80 + row * ROW })
    const wired = wiredParents(plan, task)
    const joins = task.parents.length > 1 && wired.length > 0
    const taskId = idOf(plan, 'task', task.name)
    const joinId = idOf(plan, 'join', task.name)
    if (isEntered(plan, task))
      nodes.push({
        id: idOf(plan, 'in', task.name),
        type: 'hivemind-in',
        name: `to ${task.name}`,
        task: task.name,
        data: outsideData(plan, task),
        ...place(0),
        wires: [[joins ? joinId : taskId]],
      })
    if (joins)
      nodes.push({
        id: joinId,
        type: 'hivemind-join',
        name: `join for ${task.name}`,
        task: task.name,
        wiredParents: wired,
        outside: wired.length < task.parents.length,
        ...place(1),
        wires: [[taskId]],
      })
    nodes.push({
      id: taskId,
      type: 'hivemind-task',
      name: task.name,
      task: task.name,
      runtime: task.runtime,
      code: task.code,
      bundle: task.bundle,
      args: task.args,
      dataIn: task.dataIn,
      dataOut: task.dataOut,
      timeoutMs: task.timeoutMs,
      memoryMB: task.memoryMB,
      ...place(2),
      wires: [wiresOf(plan, task)],
    })
    if (leavesDevice(plan, task))
      nodes.push({
        id: idOf(plan, 'out', task.name),
        type: 'hivemind-out',
        name: task.dataOut ?? task.name,
        task: task.name,
        data: task.dataOut,
        ...place(3),
        wires: [],
      })
  })
  return nodes
}

function wiresOf(plan: Plan, task: PlanTask): string[] {
  const targets = plan.links
    .filter((link) => link.from === task.name && link.transport === 'wire')
    .map((link) => {
      const child = plan.tasks.find((other) => other.name === link.to)
      return idOf(plan, (child?.parents.length ?? 0) > 1 ? 'join' : 'task', link.to)
    })
  return leavesDevice(plan, task) ? [...targets, idOf(plan, 'out', task.name)] : targets
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
