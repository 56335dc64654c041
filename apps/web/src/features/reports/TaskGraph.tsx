import { edgesOf } from '@hivemind/workflow'
import {
  Controls,
  type Edge,
  Handle,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  type ReactFlowInstance,
} from '@xyflow/react'
import {
  ArrowLeftRight,
  Check,
  CircleAlert,
  CircleDashed,
  CircleSlash,
  Clock,
  LoaderCircle,
} from 'lucide-react'
import { createContext, memo, use, useEffect, useMemo, useRef, useState } from 'react'
import type { TaskState, Tier } from '../../api/types.ts'
import { type Change, changeLooks } from './change.ts'
import { type DisplayState, displayStateOf, stateColour, stateLabel } from './displayState.ts'
import * as format from './format.ts'
import { type Arrangement, arrange, NODE_HEIGHT, NODE_WIDTH } from './graphLayout.ts'
import { type TaskGraphProps, TaskMap } from './TaskMap.tsx'
import { TierChip } from './TierChip.tsx'
import { tierColour, tierLabel } from './tiers.ts'

interface TaskData extends Record<string, unknown> {
  name: string
  tier: Tier | undefined
  state: TaskState | undefined
  live: boolean
  over: boolean
  marked: boolean
  chosen: boolean
  canFlip: boolean
  change: Change | undefined
  flow: Arrangement['flow']
}
type TaskNode = Node<TaskData, 'task'>

const icons = {
  waiting: Clock,
  running: LoaderCircle,
  stopped: CircleSlash,
  skipped: CircleDashed,
  done: Check,
  failed: CircleAlert,
}

/** Invocation counts of a task: `12` done, `12/16` done of those started, `, 1 failed` where some failed. */
const countsOf = ({ started, done, failed }: TaskState): string =>
  `${done}${started > done + failed ? `/${started}` : ''}${failed > 0 ? `, ${failed} failed` : ''}`

function StateLine({
  name,
  state,
  kind,
}: {
  name: string
  state: TaskState | undefined
  kind: DisplayState
}) {
  const Icon = icons[kind]
  const counts = !state || state.started === 0 ? '' : countsOf(state)
  return (
    <span
      data-testid={`task-state-${name}`}
      data-state={kind}
      title={state && `${state.started} started, ${state.done} done, ${state.failed} failed`}
      className="flex min-w-0 items-center gap-1 text-[14px] leading-4 text-muted"
    >
      <Icon
        className={`size-3.5 shrink-0 ${kind === 'running' ? 'animate-spin motion-reduce:animate-none' : ''}`}
        style={{ color: kind === 'waiting' ? undefined : stateColour[kind] }}
        aria-hidden="true"
      />
      <span className="truncate">
        {stateLabel[kind]}
        {counts && ` · ${counts}`}
      </span>
    </span>
  )
}

/** How a task differs from the older version: a mark and a word in the colour of the change. */
function ChangeLine({ name, change }: { name: string; change: Change }) {
  const { label, mark, colour } = changeLooks[change]
  return (
    <span
      data-testid={`task-change-${name}`}
      data-change={change}
      className="flex items-center gap-1.5 text-[14px] leading-4 font-medium"
      style={{ color: colour }}
    >
      <span
        className="inline-grid size-4 place-items-center rounded-full text-[13px] leading-none font-bold text-surface"
        style={{ background: colour }}
        aria-hidden="true"
      >
        {mark}
      </span>
      {label}
    </span>
  )
}

const FlipContext = createContext<((task: string) => void) | undefined>(undefined)
const ChooseContext = createContext<((task: string) => void) | undefined>(undefined)

