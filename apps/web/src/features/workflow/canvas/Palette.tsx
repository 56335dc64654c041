import { Activity, ArrowDownToLine, ArrowUpToLine, FastForward, Filter, Hash, Search } from 'lucide-react'
import { type PointerEvent, useMemo, useRef, useState } from 'react'
import { Term } from '../../../words/Term.tsx'
import { GAP_X, NODE_HEIGHT, NODE_WIDTH, type Point } from '../model/card.ts'
import { addItemEdits, canFollow, type PaletteItem, paletteItem, paletteItems } from '../model/palette.ts'
import { freeSpot } from '../model/place.ts'
import { isVisible, panToTask, type Session, showAll, useSession } from '../session.ts'
import { roleIcons } from './roles.ts'

const icons: Record<string, typeof Activity> = {
  sensor: roleIcons.sensor,
  'compute-js': roleIcons.compute,
  'compute-py': roleIcons.compute,
  actuator: roleIcons.actuator,
  barrier: roleIcons.barrier,
  'nfu-average': Activity,
  'nfu-counter': Hash,
  'nfu-min': ArrowDownToLine,
  'nfu-max': ArrowUpToLine,
  'nfu-filter': Filter,
  'nfu-forward': FastForward,
}
const badges: Record<string, string> = { 'compute-js': 'JS', 'compute-py': 'PY' }

const canvasBox = (): DOMRect | undefined =>
  window.document.querySelector('[data-testid="canvas"]')?.getBoundingClientRect()

/**
 * Adds an item. At a point of the screen: centred there. Else, with one task selected, as its child and right of it; with none,
 * near the middle of the visible canvas.
 */
export function addItem(session: Session, item: PaletteItem, screen?: Point): void {
  const { document, flow } = session
  document.actions.flush()
  const { workflow, points, selection } = document.getState()
  const [only, ...more] = selection.tasks
  const after = screen || more.length > 0 || !canFollow(item) ? undefined : only
  const { name, edits } = addItemEdits(item, workflow, after)
  const sawAll = (workflow?.tasks ?? []).every((task) => isVisible(session, task.name))
  const box = canvasBox()
  const middle =
    screen ?? (box ? { x: box.left + box.width / 2, y: box.top + box.height / 2 } : { x: 0, y: 0 })
  const at = flow.current?.screenToFlowPosition(middle) ?? { x: 0, y: 0 }
  const parent = after === undefined ? undefined : points[after]
  const corner = parent
    ? { x: parent.x + NODE_WIDTH + GAP_X, y: parent.y }
    : { x: Math.round(at.x - NODE_WIDTH / 2), y: Math.round(at.y - NODE_HEIGHT / 2) }
  const spot = screen ? corner : freeSpot(corner, Object.values(points))
  document.actions.edit(
    { kind: 'batch', edits },
    {
      label: after === undefined ? `Add ${name}` : `Add ${name} after ${after}`,
      place: { [name]: spot },
      select: { tasks: [name], edges: [] },
    },
  )
  // It may be partly outside the visible canvas. Who sees the whole workflow goes on seeing all of it.
  requestAnimationFrame(() => {
    if (sawAll && !isVisible(session, name)) void showAll(session, 150)
    else panToTask(session, name)
  })
}

