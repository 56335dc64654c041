/** Layout by elkjs in a worker, with a deadline, since it may not terminate on unusual graphs. */
import { edgesOf, type Workflow } from '@hivemind/workflow'
import { GAP_X, GAP_Y, NODE_HEIGHT, NODE_WIDTH, type Point } from './card.ts'
import { layered } from './place.ts'
import { wrapped } from './wrap.ts'

const DEADLINE_MS = 3000

interface ElkGraph {
  children?: { id: string; x?: number; y?: number }[]
}

/** Positions of all tasks, in rows when one would be long: in plain layers when ELK fails or misses the deadline. */
export async function tidy(workflow: Workflow): Promise<{ points: Record<string, Point>; isPlain: boolean }> {
  try {
    return { points: wrapped(await withElk(workflow)), isPlain: false }
  } catch {
    return { points: layered(workflow), isPlain: true }
  }
}

async function withElk(workflow: Workflow): Promise<Record<string, Point>> {
  const [{ default: Elk }, { default: workerUrl }] = await Promise.all([
    import('elkjs/lib/elk-api.js'),
    import('elkjs/lib/elk-worker.min.js?url'),
  ])
  const elk = new Elk({ workerFactory: () => new Worker(workerUrl) })
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
        },
        children: workflow.tasks.map(({ name }) => ({ id: name, width: NODE_WIDTH, height: NODE_HEIGHT })),
        edges: edgesOf(workflow).map(({ from, to }) => ({
          id: `${from}>${to}`,
          sources: [from],
          targets: [to],
        })),
      }) as Promise<ElkGraph>,
      new Promise<never>((_, reject) => {
        timer = setTimeout(() => reject(new Error('The layout took too long.')), DEADLINE_MS)
      }),
    ])
    const points: Record<string, Point> = {}
    for (const { id, x = 0, y = 0 } of graph.children ?? [])
      points[id] = { x: Math.round(x), y: Math.round(y) }
    return points
  } finally {
    clearTimeout(timer)
    elk.terminateWorker()
  }
}
