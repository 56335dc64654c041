import { edgesOf, type Workflow } from '@hivemind/workflow'
import { useMemo, useState } from 'react'
import type { Layout, Placement, Tier } from '../../api/types.ts'
import { arrange, NODE_HEIGHT, NODE_WIDTH } from './graphLayout.ts'
import type { Position } from './layers.ts'
import { tierColour, tierLabel } from './TierChip.tsx'

const rectangle = ({ x, y }: Position) => `M${x} ${y}h${NODE_WIDTH}v${NODE_HEIGHT}h${-NODE_WIDTH}z`

/** A large workflow at a glance: one path for each tier and one for all arrows. The pointer names the task under it. */
export function TaskMap({
  workflow,
  layout,
  placement,
  marked,
  label,
}: {
  workflow: Workflow
  layout?: Layout
  placement?: Placement
  /** Tasks to stand out. */
  marked?: ReadonlySet<string>
  label: string
}) {
  const [pointed, setPointed] = useState<string>()
  const { positions } = useMemo(() => arrange(workflow, layout, undefined), [workflow, layout])
  const view = useMemo(() => viewOf([...positions.values()]), [positions])
  const arrows = useMemo(
    () =>
      edgesOf(workflow)
        .map(({ from, to }) => {
          const [start, end] = [positions.get(from), positions.get(to)]
          return start && end
            ? `M${start.x + NODE_WIDTH} ${start.y + NODE_HEIGHT / 2}L${end.x} ${end.y + NODE_HEIGHT / 2}`
            : ''
        })
        .join(''),
    [workflow, positions],
  )
  const tiers = useMemo(() => {
    const paths = new Map<Tier | undefined, string[]>()
    for (const [task, position] of positions) {
      const tier = placement?.[task]
      const path = paths.get(tier) ?? []
      paths.set(tier, path)
      path.push(rectangle(position))
    }
    return [...paths]
  }, [positions, placement])
  const outlined = useMemo(
    () => [...positions].map(([task, position]) => (marked?.has(task) ? rectangle(position) : '')).join(''),
    [positions, marked],
  )
  const counts = tiers.map(([tier, path]) => `${nameOf(tier)} ${path.length.toLocaleString('en-GB')}`)
  const tier = pointed === undefined ? undefined : placement?.[pointed]
  return (
    <section className="relative h-full min-h-44 w-full p-2">
      <svg
        role="img"
        aria-label={`${label}; tasks: ${counts.join(', ')}`}
        className="size-full"
        viewBox={`${view.x} ${view.y} ${view.width} ${view.height}`}
        preserveAspectRatio="none"
        onPointerMove={({ currentTarget, clientX, clientY }) => {
          const box = currentTarget.getBoundingClientRect()
          const x = view.x + ((clientX - box.left) / box.width) * view.width
          const y = view.y + ((clientY - box.top) / box.height) * view.height
          setPointed(taskAt(positions, { x, y }))
        }}
        onPointerLeave={() => setPointed(undefined)}
      >
        <path
          d={arrows}
          fill="none"
          stroke="var(--color-line-strong)"
          strokeWidth={0.5}
          opacity={0.4}
          vectorEffect="non-scaling-stroke"
        />
        {tiers.map(([each, path]) => (
          <path
            key={each ?? ''}
            d={path.join('')}
            fill={each ? tierColour[each] : 'var(--color-line-strong)'}
          />
        ))}
        {outlined && (
          <path
            d={outlined}
            fill="none"
            stroke="var(--color-warn)"
            strokeWidth={1.5}
            vectorEffect="non-scaling-stroke"
          />
        )}
      </svg>
      <p
        className="pointer-events-none absolute bottom-1 left-1 rounded bg-surface px-1.5 text-xs"
        aria-hidden="true"
      >
        {pointed === undefined ? counts.join(', ') : `${pointed}${tier ? `: ${tierLabel[tier]}` : ''}`}
      </p>
    </section>
  )
}

const nameOf = (tier: Tier | undefined): string => (tier ? tierLabel[tier] : 'not placed')

/** The rectangle around all tasks. */
function viewOf(all: readonly Position[]) {
  let [left, top, right, bottom] = [0, 0, NODE_WIDTH, NODE_HEIGHT]
  for (const { x, y } of all) {
    left = Math.min(left, x)
    top = Math.min(top, y)
    right = Math.max(right, x + NODE_WIDTH)
    bottom = Math.max(bottom, y + NODE_HEIGHT)
  }
  return { x: left, y: top, width: right - left, height: bottom - top }
}

const taskAt = (positions: ReadonlyMap<string, Position>, { x, y }: Position): string | undefined => {
  for (const [task, at] of positions)
    if (x >= at.x && x <= at.x + NODE_WIDTH && y >= at.y && y <= at.y + NODE_HEIGHT) return task
  return undefined
}