/** The items that can be added, by dragging onto the canvas or by pressing. */
export function Palette({ narrow }: { narrow: boolean }) {
  const session = useSession()
  const [wanted, setWanted] = useState('')
  const [ghost, setGhost] = useState<{ item: PaletteItem; at: Point } | null>(null)
  const press = useRef<{ kind: string; start: Point; moved: boolean } | null>(null)
  const groups = useMemo(() => {
    const words = wanted.toLowerCase().split(/\s+/).filter(Boolean)
    const matches = paletteItems.filter((item) =>
      words.every((word) => `${item.label} ${item.words} ${item.hint}`.toLowerCase().includes(word)),
    )
    return [...Map.groupBy(matches, ({ group }) => group)]
  }, [wanted])

  const move = (event: PointerEvent): void => {
    const drag = press.current
    if (!drag) return
    const at = { x: event.clientX, y: event.clientY }
    if (!drag.moved && Math.hypot(at.x - drag.start.x, at.y - drag.start.y) < 5) return
    drag.moved = true
    const item = paletteItem(drag.kind)
    if (item) setGhost({ item, at })
  }
  const release = (event: PointerEvent): void => {
    const drag = press.current
    setGhost(null)
    if (!drag?.moved) return
    const box = canvasBox()
    const item = paletteItem(drag.kind)
    const { clientX: x, clientY: y } = event
    if (item && box && x > box.left && x < box.right && y > box.top && y < box.bottom)
      addItem(session, item, { x, y })
  }
  const click = (item: PaletteItem): void => {
    const dragged = press.current?.moved
    press.current = null
    if (!dragged) addItem(session, item)
  }

  return (
    <nav aria-label="Palette" className="relative flex h-full flex-col overflow-y-auto bg-surface p-2">
      {!narrow && (
        <div className="relative mb-2">
          <Search className="absolute top-2 left-2 size-4 text-muted" aria-hidden="true" />
          <input
            type="search"
            aria-label="Search the palette"
            placeholder="Find …"
            value={wanted}
            onChange={(event) => setWanted(event.target.value)}
            onKeyDown={(event) => {
              const first = groups[0]?.[1][0]
              if (event.key === 'Enter' && first) addItem(session, first)
            }}
            className="h-8 w-full rounded-md border border-line-strong bg-surface pr-2 pl-7 text-sm placeholder:text-muted"
          />
        </div>
      )}
      {groups.length === 0 && <p className="px-1 text-sm text-muted">No item matches.</p>}
      {groups.map(([group, items]) => (
        <div key={group} className="mb-2">
          {narrow ? (
            <hr className="my-1 border-line first:hidden" />
          ) : (
            <h2 className="px-1 pb-1 text-xs font-medium text-muted">
              {group === 'Tasks' ? group : <Term of="nfu">{group}</Term>}
            </h2>
          )}
          <ul className="flex flex-col gap-0.5">
            {items.map((item) => {
              const Icon = icons[item.kind] ?? Activity
              return (
                <li key={item.kind}>
                  <button
                    type="button"
                    data-testid={`palette-item-${item.kind}`}
                    title={narrow ? `${item.label}: ${item.hint}` : item.hint}
                    onPointerDown={(event) => {
                      if (event.button !== 0) return
                      press.current = {
                        kind: item.kind,
                        start: { x: event.clientX, y: event.clientY },
                        moved: false,
                      }
                      event.currentTarget.setPointerCapture(event.pointerId)
                    }}
                    onPointerMove={move}
                    onPointerUp={release}
                    onPointerCancel={() => {
                      press.current = null
                      setGhost(null)
                    }}
                    onClick={() => click(item)}
                    className="flex w-full touch-none items-center gap-2 rounded-md border border-transparent px-1.5 py-1.5 text-left text-[13px] select-none hover:border-line hover:bg-sunken active:cursor-grabbing"
                  >
                    <span className="relative shrink-0">
                      <Icon className="size-4 text-muted" aria-hidden="true" />
                      {narrow && badges[item.kind] && (
                        <span
                          className="absolute -right-2 -bottom-1.5 text-[9px] leading-none font-bold"
                          aria-hidden="true"
                        >
                          {badges[item.kind]}
                        </span>
                      )}
                    </span>
                    <span className={narrow ? 'sr-only' : 'truncate'}>{item.label}</span>
                  </button>
                </li>
              )
            })}
          </ul>
        </div>
      ))}
      {ghost && (
        <div
          aria-hidden="true"
          className="pointer-events-none fixed z-50 flex items-center justify-center rounded-lg border-2 border-dashed border-accent bg-accent-soft text-sm font-medium text-accent-strong"
          style={{
            width: NODE_WIDTH * 0.8,
            height: 48,
            left: ghost.at.x - NODE_WIDTH * 0.4,
            top: ghost.at.y - 24,
          }}
        >
          {ghost.item.label}
        </div>
      )}
    </nav>
  )
}
