import { edgesOf, type Workflow } from '@hivemind/workflow'
import { useCallback, useMemo, useState } from 'react'
import type { Layout, Placement, TaskState, Tier } from '../../api/types.ts'
import { type Change, changeLooks } from './change.ts'
import { displayStateOf, stateColour, stateLabel } from './displayState.ts'
import { arrange, NODE_HEIGHT, NODE_WIDTH } from './graphLayout.ts'
import type { Position } from './layers.ts'
import { tierColour, tierLabel } from './tiers.ts'

const rectangle = ({ x, y }: Position) => `M${x} ${y}h${NODE_WIDTH}v${NODE_HEIGHT}h${-NODE_WIDTH}z`

/** Properties of `TaskGraph` and `TaskMap`. */
export interface TaskGraphProps {
  workflow: Workflow
  layout?: Layout
  placement?: Placement
  states?: ReadonlyMap<string, TaskState>
  /** Whether the run of `states` has ended. */
  over?: boolean
  /** Tasks to highlight. */
  marked?: ReadonlySet<string>
  /** Bytes on each edge (`from>to`): an edge that carries more is thicker. */
  weights?: ReadonlyMap<string, number>
  /** How tasks differ between two versions. */
  changes?: ReadonlyMap<string, Change>
  /** How edges (`from>to`) differ between two versions. */
  edgeChanges?: ReadonlyMap<string, Change>
  /** Tasks whose tier can be flipped by a press. */
  flippable?: ReadonlyMap<string, unknown>
  onFlip?: (task: string) => void
  /** The task whose details are shown beside the graph. */
  chosen?: string | undefined
  onChoose?: (task: string) => void
  label: string
}

/** Name and colour that tasks share: those of a tier or, in a run, of a state. */
interface Category {
  name: string
  colour: string
}

const NOT_PLACED: Category = { name: 'not placed', colour: 'var(--color-line-strong)' }
const UNCHANGED: Category = { name: 'Unchanged', colour: 'var(--color-line-strong)' }
const tierCategory = (tier: Tier | undefined): Category =>
  tier ? { name: tierLabel[tier], colour: tierColour[tier] } : NOT_PLACED

/**
 * Overview of a large workflow: one SVG path for each tier (or, with `states`, for each state) and one for all edges.
 * Shows the name of the task under the pointer.
 */
export function TaskMap({
  workflow,
  layout,
  placement,
  states,
  over = false,
  marked,
  changes,
  label,
}: TaskGraphProps) {
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
  const categoryOf = useCallback(
    (task: string): Category => {
      if (changes) {
        const change = changes.get(task)
        return change ? { name: changeLooks[change].label, colour: changeLooks[change].colour } : UNCHANGED
      }
      if (!states) return tierCategory(placement?.[task])
      const state = displayStateOf(states.get(task), over)
      return { name: stateLabel[state], colour: stateColour[state] }
    },
    [placement, states, over, changes],
  )
  const categories = useMemo(() => {
    const byName = new Map<string, { colour: string; tasks: number; path: string }>()
    for (const [task, position] of positions) {
      const { name, colour } = categoryOf(task)
      const category = byName.get(name) ?? { colour, tasks: 0, path: '' }
      byName.set(name, category)
      category.tasks += 1
      category.path += rectangle(position)
    }
    return [...byName]
  }, [positions, categoryOf])
  const describe = (task: string): string => {
    const tier = states?.get(task)?.tier ?? placement?.[task]
    if (changes) return `${task}: ${categoryOf(task).name}`
    return `${task}: ${[...(states ? [categoryOf(task).name] : []), tierCategory(tier).name].join(', ')}`
  }
  const outlined = useMemo(
    () => [...positions].map(([task, position]) => (marked?.has(task) ? rectangle(position) : '')).join(''),
    [positions, marked],
  )
  const counts = categories.map(([name, { tasks }]) => `${name} ${tasks.toLocaleString('en-GB')}`).join(', ')
  return (
    <section className="relative h-full min-h-44 w-full p-2">
      <svg
        role="img"
        aria-label={`${label}; tasks: ${counts}`}
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
        {categories.map(([name, { colour, path }]) => (
          <path key={name} d={path} fill={colour} />
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
        {pointed === undefined ? counts : describe(pointed)}
      </p>
    </section>
  )
}

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