const TaskNodeView = memo(function TaskNodeView({ data }: NodeProps<TaskNode>) {
  const { name, tier, state, live, over, marked, chosen, canFlip, change, flow } = data
  const choose = use(ChooseContext)
  const kind = displayStateOf(state, over)
  const look = change && changeLooks[change]
  const line = live ? stateColour[kind] : (look?.colour ?? 'var(--color-line-strong)')
  return (
    <div
      className="flex flex-col justify-center gap-1 rounded-md border bg-surface px-2.5 py-1.5 text-ink shadow-sm"
      style={{
        width: NODE_WIDTH,
        height: NODE_HEIGHT,
        borderWidth: '1px 1px 1px 5px',
        borderColor: `${line} ${line} ${line} ${tier ? tierColour[tier] : line}`,
        borderStyle: change === 'removed' ? 'dashed' : undefined,
        boxShadow: live && kind === 'running' ? '0 0 0 3px var(--color-accent-soft)' : undefined,
        outline: marked
          ? '3px solid var(--color-warn)'
          : chosen
            ? '3px solid var(--color-accent)'
            : undefined,
        outlineOffset: 2,
      }}
    >
      <Handle
        type="target"
        position={flow === 'right' ? Position.Left : Position.Top}
        isConnectable={false}
        className="opacity-0"
      />
      {choose ? (
        <button
          type="button"
          data-testid={`choose-${name}`}
          title={`${name}: press for its code, log lines and outputs.`}
          aria-pressed={chosen}
          onClick={() => choose(name)}
          className="nopan pointer-events-auto truncate text-left text-[16px] leading-5 font-medium hover:underline"
        >
          {name}
        </button>
      ) : (
        <span className="truncate text-[16px] leading-5 font-medium" title={name}>
          {name}
        </span>
      )}
      <span className="flex min-w-0 items-center gap-1.5">
        {tier && (canFlip ? <FlipButton name={name} tier={tier} /> : <TierChip tier={tier} />)}
        {look && <ChangeLine name={name} change={change} />}
        {live && <StateLine name={name} state={state} kind={kind} />}
      </span>
      <Handle
        type="source"
        position={flow === 'right' ? Position.Right : Position.Bottom}
        isConnectable={false}
        className="opacity-0"
      />
    </div>
  )
})

/** The tier as a button that moves the task to its next tier. */
function FlipButton({ name, tier }: { name: string; tier: Tier }) {
  const flip = use(FlipContext)
  return (
    <button
      type="button"
      data-testid={`flip-${name}`}
      title={`${name} runs on tier ${tierLabel[tier]}. Press to try its next tier.`}
      aria-label={`${name}: ${tierLabel[tier]}. Try its next tier`}
      onClick={() => flip?.(name)}
      className="nopan pointer-events-auto inline-flex min-h-6 items-center gap-1 rounded hover:underline"
    >
      <TierChip tier={tier} />
      <ArrowLeftRight className="size-3.5 text-muted" aria-hidden="true" />
    </button>
  )
}

/** Width of an edge that carries nothing over the network, and of the one that carries most, in pixels. */
const [THIN, THICK] = [1.5, 9]

/** The look of an edge that differs between two versions, with its mark in the middle. */
function changedEdge(change: Change): Partial<Edge> {
  const { mark, colour, dash } = changeLooks[change]
  return {
    label: mark,
    labelStyle: { fill: colour, fontSize: 16, fontWeight: 700 },
    labelBgStyle: { fill: 'var(--color-canvas)' },
    style: { stroke: colour, strokeWidth: 3, ...(dash && { strokeDasharray: dash }) },
  }
}

const nodeTypes = { task: TaskNodeView }

/** Positions of the edge handles: the middle of the sides that face the flow. */
const handlesOf = (flow: Arrangement['flow']): TaskNode['handles'] =>
  flow === 'right'
    ? [
        { type: 'target', position: Position.Left, x: 0, y: NODE_HEIGHT / 2, width: 1, height: 1 },
        {
          type: 'source',
          position: Position.Right,
          x: NODE_WIDTH - 1,
          y: NODE_HEIGHT / 2,
          width: 1,
          height: 1,
        },
      ]
    : [
        { type: 'target', position: Position.Top, x: NODE_WIDTH / 2, y: 0, width: 1, height: 1 },
        {
          type: 'source',
          position: Position.Bottom,
          x: NODE_WIDTH / 2,
          y: NODE_HEIGHT - 1,
          width: 1,
          height: 1,
        },
      ]
/** Room for the zoom buttons: below tasks that flow to the right, beside those that flow down. */
const fits = {
  right: { padding: { x: 0.06, top: 0.06, bottom: '48px' }, maxZoom: 1.1 },
  down: { padding: { y: 0.06, right: 0.06, left: '48px' }, maxZoom: 1.1 },
} as const

/** Largest workflow that is drawn as a canvas. In a larger one no name would be legible: it is drawn as a map. */
const MAX_NODES = 200

/**
 * A read-only view of a workflow. Tasks have the colour of their tier and, with `states`, show their state in the run.
 * Dragging pans, the buttons zoom, and the mouse wheel scrolls the page. Large workflows are drawn as a map.
 */
export function TaskGraph(props: TaskGraphProps) {
  return props.workflow.tasks.length > MAX_NODES ? <TaskMap {...props} /> : <TaskCanvas {...props} />
}

