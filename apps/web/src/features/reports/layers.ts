/** Layered layout of tasks. Pure. */
import { layout as dagreLayout, Graph } from '@dagrejs/dagre'
import { edgesOf, type Workflow } from '@hivemind/workflow'

/** In pixels at zoom 1. */
export interface Position {
  x: number
  y: number
}

/** Sizes are in pixels at zoom 1. */
export interface LayerStyle {
  /** Direction of the edges. */
  flow: 'right' | 'down'
  width: number
  height: number
  /** Gap between the tasks of a layer. */
  within: number
  /** Gap between layers. */
  between: number
}

/** Largest workflow that dagre arranges. It takes seconds for a larger one, which gets a simpler layout. */
const MAX_DAGRE_TASKS = 80
/** Sweeps that order the layers, each once forward and once backward. */
const SWEEPS = 6

/** Position of the upper left corner of each task. */
export function inLayers(workflow: Workflow, style: LayerStyle): Map<string, Position> {
  return workflow.tasks.length <= MAX_DAGRE_TASKS ? byDagre(workflow, style) : byBarycentre(workflow, style)
}

function byDagre(
  workflow: Workflow,
  { flow, width, height, within, between }: LayerStyle,
): Map<string, Position> {
  const graph = new Graph()
  graph.setGraph({ rankdir: flow === 'right' ? 'LR' : 'TB', nodesep: within, ranksep: between })
  graph.setDefaultEdgeLabel(() => ({}))
  for (const task of workflow.tasks) graph.setNode(task.name, { width, height })
  for (const edge of edgesOf(workflow)) graph.setEdge(edge.from, edge.to)
  dagreLayout(graph)
  return new Map(
    workflow.tasks.map(({ name }) => {
      const node = graph.node(name) as Position
      return [name, { x: node.x - width / 2, y: node.y - height / 2 }]
    }),
  )
}

/** Barycentre layout: each task one layer after its last parent, near its neighbours in its layer; layers are centred. */
function byBarycentre(
  workflow: Workflow,
  { flow, width, height, within, between }: LayerStyle,
): Map<string, Position> {
  const names = workflow.tasks.map(({ name }) => name)
  const indexOf = new Map(names.map((name, at) => [name, at]))
  const parents = names.map((): number[] => [])
  const children = names.map((): number[] => [])
  for (const { from, to } of edgesOf(workflow)) {
    const [a, b] = [indexOf.get(from), indexOf.get(to)]
    if (a === undefined || b === undefined || a === b) continue
    children[a]?.push(b)
    parents[b]?.push(a)
  }
  const layers = layersOf(parents, children)
  /** Position of each task in its layer, counted from the middle of the layer. */
  const place = names.map(() => 0)
  const put = (layer: readonly number[]) => {
    for (const [at, task] of layer.entries()) place[task] = at - (layer.length - 1) / 2
  }
  const order = (layer: number[], near: readonly number[][]) => {
    const wish = new Map(
      layer.map((task) => {
        const others = near[task] ?? []
        const own = place[task] ?? 0
        const mean = others.reduce((sum, other) => sum + (place[other] ?? 0), 0) / others.length
        return [task, others.length > 0 ? mean : own]
      }),
    )
    layer.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0) || a - b)
    put(layer)
  }
  layers.forEach(put)
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const layer of layers) order(layer, parents)
    for (const layer of layers.toReversed()) order(layer, children)
  }
  const [along, across] = flow === 'right' ? [width, height] : [height, width]
  return new Map(
    layers.flatMap((layer, depth) =>
      layer.map((task): [string, Position] => {
        const forth = depth * (along + between)
        const aside = (place[task] ?? 0) * (across + within)
        return [names[task] ?? '', flow === 'right' ? { x: forth, y: aside } : { x: aside, y: forth }]
      }),
    ),
  )
}

/** Tasks by the length of the longest path to them; tasks without parents right before their children. Cycles are cut. */
function layersOf(parents: readonly number[][], children: readonly number[][]): number[][] {
  const depth = parents.map(() => 0)
  const open = parents.map((own) => own.length)
  const ready = open.flatMap((count, task) => (count === 0 ? [task] : []))
  const first = [...ready]
  for (let at = 0; at < ready.length; at++) {
    const task = ready[at] as number
    for (const child of children[task] ?? []) {
      depth[child] = Math.max(depth[child] ?? 0, (depth[task] ?? 0) + 1)
      open[child] = (open[child] ?? 0) - 1
      if (open[child] === 0) ready.push(child)
    }
  }
  for (const task of first) {
    const next = (children[task] ?? []).reduce(
      (min, child) => Math.min(min, depth[child] ?? 0),
      Number.POSITIVE_INFINITY,
    )
    if (Number.isFinite(next)) depth[task] = Math.max(0, next - 1)
  }
  const layers: number[][] = []
  for (const [task, at] of depth.entries()) {
    while (layers.length <= at) layers.push([])
    layers[at]?.push(task)
  }
  return layers.filter((layer) => layer.length > 0)
}
