import { BaseEdge, EdgeLabelRenderer, type EdgeProps, getStraightPath } from '@xyflow/react'
import { memo } from 'react'
import { NODE_WIDTH } from '../model/card.ts'
import { useSession } from '../session.ts'
import { useDetail } from './detail.tsx'
import type { LinkEdge } from './graph.ts'
import { linkPath } from './linkPath.ts'

/** Longest label, in characters, that fits between two tasks side by side. A longer one is drawn above their cards. */
const ABOVE_CARDS = 58

/** Edge from a parent to a child. Dashed when it is order only, without data. */
export const DataEdgeView = memo(function DataEdgeView(props: EdgeProps<LinkEdge>) {
  const { id, data, selected } = props
  const [path, x, y] = linkPath(props)
  const { words, labelSize: size } = useDetail()
  const details = size === null
  // The label must not hide the arrow between two tasks side by side: it is narrow, or above the cards.
  const gap = props.targetX - props.sourceX
  const isLevel = Math.abs(props.targetY - props.sourceY) < 24
  const inGap = details || (data?.label.length ?? 0) * size * 0.55 + 14 <= gap
  const room =
    gap <= 0 || !isLevel
      ? 150 + (size ?? 0) * 4
      : details
        ? Math.max(64, Math.min(150, gap - 24))
        : gap + (inGap ? 0 : 180)
  const lift = !isLevel || details ? 0 : inGap ? size * 0.9 + 4 : ABOVE_CARDS
  const { document } = useSession()
  return (
    <>
      <BaseEdge
        id={id}
        path={path}
        markerEnd={props.markerEnd}
        interactionWidth={20}
        style={{
          stroke: selected ? 'var(--color-accent)' : 'var(--color-arrow)',
          strokeWidth: selected ? 2.5 : 1.75,
          ...(data?.label ? {} : { strokeDasharray: '5 4' }),
        }}
      />
      {words && data?.label && (
        <EdgeLabelRenderer>
          <button
            type="button"
            tabIndex={-1}
            onClick={() => document.actions.select({ tasks: [], edges: [id] })}
            className={`nodrag nopan pointer-events-auto absolute flex flex-col items-center rounded-md border bg-surface px-1.5 py-px ${details ? 'text-[12px] leading-[15px]' : ''} ${selected ? 'border-accent text-accent-strong' : 'border-line text-ink'}`}
            style={{
              maxWidth: room,
              ...(details ? {} : { fontSize: size, lineHeight: 1.3 }),
              transform: `translate(-50%, -50%) translate(${x}px, ${y - lift}px)`,
            }}
            title={`${data.label}${data.detail ? ` · ${data.detail}` : ''}`}
          >
            <span className="max-w-full truncate font-medium">{data.label}</span>
            {details && data.detail && <span className="max-w-full truncate text-muted">{data.detail}</span>}
          </button>
        </EdgeLabelRenderer>
      )}
    </>
  )
})

/** A `Parallel`, `Overlap` or `Serial` relation: a line without arrow below both tasks. */
export const RelationEdgeView = memo(function RelationEdgeView(props: EdgeProps<LinkEdge>) {
  const [path, x, y] = getStraightPath({
    ...props,
    sourceX: props.sourceX - NODE_WIDTH / 2,
    targetX: props.targetX + NODE_WIDTH / 2,
  })
  const { words, labelSize: size } = useDetail()
  return (
    <>
      <BaseEdge
        id={props.id}
        path={path}
        interactionWidth={0}
        style={{ stroke: 'var(--color-fabric)', strokeWidth: 1.25, strokeDasharray: '2 4' }}
      />
      {words && (
        <EdgeLabelRenderer>
          <span
            className="absolute rounded bg-canvas px-1 text-muted italic"
            style={{ fontSize: size ?? 12, transform: `translate(-50%, -50%) translate(${x}px, ${y}px)` }}
          >
            {props.data?.label}
          </span>
        </EdgeLabelRenderer>
      )}
    </>
  )
})
