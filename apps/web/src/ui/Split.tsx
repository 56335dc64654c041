import { type KeyboardEvent, type PointerEvent, type ReactNode, useRef, useState } from 'react'

/**
 * Two panes with a divider that the pointer drags and the arrow keys move. `initial`, `min` and `minFirst` are in pixels:
 * the initial and minimum size of the second pane, and the minimum size of the first. The browser stores the size under
 * `id`. Without a second pane the first fills the whole space.
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
  const [size, setSize] = useState(() => storedSize(id) ?? initial)
  const box = useRef<HTMLDivElement>(null)
  const row = direction === 'row'
  const clamp = (size: number): number => {
    const available = row ? box.current?.clientWidth : box.current?.clientHeight
    return Math.round(Math.max(min, Math.min(size, (available ?? size + minFirst) - minFirst)))
  }
  const resize = (newSize: number): void => {
    const next = clamp(newSize)
    setSize(next)
    try {
      localStorage.setItem(`hivemind.split.${id}`, String(next))
    } catch {
      // Storage is unavailable: the size lasts as long as this page.
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
          {/* biome-ignore lint/a11y/useSemanticElements: <hr> cannot be a movable separator. */}
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

function storedSize(id: string): number | null {
  try {
    const value = Number(localStorage.getItem(`hivemind.split.${id}`))
    return value > 0 ? value : null
  } catch {
    return null
  }
}