function TaskCanvas({
  workflow,
  layout,
  placement,
  states,
  over = false,
  marked,
  weights,
  changes,
  edgeChanges,
  flippable,
  onFlip,
  chosen,
  onChoose,
  label,
}: TaskGraphProps) {
  const [size, setSize] = useState<{ width: number; height: number }>()
  const { positions, flow } = useMemo(() => arrange(workflow, layout, size), [workflow, layout, size])
  const edges = useMemo(() => {
    const heaviest = Math.max(0, ...(weights?.values() ?? []))
    return edgesOf(workflow).map((edge): Edge => {
      const id = `${edge.from}>${edge.to}`
      const bytes = weights?.get(id) ?? 0
      const change = edgeChanges?.get(id)
      const leadsBack =
        flow === 'right' && (positions.get(edge.to)?.x ?? 0) < (positions.get(edge.from)?.x ?? 0)
      return {
        id,
        source: edge.from,
        target: edge.to,
        focusable: false,
        // around the tasks between, to the next row
        ...(leadsBack && { type: 'smoothstep' }),
        ...(change && changedEdge(change)),
        ...(bytes > 0
          ? {
              label: format.bytes(bytes),
              labelStyle: { fill: 'var(--color-ink)' },
              labelBgStyle: { fill: 'var(--color-surface)', fillOpacity: 0.85 },
              style: {
                strokeWidth: THIN + (THICK - THIN) * Math.sqrt(bytes / heaviest),
                stroke: 'var(--color-part-network)',
              },
            }
          : {}),
      }
    })
  }, [workflow, weights, edgeChanges, positions, flow])
  const previous = useRef(new Map<string, TaskNode>())
  const nodes = useMemo(() => {
    const next = new Map<string, TaskNode>()
    for (const { name } of workflow.tasks) {
      const data = {
        name,
        tier: states?.get(name)?.tier ?? placement?.[name],
        state: states?.get(name),
        live: states !== undefined,
        over,
        marked: marked?.has(name) ?? false,
        chosen: chosen === name,
        canFlip: flippable?.has(name) ?? false,
        change: changes?.get(name),
        flow,
      }
      const position = positions.get(name) ?? { x: 0, y: 0 }
      const old = previous.current.get(name)
      const same =
        old &&
        old.position.x === position.x &&
        old.position.y === position.y &&
        old.data.tier === data.tier &&
        old.data.state === data.state &&
        old.data.live === data.live &&
        old.data.over === data.over &&
        old.data.marked === data.marked &&
        old.data.chosen === data.chosen &&
        old.data.canFlip === data.canFlip &&
        old.data.change === data.change &&
        old.data.flow === data.flow
      next.set(
        name,
        same
          ? old
          : {
              id: name,
              type: 'task',
              position,
              data,
              width: NODE_WIDTH,
              height: NODE_HEIGHT,
              // Given, not measured: otherwise a node that changes would lose its edges until it is measured again.
              measured: { width: NODE_WIDTH, height: NODE_HEIGHT },
              handles: handlesOf(flow),
            },
      )
    }
    previous.current = next
    return [...next.values()]
  }, [workflow, positions, flow, placement, states, over, marked, chosen, flippable, changes])

  const box = useRef<HTMLElement>(null)
  const shown = useRef<ReactFlowInstance<TaskNode>>(null)
  useEffect(() => {
    const element = box.current
    if (!element) return
    const observer = new ResizeObserver(([entry]) => {
      if (!entry) return
      const { width, height } = entry.contentRect
      setSize((old) =>
        old && Math.abs(old.width - width) < 1 && Math.abs(old.height - height) < 1 ? old : { width, height },
      )
    })
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  // After a new size or arrangement, React Flow has moved the nodes by the next frame.
  useEffect(() => {
    const frame = requestAnimationFrame(() => void shown.current?.fitView(fits[flow]))
    return () => cancelAnimationFrame(frame)
  }, [positions, flow, size])

  return (
    <section ref={box} aria-label={label} className="h-full min-h-44 w-full">
      <FlipContext value={onFlip}>
        <ChooseContext value={onChoose}>
          <ReactFlow<TaskNode>
            nodes={nodes}
            edges={edges}
            nodeTypes={nodeTypes}
            key={flow}
            onInit={(instance) => {
              shown.current = instance
            }}
            fitView
            fitViewOptions={fits[flow]}
            minZoom={0.05}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            edgesFocusable={false}
            elementsSelectable={false}
            zoomOnScroll={false}
            zoomOnDoubleClick={false}
            preventScrolling={false}
            proOptions={{ hideAttribution: true }}
          >
            <Controls showInteractive={false} orientation={flow === 'right' ? 'horizontal' : 'vertical'} />
          </ReactFlow>
        </ChooseContext>
      </FlipContext>
    </section>
  )
}
