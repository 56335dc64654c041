/** State that the parts of the Workflow screen share: the project, its document, and the view. */
import type { ReactFlowInstance, Viewport } from '@xyflow/react'
import { createContext, use } from 'react'
import { useStore } from 'zustand'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { FileChange, FleetSummary, Project, ProjectFile } from '../../api/types.ts'
import { NODE_HEIGHT, NODE_WIDTH } from './model/card.ts'
import type { Document, DocumentState } from './model/document.ts'
import type { OtherTabChange } from './model/draft.ts'
import { groupsOf } from './model/groups.ts'
import { entry } from './model/layout.ts'

/** `code`: the code of a task, at a line (from 1) when one is given. */
export type DialogName =
  | 'help'
  | 'commands'
  | 'find'
  | 'versions'
  | { code: string; line?: number }
  | 'conflict'

export interface ViewState {
  palette: boolean
  text: boolean
  inspector: boolean
  problems: boolean
  dialog: DialogName | null
  files: readonly ProjectFile[]
  /** Changes of files that no version has yet. */
  fileChanges: readonly FileChange[]
  fleets: readonly FleetSummary[]
  saving: 'no' | 'saving' | { fault: string }
  tidying: boolean
  /** Groups of tasks that are folded into one card each. */
  folded: ReadonlySet<string>
  /** Change by another tab that the user has to load or reject; `null` when there is none. */
  otherTab: OtherTabChange | null
}

export interface Session {
  project: Project
  document: Document
  view: StoreApi<ViewState>
  /** `current`: stamp of the last draft of another tab that was loaded or rejected. `quiet`: tab whose drafts are ignored. */
  seen: { current: string; quiet: string }
  /** The React Flow instance, while the canvas is on the page. */
  flow: { current: ReactFlowInstance | null }
  /** Viewport in which the canvas last showed the whole workflow. */
  whole: { current: Viewport | null }
  /** Selects a range of the text and focuses it; set while the text is on the page. */
  showInText: { current: ((from: number, to: number) => void) | null }
}

const PANES = 'hivemind.panes'

/** Creates the view state of a project. The browser stores which panes are open, and which groups are folded. */
export function createView(project: string): StoreApi<ViewState> {
  const view = createStore<ViewState>(() => ({
    palette: true,
    text: true,
    inspector: true,
    problems: false,
    ...storedPanes(),
    dialog: null,
    files: [],
    fileChanges: [],
    fleets: [],
    saving: 'no',
    tidying: false,
    folded: storedFolds(project),
    otherTab: null,
  }))
  view.subscribe(({ folded }, old) => {
    if (folded === old.folded) return
    try {
      localStorage.setItem(foldsKey(project), JSON.stringify([...folded]))
    } catch {
      // Storage is unavailable: they are remembered as long as this page.
    }
  })
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
      // Storage is unavailable: the panes are remembered as long as this page.
    }
  })
  return view
}

function storedPanes(): Partial<ViewState> {
  try {
    const stored = JSON.parse(localStorage.getItem(PANES) ?? '{}') as Record<string, unknown>
    return Object.fromEntries(
      ['palette', 'text', 'inspector', 'problems'].flatMap((pane) =>
        typeof stored[pane] === 'boolean' ? [[pane, stored[pane]]] : [],
      ),
    )
  } catch {
    return {}
  }
}

const foldsKey = (project: string): string => `hivemind.folded.${project}`

function storedFolds(project: string): ReadonlySet<string> {
  try {
    const stored: unknown = JSON.parse(localStorage.getItem(foldsKey(project)) ?? '[]')
    return new Set(Array.isArray(stored) ? stored.filter((name) => typeof name === 'string') : [])
  } catch {
    return new Set()
  }
}

/** The names of all groups. */
export function allGroups({ document }: Session): string[] {
  const { nodes, workflow } = document.getState()
  return [...groupsOf(nodes, workflow?.tasks.map(({ name }) => name) ?? []).keys()]
}

/** Folds or unfolds groups. */
export function foldGroups({ view }: Session, names: readonly string[], fold: boolean): void {
  const folded = new Set(view.getState().folded)
  for (const name of names) {
    if (fold) folded.add(name)
    else folded.delete(name)
  }
  view.setState({ folded })
}

export const SessionContext = createContext<Session | null>(null)

/** The session of the Workflow screen. */
export function useSession(): Session {
  const session = use(SessionContext)
  if (!session) throw new Error('This component must be rendered on the Workflow screen.')
  return session
}

/** Selects from the document's state. */
export const useDocument = <T>(select: (state: DocumentState) => T): T =>
  useStore(useSession().document, select)
/** Selects from the view state. */
export const useView = <T>(select: (state: ViewState) => T): T => useStore(useSession().view, select)

/** Selects a task and scrolls the canvas to it. */
export function revealTask(session: Session, name: string): void {
  session.document.actions.select({ tasks: [name], edges: [] })
  showTask(session, name)
}

/** Whether all of the task is visible on the canvas. */
export function isVisible({ flow, document }: Session, name: string): boolean {
  const point = document.getState().points[name]
  const box = window.document.querySelector('[data-testid="canvas"]')?.getBoundingClientRect()
  if (!flow.current || !point || !box) return false
  const from = flow.current.flowToScreenPosition(point)
  const to = flow.current.flowToScreenPosition({ x: point.x + NODE_WIDTH, y: point.y + NODE_HEIGHT })
  return from.x > box.left && from.y > box.top && to.x < box.right && to.y < box.bottom
}

const SHOW_ALL = { padding: 0.08, maxZoom: 1.1 }

/** Fits the whole workflow into the canvas, also when the canvas is resized, until the user pans or zooms. */
export async function showAll({ flow, whole }: Session, duration = 0): Promise<void> {
  const instance = flow.current
  await instance?.fitView({ ...SHOW_ALL, duration })
  whole.current = instance?.getViewport() ?? null
}

const MARGIN = 12

/** Pans the canvas by the smallest distance that makes all of the task visible. */
export function panToTask({ flow, document }: Session, name: string): void {
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

/** After a resize of the canvas, fits the whole workflow again if it was fitted, else keeps the selected task visible. */
export function onCanvasResize(session: Session): void {
  const { flow, whole, document } = session
  const now = flow.current?.getViewport()
  const then = whole.current
  if (now && then && now.x === then.x && now.y === then.y && now.zoom === then.zoom) void showAll(session)
  else {
    const [task, ...more] = document.getState().selection.tasks
    if (task && more.length === 0) panToTask(session, task)
  }
}

/** Centres the canvas on the task, unless all of it is visible; its group is unfolded. */
export function showTask(session: Session, name: string): void {
  const group = entry(session.document.getState().nodes, name)?.group
  if (group && session.view.getState().folded.has(group)) foldGroups(session, [group], false)
  const { flow, document } = session
  const point = document.getState().points[name]
  if (!flow.current || !point || isVisible(session, name)) return
  void flow.current.setCenter(point.x + NODE_WIDTH / 2, point.y + NODE_HEIGHT / 2, {
    zoom: Math.max(0.6, flow.current.getZoom()),
    duration: 200,
  })
}
