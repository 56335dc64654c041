/** What the parts of the workflow screen share: the project, its document, and what the screen shows. */
import type { ReactFlowInstance, Viewport } from '@xyflow/react'
import { createContext, use } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { FleetSummary, Project, ProjectFile } from '../../api/types.ts'
import type { Document, DocumentState } from './model/document.ts'
import type { Elsewhere } from './model/draft.ts'
import { NODE_HEIGHT, NODE_WIDTH } from './model/place.ts'

export type DialogName = 'help' | 'commands' | 'versions' | { code: string } | 'conflict'

export interface ViewState {
  palette: boolean
  text: boolean
  inspector: boolean
  problems: boolean
  dialog: DialogName | null
  files: readonly ProjectFile[]
  fleets: readonly FleetSummary[]
  saving: 'no' | 'saving' | { fault: string }
  tidying: boolean
  /** What another tab has of this project, until the person has decided. */
  elsewhere: Elsewhere | null
}

export interface Session {
  project: Project
  document: Document
  view: StoreApi<ViewState>
  /** Stamp of the last draft of another tab that was loaded here or decided against, and a tab not to hear of. */
  seen: { current: string; quiet: string }
  /** Set while the canvas is on the page. */
  flow: { current: ReactFlowInstance | null }
  /** What the canvas showed when it last showed the whole workflow. */
  whole: { current: Viewport | null }
  /** Puts the text's cursor somewhere and moves the focus there; set while the text is on the page. */
  showInText: { current: ((from: number, to: number) => void) | null }
}

const PANES = 'hivemind.panes'

/** Which panes are open is kept in this browser; on a narrow window the palette shows icons only. */
export function createView(): StoreApi<ViewState> {
  const view = createStore<ViewState>(() => ({
    palette: true,
    text: true,
    inspector: true,
    problems: false,
    ...keptPanes(),
    dialog: null,
    files: [],
    fleets: [],
    saving: 'no',
    tidying: false,
    elsewhere: null,
  }))
  view.subscribe(({ palette, text, inspector, problems }, old) => {
    if (
      palette === old.palette &&
      text === old.text &&
      inspector === old.inspector &&
      problems === old.problems
    )
      return
    try {
      localStorage.setItem(PANES, JSON.stringify({ palette, text, inspector, problems }))
    } catch {
      // It is only a convenience.
    }
  })
  return view
}

function keptPanes(): Partial<ViewState> {
  try {
    const kept = JSON.parse(localStorage.getItem(PANES) ?? '{}') as Record<string, unknown>
    return Object.fromEntries(
      ['palette', 'text', 'inspector', 'problems'].flatMap((pane) =>
        typeof kept[pane] === 'boolean' ? [[pane, kept[pane]]] : [],
      ),
    )
  } catch {
    return {}
  }
}

export const SessionContext = createContext<Session | null>(null)

export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('This part belongs on the workflow screen.')
  return session
}

export const useDocument = <T>(select: (state: DocumentState) => T): T =>
  useStore(useSession().document, select)
export const useView = <T>(select: (state: ViewState) => T): T => useStore(useSession().view, select)

/** Selects a task and brings it into sight on the canvas. */
export function revealTask(session: Session, name: string): void {
  session.document.actions.select({ tasks: [name], edges: [] })
  bringIntoSight(session, name)
}

/** Whether the task can be seen on the canvas as it stands. */
export function isInSight({ flow, document }: Session, name: string): boolean {
  const point = document.getState().points[name]
  const box = window.document.querySelector('[data-testid="canvas"]')?.getBoundingClientRect()
  if (!flow.current || !point || !box) return false
  const from = flow.current.flowToScreenPosition(point)
  const to = flow.current.flowToScreenPosition({ x: point.x + NODE_WIDTH, y: point.y + NODE_HEIGHT })
  return from.x > box.left && from.y > box.top && to.x < box.right && to.y < box.bottom
}

const SHOW_ALL = { padding: 0.08, maxZoom: 1.1 }

/** Shows the whole workflow on the canvas; from then on that follows the size of the canvas, until the person moves it. */
export async function showAll({ flow, whole }: Session, duration = 0): Promise<void> {
  const shown = flow.current
  await shown?.fitView({ ...SHOW_ALL, duration })
  whole.current = shown?.getViewport() ?? null
}

const MARGIN = 12

/** Moves the canvas just as far as it takes to have all of the task on it. */
export function nudgeIntoSight({ flow, document }: Session, name: string): void {
  const point = document.getState().points[name]
  const box = window.document.querySelector('[data-testid="canvas"]')?.getBoundingClientRect()
  if (!flow.current || !point || !box) return
  const from = flow.current.flowToScreenPosition(point)
  const to = flow.current.flowToScreenPosition({ x: point.x + NODE_WIDTH, y: point.y + NODE_HEIGHT })
  const shift = (start: number, end: number, low: number, high: number): number =>
    start < low + MARGIN ? low + MARGIN - start : end > high - MARGIN ? high - MARGIN - end : 0
  const x = shift(from.x, to.x, box.left, box.right)
  const y = shift(from.y, to.y, box.top, box.bottom)
  if (x === 0 && y === 0) return
  const view = flow.current.getViewport()
  void flow.current.setViewport({ ...view, x: view.x + x, y: view.y + y }, { duration: 150 })
}

/** After the canvas changed its size: the whole workflow again if that was shown, else the task that is selected. */
export function followSize(session: Session): void {
  const { flow, whole, document } = session
  const now = flow.current?.getViewport()
  const then = whole.current
  if (now && then && now.x === then.x && now.y === then.y && now.zoom === then.zoom) void showAll(session)
  else {
    const [task, ...more] = document.getState().selection.tasks
    if (task && more.length === 0) nudgeIntoSight(session, task)
  }
}

/** Moves the canvas only when the task is not on it already. */
export function bringIntoSight(session: Session, name: string): void {
  const { flow, document } = session
  const point = document.getState().points[name]
  if (!flow.current || !point || isInSight(session, name)) return
  void flow.current.setCenter(point.x + NODE_WIDTH / 2, point.y + NODE_HEIGHT / 2, {
    zoom: Math.max(0.6, flow.current.getZoom()),
    duration: 200,
  })
}
