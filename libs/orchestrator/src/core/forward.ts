/** What the service sends to devices: items from outside a device, to the agents that do the lane's work. */
import type { Step } from './context.ts'
import type { Part } from './events.ts'
import type { CoreEdge } from './plan.ts'
import type { Lane } from './state.ts'

/** Sends an input of an edge task to every agent that needs it; agents that are not there get it when they start. */
export function forwardTo(step: Step, device: number, edge: CoreEdge, seq: number, part: Part): void {
  const lane = step.s.lanes[device]
  if (!lane?.started || lane.homeless) return
  for (const { host } of hostsFor(lane, edge, seq))
    step.fx.push({
      type: 'forward',
      lane: device,
      host,
      task: edge.parent,
      seq,
      ref: part === null || part.kind === 'many' || part.kind === 'parted' ? null : part,
      child: edge.child,
    })
}

/** Tells the agents of a lane that a task outside it emits nothing more for a child. */
export function forwardEnd(step: Step, device: number, { parent, child }: CoreEdge): void {
  const lane = step.s.lanes[device]
  if (!lane?.started || lane.homeless) return
  for (const { host } of lane.shares)
    step.fx.push({ type: 'forwardEnd', lane: device, host, task: parent, child })
}

const hostsFor = ({ shares }: Lane, { mode }: CoreEdge, seq: number): { host: number }[] =>
  mode === 'item' ? shares.filter(({ from, to }) => seq >= from && seq < to) : shares
