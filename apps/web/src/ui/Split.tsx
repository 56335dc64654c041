import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'

/**
 * Two parts with a bar between them that can be dragged or moved with the arrow keys. `size` is that of the second part
 * in pixels; it is kept in this browser under `id`. Without a second part the first has all the room.
 */
export function Split({
  id,
  label,
  direction,
  initial,
  min,
  minFirst,
  first,
  second,
}: {
  id: string
  label: string
  direction: 'row' | 'column'
  initial: number
  min: number
  minFirst: number
  first: ReactNode
  second: ReactNode | null
}) {
  const [size, setSize] = useState(() => kept(id) ?? initial)
  const box = useRef<HTMLDivElement>(null)
  const row = direction === 'row'
  const bounded = (wanted: number): number => {
    const room = row ? box.current?.clientWidth : box.current?.clientHeight
    return Math.round(Math.max(min, Math.min(wanted, (room ?? wanted + minFirst) - minFirst)))
  }
  const resize = (wanted: number): void => {
    const next = bounded(wanted)
    setSize(next)
    try {
      localStorage.setItem(`hivemind.split.${id}`, String(next))
    } catch {
      // It is only a convenience.
    }
  }
  const drag = (event: PointerEvent): void => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return
    const edge = box.current?.getBoundingClientRect()
    if (edge) resize(row ? edge.right - event.clientX : edge.bottom - event.clientY)
  }
  const key = (event: KeyboardEvent): void => {
    const step = { ArrowLeft: 24, ArrowUp: 24, ArrowRight: -24, ArrowDown: -24 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    event.stopPropagation()
    resize(size + step)
  }
  return (
    <div ref={box} className={`flex min-h-0 min-w-0 flex-1 ${row ? 'flex-row' : 'flex-col'}`}>
      <div className="relative min-h-0 min-w-0 flex-1">{first}</div>
      {second && (
        <>
          {/* biome-ignore lint/a11y/useSemanticElements: a separator that moves is not a rule between paragraphs. */}
          <div
            role="separator"
            tabIndex={0}
            aria-label={label}
            aria-orientation={row ? 'vertical' : 'horizontal'}
            aria-valuenow={size}
            aria-valuemin={min}
            aria-valuemax={2000}
            onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
            onPointerMove={drag}
            onKeyDown={key}
            className={`shrink-0 touch-none bg-line hover:bg-accent focus-visible:bg-accent ${row ? 'w-1 cursor-col-resize' : 'h-1 cursor-row-resize'}`}
          />
          <div
            className="relative min-h-0 min-w-0 shrink-0"
            style={
              row
                ? { width: size, maxWidth: `calc(100% - ${minFirst}px)` }
                : { height: size, maxHeight: `calc(100% - ${minFirst}px)` }
            }
          >
            {second}
          </div>
        </>
      )}
    </div>
  )
}

function kept(id: string): number | null {
  try {
    const value = Number(localStorage.getItem(`hivemind.split.${id}`))
    return value > 0 ? value : null
  } catch {
    return null
  }
}
