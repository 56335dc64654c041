import { getStraightPath, ViewportPortal } from '@xyflow/react'
import { memo, useMemo } from 'react'
import { NODE_WIDTH, type Point, type Points } from '../model/card.ts'
import { type LinkEdge, nodeHeight, type TaskData } from './graph.ts'
import { linkPath } from './linkPath.ts'

interface Ends {
  data: ReadonlyMap<string, TaskData>
  points: Points
}

/** The path of an edge, as `LinkViews` draws it; empty when an end is missing. */
function pathOf({ source, target, type }: LinkEdge, { data, points }: Ends): string {
  const [from, to] = [points[source], points[target]]
  const [parent, child] = [data.get(source), data.get(target)]
  if (!from || !to || !parent || !child) return ''
  const middle = (point: Point, shown: TaskData): number => point.y + nodeHeight(shown) / 2
  const ends = { sourceY: middle(from, parent), targetY: middle(to, child) }
  if (type === 'relation')
    return getStraightPath({ ...ends, sourceX: from.x + NODE_WIDTH / 2, targetX: to.x + NODE_WIDTH / 2 })[0]
  return linkPath({ ...ends, sourceX: from.x + NODE_WIDTH, targetX: to.x })[0]
}

/** Widths in pixels of the screen, at any zoom. */
type Kind = 'data' | 'relation' | 'selected'
const kinds: Record<Kind, { stroke: string; strokeWidth: number }> = {
  relation: { stroke: 'var(--color-fabric)', strokeWidth: 0.75 },
  data: { stroke: 'var(--color-arrow)', strokeWidth: 0.75 },
  selected: { stroke: 'var(--color-accent)', strokeWidth: 2 },
}

const Paths = memo(function Paths({ edges, ends }: { edges: readonly LinkEdge[]; ends: Ends }) {
  const paths: Record<Kind, string> = { relation: '', data: '', selected: '' }
  for (const edge of edges)
    paths[edge.selected ? 'selected' : edge.type === 'relation' ? 'relation' : 'data'] += pathOf(edge, ends)
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
  data,
  points,
  dragged,
}: Ends & { edges: readonly LinkEdge[]; dragged: Points }) {
  const moving = Object.keys(dragged).join('\n')
  const [still, moved] = useMemo(() => {
    const tasks = new Set(moving.split('\n'))
    const isMoved = ({ source, target }: LinkEdge): boolean => tasks.has(source) || tasks.has(target)
    return [edges.filter((edge) => !isMoved(edge)), edges.filter(isMoved)]
  }, [edges, moving])
  const ends = useMemo(() => ({ data, points }), [data, points])
  return (
    <ViewportPortal>
      <svg
        aria-hidden="true"
        data-testid="far-links"
        className="pointer-events-none absolute top-0 left-0 overflow-visible"
        style={{ zIndex: -1 }}
      >
        <Paths edges={still} ends={ends} />
        {moved.length > 0 && <Paths edges={moved} ends={{ data, points: { ...points, ...dragged } }} />}
      </svg>
    </ViewportPortal>
  )
}
