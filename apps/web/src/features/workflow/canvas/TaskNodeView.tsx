import { Handle, type NodeProps, Position } from '@xyflow/react'
import { CircleAlert, StickyNote, TriangleAlert } from 'lucide-react'
import { Fragment, memo } from 'react'
import { tierColour } from '../../reports/tiers.ts'
import { NODE_WIDTH } from '../model/card.ts'
import { useDetail } from './detail.tsx'
import { nodeHeight, type TaskData, type TaskNode } from './graph.ts'
import { nameFits, nameParts } from './nameFit.ts'
import { roleIcons, roleNames } from './roles.ts'

/** The name only, in the same size on every card. The icon is left out where the name needs its space. */
function LargeName({ data }: { data: TaskData }) {
  const { nameSize: size } = useDetail()
  const Icon = roleIcons[data.role]
  const pictured = nameFits(data.name, size, { width: NODE_WIDTH - 52, height: nodeHeight(data) - 8 })
  return (
    <span className="flex items-center gap-1.5">
      {pictured && <Icon className="size-5 shrink-0 text-muted" aria-hidden="true" />}
      <span
        className="line-clamp-2 min-w-0 font-semibold [overflow-wrap:anywhere]"
        title={data.name}
        style={{ fontSize: size, lineHeight: 1.15 }}
      >
        {nameParts(data.name).map((part, index) => (
          <Fragment key={index}>
            {part}
            <wbr />
          </Fragment>
        ))}
      </span>
    </span>
  )
}

/** `far`: the canvas is zoomed out, so the count is drawn larger. */
function Badge({ data, far }: { data: TaskData; far: boolean }) {
  if (data.errors + data.warnings === 0) return null
  const Icon = data.errors ? CircleAlert : TriangleAlert
  const count = data.errors || data.warnings
  const word = data.errors ? 'error' : 'warning'
  return (
    <span
      title={data.fault}
      className={`absolute -top-2 -right-2 inline-flex items-center gap-0.5 rounded-full border px-1.5 font-semibold ${far ? 'text-[20px] leading-6' : 'text-[11px] leading-4'} ${data.errors ? 'border-danger bg-danger-soft text-danger' : 'border-warn bg-warn-soft text-warn'}`}
    >
      <Icon className={far ? 'size-5' : 'size-3'} aria-hidden="true" />
      {count}
      <span className="sr-only">
        {word}
        {count === 1 ? '' : 's'}: {data.fault}
      </span>
    </span>
  )
}

const handleClass =
  '!size-3 !border-2 !border-surface !bg-arrow transition-colors hover:!bg-accent group-hover:!bg-accent'
/**
 * A task far away: a plain box, since with 1,000 in sight each element more shows in the time of a pan. `FarLinks` draws its edges;
 * React Flow has its name.
 */
function FarBox({ data, selected, stripe }: { data: TaskData; selected: boolean; stripe: string }) {
  return (
    <div
      data-testid={`task-node-${data.name}`}
      data-selected={selected}
      className={`rounded-lg border ${selected ? 'border-accent ring-2 ring-accent' : data.errors ? 'border-danger' : 'border-line-strong'}`}
      style={{
        width: NODE_WIDTH,
        height: nodeHeight(data),
        backgroundColor: data.colour ? tinted(data.colour) : data.errors ? 'var(--color-danger)' : stripe,
      }}
    />
  )
}

const tinted = (colour: string): string => `color-mix(in srgb, ${colour} 16%, var(--color-surface))`

export const TaskNodeView = memo(function TaskNodeView({ data, selected }: NodeProps<TaskNode>) {
  const { level: detail } = useDetail()
  const Icon = roleIcons[data.role]
  const stripe = data.pin ? tierColour[data.pin.tier] : 'var(--color-line-strong)'
  if (detail === 'box') return <FarBox data={data} selected={selected} stripe={stripe} />
  return (
    <div
      data-testid={`task-node-${data.name}`}
      data-selected={selected}
      className={`group relative flex flex-col justify-center gap-0.5 rounded-lg border bg-surface py-1.5 pr-2.5 pl-3.5 text-ink ${detail === 'all' ? 'shadow-sm' : ''} ${selected ? 'border-accent ring-2 ring-accent' : data.errors ? 'border-danger' : 'border-line-strong'}`}
      style={{
        width: NODE_WIDTH,
        height: nodeHeight(data),
        ...(data.colour ? { backgroundColor: tinted(data.colour) } : {}),
      }}
    >
      <span
        aria-hidden="true"
        className="absolute inset-y-1.5 left-1.5 w-1 rounded-full"
        style={{ background: stripe }}
      />
      <Handle type="target" position={Position.Left} className={handleClass} />
      <Badge data={data} far={detail === 'name'} />
      {detail === 'name' ? (
        <LargeName data={data} />
      ) : (
        <>
          <span className="flex items-center gap-1.5">
            <span title={roleNames[data.role]} className="shrink-0 text-muted">
              <Icon className="size-4" aria-hidden="true" />
              <span className="sr-only">{roleNames[data.role]}</span>
            </span>
            <span
              className="min-w-0 flex-1 truncate text-[14px] leading-[18px] font-semibold"
              title={data.name}
            >
              {data.name}
            </span>
            {data.note && (
              <span title={data.note} className="shrink-0 text-warn">
                <StickyNote className="size-3.5" aria-hidden="true" />
                <span className="sr-only">Note: {data.note}</span>
              </span>
            )}
          </span>
          <span className="flex items-center gap-1.5">
            <span
              className="min-w-0 flex-1 truncate font-mono text-[12px] leading-4 text-muted"
              title={data.code}
            >
              {data.code}
            </span>
            {data.pin && (
              <span
                className="max-w-20 shrink-0 truncate rounded px-1.5 text-[12px] leading-4 font-semibold text-on-tier"
                style={{ background: stripe }}
                title={`Pinned: ${data.pin.label}`}
              >
                {data.pin.label}
              </span>
            )}
          </span>
          {data.chips.length > 0 && (
            <span className="flex gap-1 overflow-hidden">
              {data.chips.map((chip) => (
                <span
                  key={chip.label}
                  title={chip.title}
                  className="shrink-0 rounded bg-sunken px-1.5 text-[12px] leading-[18px] text-ink"
                >
                  {chip.label}
                </span>
              ))}
            </span>
          )}
        </>
      )}
      <Handle type="source" position={Position.Right} className={handleClass} />
    </div>
  )
})
