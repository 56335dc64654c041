/** Layout by elkjs in a worker, with a deadline, since it may not terminate on unusual graphs. */
import { edgesOf, type Workflow } from '@hivemind/workflow'
import { GAP_X, GAP_Y, NODE_HEIGHT, NODE_WIDTH, type Point } from './card.ts'
import { layered } from './place.ts'
import { wrapped } from './wrap.ts'

const DEADLINE_MS = 3000

interface ElkNode {
  id: string
  x?: number
  y?: number
  children?: ElkNode[]
}

type Groups = ReadonlyMap<string, readonly string[]>

/** Positions of all tasks, in rows when one would be long, the tasks of a group together: in plain layers when ELK fails or misses the deadline. */
export async function tidy(
  workflow: Workflow,
  groups: Groups,
): Promise<{ points: Record<string, Point>; isPlain: boolean }> {
  try {
    const points = await withElk(workflow, groups)
    // A row must not end within a group.
    return { points: groups.size > 0 ? points : wrapped(points), isPlain: false }
  } catch {
    return { points: layered(workflow), isPlain: true }
  }
}

async function withElk(workflow: Workflow, groups: Groups): Promise<Record<string, Point>> {
  const [{ default: Elk }, { default: workerUrl }] = await Promise.all([
    import('elkjs/lib/elk-api.js'),
    import('elkjs/lib/elk-worker.min.js?url'),
  ])
  const elk = new Elk({ workerFactory: () => new Worker(workerUrl) })
  const inGroup = new Set([...groups.values()].flat())
  const card = (id: string) => ({ id, width: NODE_WIDTH, height: NODE_HEIGHT })
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    const graph = await Promise.race([
      elk.layout({
        id: 'workflow',
        layoutOptions: {
          'elk.algorithm': 'layered',
          'elk.direction': 'RIGHT',
          'elk.layered.spacing.nodeNodeBetweenLayers': String(GAP_X),
          'elk.spacing.nodeNode': String(GAP_Y),
          'elk.layered.nodePlacement.strategy': 'BRANDES_KOEPF',
          'elk.layered.considerModelOrder.strategy': 'NODES_AND_EDGES',
          ...(groups.size > 0 && { 'elk.hierarchyHandling': 'INCLUDE_CHILDREN' }),
        },
        children: [
          ...workflow.tasks.filter(({ name }) => !inGroup.has(name)).map(({ name }) => card(name)),
          ...[...groups].map(([name, tasks]) => ({
            id: `group ${name}`,
            layoutOptions: { 'elk.padding': '[top=56,left=24,bottom=24,right=24]' },
            children: tasks.map(card),
          })),
        ],
        edges: edgesOf(workflow).map(({ from, to }) => ({
          id: `${from}>${to}`,
          sources: [from],
          targets: [to],
        })),
      }) as Promise<Omit<ElkNode, 'id'>>,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('The layout took too long.')), DEADLINE_MS)
      }),
    ])
    const points: Record<string, Point> = {}
    const place = (nodes: readonly ElkNode[], from: Point): void => {
      for (const { id, x = 0, y = 0, children } of nodes) {
        const at = { x: Math.round(from.x + x), y: Math.round(from.y + y) }
        if (children) place(children, at)
        else points[id] = at
      }
    }
    place(graph.children ?? [], { x: 0, y: 0 })
    return points
  } finally {
    clearTimeout(timer)
    elk.terminateWorker()
  }
}
