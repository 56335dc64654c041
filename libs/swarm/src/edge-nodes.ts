/** Edge nodes: machines near the devices that run tasks for them (Vertex paper, section 3.2). Who serves whom, and what is wrong. */
import { type Pin, pinsToDevices, type Task, type Workflow } from '@hivemind/workflow'
import type { Fault } from './faults.ts'
import type { DeviceClass, EdgeNodes, Fleet } from './fleet.ts'
import { deviceClasses } from './fleets.ts'

/** Whether edge nodes serve the devices of a class. */
export const servesClass = ({ serves }: EdgeNodes, name: string): boolean => serves?.includes(name) ?? true

/** Number of the edge node, from 0, that serves a device of those that have one, by its number among them: they are dealt out in turn. */
export const nodeServing = (device: number, nodes: number): number => device % nodes

/** For every device of a fleet, the number of the edge node that serves it, from 0; -1 where none does. */
export function nodesOfDevices(fleet: Fleet): number[] {
  const { edgeNodes } = fleet
  let served = 0
  return deviceClasses(fleet).map(({ name }) =>
    edgeNodes && servesClass(edgeNodes, name) ? nodeServing(served++, edgeNodes.count) : -1,
  )
}

/** Whether a pin names the edge nodes of a fleet, as `Place(task, 'Edge:gateway')` does where they are called `gateway`. */
export function pinsToEdgeNodes(pin: Pin | undefined, { edgeNodes }: Pick<Fleet, 'edgeNodes'>): boolean {
  return pinsToDevices(pin) && pin.target === edgeNodes?.name
}

/**
 * The workflow with what is pinned to edge nodes of these names pinned to the cloud. On one machine that plays both, the two take as long: it
 * is measured and estimated so.
 */
export function withNodesInCloud(workflow: Workflow, names: readonly string[]): Workflow {
  return {
    ...workflow,
    tasks: workflow.tasks.map((task) =>
      isPinnedToNodes(task, names)
        ? { ...task, directives: { ...task.directives, place: { tier: 'cloud' } } }
        : task,
    ),
  }
}

/** Whether a task is pinned to edge nodes of one of these names. */
export const isPinnedToNodes = ({ directives: { place } }: Task, names: readonly string[]): boolean =>
  pinsToDevices(place) && names.includes(place.target)

/** Whether a device (from 0) is one that a pin's target stands for: all, a class, itself, or the edge nodes that serve it. */
export function matchesTarget(target: string, device: number, { name }: DeviceClass, fleet: Fleet): boolean {
  if (target === 'all' || target === name || target === `device-${device + 1}`) return true
  return target === fleet.edgeNodes?.name && servesClass(fleet.edgeNodes, name)
}

/** What a workflow calls the edge nodes that run it: as a pin names them, which must be one of the `known` names; else `edge-node`. */
export function edgeNodesNamed({ tasks }: Workflow, known: readonly string[]): string {
  return known.find((name) => tasks.some((task) => isPinnedToNodes(task, [name]))) ?? 'edge-node'
}

/** What is wrong with the edge nodes of a fleet whose fields are right one by one. */
export function edgeNodeFaults({ edgeNodes, devices, host }: Fleet): Fault[] {
  if (!edgeNodes) return []
  const classes = devices.map((group) => group.class.name)
  const serves = edgeNodes.serves ?? []
  const faults: Fault[] = []
  const fault = (field: string, message: string) =>
    faults.push({ path: field ? `edgeNodes.${field}` : 'edgeNodes', message })
  if (!/^[A-Za-z0-9][\w.-]*$/.test(edgeNodes.name))
    fault('name', 'must begin with a letter or digit, and have letters, digits, dots and hyphens only.')
  else if (edgeNodes.name === 'all' || /^device-\d+$/.test(edgeNodes.name))
    fault('name', `must be no word of Place: "Edge:${edgeNodes.name}" means devices. Choose another.`)
  else if (classes.includes(edgeNodes.name))
    fault('name', `must differ from the classes of devices: one is called "${edgeNodes.name}".`)
  for (const [index, name] of serves.entries())
    if (!classes.includes(name))
      fault(
        `serves.${index}`,
        `must be a class of devices of this fleet (${classes.join(', ')}), not "${name}".`,
      )
    else if (serves.indexOf(name) !== index)
      fault(`serves.${index}`, `must differ: "${name}" is named already.`)
  if (host)
    fault(
      '',
      'must be left out where devices and cloud are processes of one computer: edge nodes have cores of their own.',
    )
  if (devices.some((group) => group.class.awaitsArrival && servesClass(edgeNodes, group.class.name)))
    fault('', 'must be left out where the devices they serve wait until their items have arrived.')
  return faults
}
