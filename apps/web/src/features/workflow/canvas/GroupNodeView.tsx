import { Handle, type NodeProps, Position } from '@xyflow/react'
import { CircleAlert, FoldHorizontal, Group, TriangleAlert, UnfoldHorizontal } from 'lucide-react'
import { memo } from 'react'
import { foldGroups, useSession } from '../session.ts'
import { useDetail } from './detail.tsx'
import { type GroupData, type GroupNode, TITLE } from './groupNodes.ts'

function FoldButton({ name, tasks, folded }: GroupData) {
  const session = useSession()
  const Icon = folded ? UnfoldHorizontal : FoldHorizontal
  return (
    <button
      type="button"
      aria-expanded={!folded}
      aria-label={`${folded ? 'Unfold' : 'Fold'} ${name}, ${tasks.length} tasks`}
      title={folded ? 'Unfold' : 'Fold'}
      data-testid={`fold-${name}`}
      className="nodrag pointer-events-auto inline-grid size-6 shrink-0 place-items-center rounded text-muted hover:bg-sunken hover:text-ink"
      onClick={(event) => {
        event.stopPropagation()
        foldGroups(session, [name], !folded)
      }}
    >
      <Icon className="size-4" aria-hidden="true" />
    </button>
  )
}

function Problems({ errors, warnings }: GroupData) {
  if (errors + warnings === 0) return null
  const Icon = errors ? CircleAlert : TriangleAlert
  const count = errors || warnings
  const word = `${errors ? 'error' : 'warning'}${count === 1 ? '' : 's'}`
  return (
    <span
      className={`inline-flex shrink-0 items-center gap-0.5 text-xs font-semibold ${errors ? 'text-danger' : 'text-warn'}`}
    >
      <Icon className="size-3.5" aria-hidden="true" />
      {count}
      <span className="sr-only">{word}</span>
    </span>
  )
}

const handleClass = '!size-3 !border-2 !border-surface !bg-arrow'

/** A group: a frame with its name, or one card when it is folded. A press on it selects its tasks, a drag moves them. */
export const GroupNodeView = memo(function GroupNodeView({ data, width, height }: NodeProps<GroupNode>) {
  const { level, nameSize } = useDetail()
  const look = data.selected ? 'border-accent ring-2 ring-accent' : 'border-line-strong'
  const fontSize = level === 'all' ? 13 : nameSize
  if (data.folded)
    return (
      <div
        data-testid={`group-${data.name}`}
        className={`flex items-center gap-1.5 rounded-lg border-2 border-double bg-sunken pr-1.5 pl-3 text-ink ${look}`}
        style={{ width, height }}
      >
        {level !== 'box' && (
          <>
            <Handle type="target" position={Position.Left} isConnectable={false} className={handleClass} />
            <span className="min-w-0 flex-1">
              <span className="block truncate font-semibold" title={data.name} style={{ fontSize }}>
                {data.name}
              </span>
              {level === 'all' && (
                <span className="block text-[12px] text-muted">{data.tasks.length} tasks</span>
              )}
            </span>
            <Problems {...data} />
            <FoldButton {...data} />
            <Handle type="source" position={Position.Right} isConnectable={false} className={handleClass} />
          </>
        )}
      </div>
    )
  return (
    <div
      data-testid={`group-${data.name}`}
      className={`rounded-xl border border-dashed bg-sunken/60 ${look}`}
      style={{ width, height }}
    >
      {level !== 'box' && (
        <div
          className="pointer-events-auto flex cursor-grab items-center gap-1.5 px-3"
          style={{ height: TITLE }}
        >
          <Group className="size-4 shrink-0 text-muted" aria-hidden="true" />
          <span
            className="min-w-0 flex-1 truncate font-semibold text-ink"
            title={data.name}
            style={{ fontSize: Math.min(fontSize, 20) }}
          >
            {data.name}
          </span>
          <FoldButton {...data} />
        </div>
      )}
    </div>
  )
})
