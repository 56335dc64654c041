import { getStraightPath, ViewportPortal } from '@xyflow/react'
import { memo, useMemo, useRef } from 'react'
import { NODE_WIDTH, type Points } from '../model/card.ts'
import type { LinkEdge } from './graph.ts'
import type { CanvasNode } from './groupNodes.ts'
import { linkPath } from './linkPath.ts'

type Nodes = ReadonlyMap<string, CanvasNode>

/** The path of an edge, as `LinkViews` draws it; empty when an end is missing. */
function pathOf({ source, target, type }: LinkEdge, nodes: Nodes): string {
  const [from, to] = [nodes.get(source), nodes.get(target)]
  if (!from || !to) return ''
  const middle = ({ position, height = 0 }: CanvasNode): number => position.y + height / 2
  const ends = { sourceY: middle(from), targetY: middle(to) }
  if (type === 'relation')
    return getStraightPath({
      ...ends,
      sourceX: from.position.x + NODE_WIDTH / 2,
      targetX: to.position.x + NODE_WIDTH / 2,
    })[0]
  return linkPath({ ...ends, sourceX: from.position.x + NODE_WIDTH, targetX: to.position.x })[0]
}

/** Widths in pixels of the screen, at any zoom. */
type Kind = 'data' | 'relation' | 'selected'
const kinds: Record<Kind, { stroke: string; strokeWidth: number }> = {
  relation: { stroke: 'var(--color-fabric)', strokeWidth: 0.75 },
  data: { stroke: 'var(--color-arrow)', strokeWidth: 0.75 },
  selected: { stroke: 'var(--color-accent)', strokeWidth: 2 },
}

const Paths = memo(function Paths({ edges, nodes }: { edges: readonly LinkEdge[]; nodes: Nodes }) {
  const paths: Record<Kind, string> = { relation: '', data: '', selected: '' }
  for (const edge of edges)
    paths[edge.selected ? 'selected' : edge.type === 'relation' ? 'relation' : 'data'] += pathOf(edge, nodes)
  return (Object.keys(kinds) as Kind[]).map(
    (kind) =>
      paths[kind] && (
        <path key={kind} d={paths[kind]} fill="none" vectorEffect="non-scaling-stroke" {...kinds[kind]} />
      ),
  )
})

/**
 * All edges when tasks are plain boxes: a path for each kind, behind the tasks, instead of elements for each edge. Those of the
 * tasks being dragged are apart, so that the others stay as they are.
 */
export function FarLinks({
  edges,
  nodes,
  dragged,
}: {
  edges: readonly LinkEdge[]
  nodes: readonly CanvasNode[]
  dragged: Points
}) {
  const now = useMemo(() => new Map(nodes.map((node) => [node.id, node])), [nodes])
  const moving = useMemo(
    () =>
      nodes
        .filter((node) =>
          node.type === 'frame' ? node.data.tasks.some((task) => dragged[task]) : dragged[node.id],
        )
        .map(({ id }) => id)
        .join('\n'),
    [nodes, dragged],
  )
  const [still, moved] = useMemo(() => {
    const ids = new Set(moving.split('\n'))
    const isMoved = ({ source, target }: LinkEdge): boolean => ids.has(source) || ids.has(target)
    return [edges.filter((edge) => !isMoved(edge)), edges.filter(isMoved)]
  }, [edges, moving])
  // While tasks are dragged, the others stay where they were.
  const settled = useRef(now)
  if (moving === '') settled.current = now
  return (
    <ViewportPortal>
      <svg
        aria-hidden="true"
        data-testid="far-links"
        className="pointer-events-none absolute top-0 left-0 overflow-visible"
        style={{ zIndex: -1 }}
      >
        <Paths edges={still} nodes={settled.current} />
        {moved.length > 0 && <Paths edges={moved} nodes={now} />}
      </svg>
    </ViewportPortal>
  )
}
