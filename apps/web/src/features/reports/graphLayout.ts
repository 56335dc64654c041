/** Where the tasks stand on a read-only canvas. */
import { layout as dagreLayout, Graph } from '@dagrejs/dagre'
import { edgesOf, type Workflow } from '@hivemind/workflow'
import type { Layout } from '../../api/types.ts'

export const NODE_WIDTH = 180
export const NODE_HEIGHT = 58

export interface Position {
  x: number
  y: number
}

/** The person's own arrangement when it knows every task, else one made here from left to right. */
export function positionsOf(workflow: Workflow, own?: Layout): Map<string, Position> {
  if (own && workflow.tasks.every((task) => own.nodes[task.name] !== undefined))
    return new Map(
      workflow.tasks.map((task) => [
        task.name,
        { x: own.nodes[task.name]?.x ?? 0, y: own.nodes[task.name]?.y ?? 0 },
      ]),
    )
  const graph = new Graph()
  graph.setGraph({ rankdir: 'LR', nodesep: 24, ranksep: 40 })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const task of workflow.tasks) graph.setNode(task.name, { width: NODE_WIDTH, height: NODE_HEIGHT })
  for (const edge of edgesOf(workflow)) graph.setEdge(edge.from, edge.to)
  dagreLayout(graph)
  return new Map(
    workflow.tasks.map((task) => {
      const node = graph.node(task.name) as Position
      return [task.name, { x: node.x - NODE_WIDTH / 2, y: node.y - NODE_HEIGHT / 2 }]
    }),
  )
}
