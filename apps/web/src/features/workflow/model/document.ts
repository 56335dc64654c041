/**
 * The document of the Workflow screen. The text is the source of truth for the workflow; positions, colours and notes are
 * stored beside it. Every change, from the canvas or the text, goes through `commit` and so has one history.
 */
import {
  type CheckContext,
  type Diagnostic,
  type Fix,
  fixAll,
  type GraphEdit,
  type TextChange,
} from '@hivemind/dsl'
import type { Workflow } from '@hivemind/workflow'
import { createStore, type StoreApi } from 'zustand/vanilla'
import type { Point, Points } from './card.ts'
import { difference } from './changes.ts'
import { type Meaning, meaningOf, type Ranges } from './dsl.ts'
import { type Content, emptyHistory, type History, perform, record, redo, stepOf, undo } from './history.ts'
import {
  type Decoration,
  decorated,
  entry,
  type LayoutChange,
  type Nodes,
  type Placed,
  put,
  samePlace,
} from './layout.ts'
import { unified, withLineEnds } from './lineEnds.ts'
import { placeMissing } from './place.ts'

export interface Selection {
  tasks: readonly string[]
  /** `parent>child`. */
  edges: readonly string[]
  /** A data item, selected in the inspector. */
  data?: string
}
export const nothing: Selection = { tasks: [], edges: [] }

/** A message for a toast. */
export interface Notice {
  id: number
  tone: 'info' | 'danger'
  text: string
}

export interface Saved {
  version: number
  text: string
  nodes: Nodes
}

export interface DocumentState {
  /** The text with '\n' as line ends, whatever the file has. */
  text: string
  /** The file that the text came from, with its own line ends. */
  source: string
  nodes: Nodes
  /** Position of every task of `workflow`, also of those without an entry in `nodes`. */
  points: Points
  /** The workflow of the text or, while that has syntax errors, of the last text without any. */
  workflow: Workflow | null
  /** True while `workflow` is older than the text. */
  stale: boolean
  diagnostics: readonly Diagnostic[]
  ranges: () => Ranges
  /** The text to which diagnostics and ranges refer. */
  checkedText: string
  history: History
  selection: Selection
  /** Where the selection was made. The other side scrolls to it. */
  selectedFrom: 'canvas' | 'text'
  /** The saved text with '\n' as line ends. */
  saved: Saved
  /** The saved text as it is in the file. */
  savedFile: string
  notice: Notice | null
  /** Set when the document was restored from a draft: its time, and whether a newer version was saved since. */
  recovered: { at: string; behind: boolean } | null
}

interface CommitOptions {
  label: string
  layout?: LayoutChange[]
  group?: string
  select?: Selection
  source?: string
}

export interface DocumentActions {
  /** Changes typed into the text; checked when the typing pauses. */
  type: (changes: TextChange[]) => void
  /** Applies an edit of the graph. False, with a notice, when it is invalid. `place` has the positions of new tasks. */
  edit: (edit: GraphEdit, options: { label: string; place?: Points; select?: Selection }) => boolean
  move: (points: Points, label?: string) => void
  decorate: (tasks: readonly string[], change: Decoration, label: string) => void
  replaceText: (text: string, label: string, nodes?: Nodes) => void
  fix: (diagnostic: Diagnostic, fix: Fix) => void
  /** Applies every certain fix. Returns their number. */
  fixAll: () => number
  undo: () => void
  redo: () => void
  select: (selection: Selection, from?: DocumentState['selectedFrom']) => void
  setContext: (context: CheckContext) => void
  /** Checks the text now, without waiting for a pause in typing. */
  flush: () => void
  notify: (text: string, tone?: Notice['tone']) => void
  dismiss: () => void
  setSaved: (saved: Saved) => void
  /** The text for a file, with the original line ends. */
  file: () => string
  /** The layout to save: one entry for each task of the workflow. */
  layoutToSave: () => Nodes
}

export type Document = StoreApi<DocumentState> & {
  actions: DocumentActions
  /** What the checks know of the world outside the text. */
  context: () => CheckContext
}

const CHECK_AFTER_MS = 140

/** Whether there are unsaved changes. */
export function isDirty(
  state: Pick<DocumentState, 'text' | 'source' | 'nodes' | 'workflow' | 'saved' | 'savedFile'>,
): boolean {
  if (state.text !== state.saved.text) return true
  if (state.source !== state.savedFile && withLineEnds(state.text, state.source) !== state.savedFile)
    return true
  if (state.nodes === state.saved.nodes) return false
  return (state.workflow?.tasks ?? []).some(
    ({ name }) =>
      entry(state.nodes, name) && !samePlace(entry(state.nodes, name), entry(state.saved.nodes, name)),
  )
}

/** The graph to show: of the text or, while that has syntax errors, the current one. */
function graphOf(current: Workflow | null, meaning: Meaning) {
  const stale = meaning.broken && (current?.tasks.length ?? 0) > 0
  return {
    workflow: stale ? current : meaning.workflow,
    stale,
    diagnostics: meaning.diagnostics,
    ranges: meaning.ranges,
    checkedText: meaning.text,
  }
}

/** Detects a task renamed in the text: one name is gone, and one is new. */
function renamed(old: Workflow | null, now: Workflow | null): { from: string; to: string } | null {
  if (!old || !now || old === now) return null
  const oldNames = new Set(old.tasks.map(({ name }) => name))
  const newNames = new Set(now.tasks.map(({ name }) => name))
  const [from, ...moreGone] = [...oldNames].filter((name) => !newNames.has(name))
  const [to, ...moreCome] = [...newNames].filter((name) => !oldNames.has(name))
  return from && to && moreGone.length + moreCome.length === 0 ? { from, to } : null
}

/** Opens a document on a version, or on a draft based on it. */
export function createDocument(
  saved: Saved,
  options: { draft?: { text: string; nodes: Nodes }; context?: CheckContext; now?: () => number } = {},
): Document {
  const now = options.now ?? Date.now
  let context = options.context ?? {}
  const start: Saved = { ...saved, text: unified(saved.text) }
  const source = options.draft?.text ?? saved.text
  const text = unified(source)
  const reader = meaningOf(text)
  /** Changes that `reader` has not received. */
  let waiting: TextChange[][] = []
  let timer: ReturnType<typeof setTimeout> | undefined
  let notices = 0
  /** Positions of tasks without an entry in the layout. */
  const auto: Record<string, Point> = {}

  function pointsOf(workflow: Workflow | null, nodes: Nodes): Points {
    if (!workflow) return {}
    const points = placeMissing(workflow, nodes, auto)
    for (const [task, point] of Object.entries(points)) if (!entry(nodes, task)) auto[task] = point
    return points
  }

  const firstNodes = options.draft?.nodes ?? start.nodes
  const first = graphOf(null, reader.check(context))
  const store = createStore<DocumentState>(() => ({
    text,
    source,
    nodes: firstNodes,
    ...first,
    points: pointsOf(first.workflow, firstNodes),
    history: emptyHistory,
    selection: nothing,
    selectedFrom: 'canvas',
    saved: start,
    savedFile: saved.text,
    notice: null,
    recovered: null,
  }))
  const get = store.getState
  const set = store.setState

  /** `anew`: the text was replaced, so that the previous graph must not be kept. */
  function check(force = false, anew = false): void {
    clearTimeout(timer)
    timer = undefined
    if (waiting.length === 0 && !force) return
    for (const changes of waiting) reader.update(changes)
    waiting = []
    const state = get()
    const graph = graphOf(anew ? null : state.workflow, reader.check(context))
    let { nodes } = state
    const rename = renamed(state.workflow, graph.workflow)
    if (rename && !entry(nodes, rename.to)) {
      const placed = entry(nodes, rename.from)
      const point = state.points[rename.from]
      if (placed) nodes = { ...nodes, [rename.to]: placed }
      else if (point) auto[rename.to] = point
    }
    set({
      ...graph,
      nodes,
      points: pointsOf(graph.workflow, nodes),
      selection: stillThere(state.selection, graph.workflow),
    })
  }

  function adopt(content: Content, changes: TextChange[], history: History, soon: boolean): void {
    const old = get()
    const points = content.nodes === old.nodes ? old.points : pointsOf(old.workflow, content.nodes)
    set({ text: content.text, source: content.source ?? old.source, nodes: content.nodes, points, history })
    if (changes.length === 0) return
    waiting.push(changes)
    if (!soon) check()
    else {
      clearTimeout(timer)
      timer = setTimeout(check, CHECK_AFTER_MS)
    }
  }

  function commit(
    changes: TextChange[],
    { label, layout = [], group, select, source }: CommitOptions,
    soon = false,
  ): void {
    const state = get()
    if (changes.length === 0 && layout.length === 0 && (source ?? state.source) === state.source) return
    const step = stepOf(state, changes, layout, source)
    const content = perform(state, step)
    const history = record(state.history, step, { label, now: now(), ...(group ? { group } : {}) })
    adopt(content, changes, history, soon)
    if (select) set({ selection: stillThere(select, get().workflow), selectedFrom: 'canvas' })
  }

  function travel(go: typeof undo): void {
    const state = get()
    const result = go(state.history, state)
    if (!result) return
    adopt(result.content, difference(state.text, result.content.text), result.history, false)
  }

  const actions: DocumentActions = {
    type: (changes) => commit(changes, { label: 'Typing', group: 'typing' }, true),

    edit: (edit, { label, place = {}, select }) => {
      check()
      const state = get()
      try {
        const changes = reader.changesOf(edit)
        const layout = Object.entries(place).map(([task, { x, y }]) =>
          put(state.nodes, task, { ...entry(state.nodes, task), x, y }),
        )
        layout.push(...renames(edit).flatMap(({ from, to }) => follow(state, from, to)))
        commit(changes, { label, layout, ...(select ? { select } : {}) })
        return true
      } catch (error) {
        actions.notify(error instanceof Error ? error.message : String(error), 'danger')
        return false
      }
    },

    move: (points, label = 'Move') => {
      const { nodes } = get()
      const layout = Object.entries(points)
        .map(([task, { x, y }]) => put(nodes, task, { ...entry(nodes, task), x, y }))
        .filter(({ before, after }) => !samePlace(before, after))
      commit([], { label, layout })
    },

    decorate: (tasks, change, label) => {
      const { nodes, points } = get()
      const layout = tasks
        .map((task) =>
          put(nodes, task, decorated(entry(nodes, task) ?? points[task] ?? { x: 0, y: 0 }, change)),
        )
        .filter(({ before, after }) => !samePlace(before, after))
      commit([], { label, layout })
    },

    replaceText: (next, label, nextNodes) => {
      check()
      const state = get()
      const layout = Object.entries(nextNodes ?? {})
        .map(([task, after]) => put(state.nodes, task, after))
        .filter(({ before, after }) => !samePlace(before, after))
      commit(difference(state.text, unified(next)), { label, layout, select: nothing, source: next })
      if (get().stale) check(true, true)
    },

    fix: (diagnostic, fix) => {
      const old = get()
      check()
      const state = get()
      const current =
        state.checkedText === old.checkedText
          ? fix
          : state.diagnostics
              .find(({ code, message }) => code === diagnostic.code && message === diagnostic.message)
              ?.fixes.find(({ title }) => title === fix.title)
      if (current) commit(current.changes, { label: current.title })
    },

    fixAll: () => {
      check()
      const state = get()
      const fixed = fixAll(state.text, context)
      if (fixed.applied.length > 0)
        commit(difference(state.text, fixed.text), { label: 'Apply all certain fixes' })
      return fixed.applied.length
    },

    undo: () => travel(undo),
    redo: () => travel(redo),

    select: (selection, from = 'canvas') => {
      const { selection: old } = get()
      if (
        old.data === selection.data &&
        sameList(old.tasks, selection.tasks) &&
        sameList(old.edges, selection.edges)
      )
        return
      set({ selection, selectedFrom: from })
    },

    setContext: (next) => {
      context = next
      check(true)
    },
    flush: () => check(),
    notify: (message, tone = 'info') => {
      notices++
      set({ notice: { id: notices, tone, text: message } })
    },
    dismiss: () => set({ notice: null }),
    setSaved: (next) => {
      const saved = { ...next, text: unified(next.text) }
      // Text edited meanwhile keeps the line ends of its file.
      set({ saved, savedFile: next.text, ...(saved.text === get().text ? { source: next.text } : {}) })
    },
    file: () => withLineEnds(get().text, get().source),
    layoutToSave: () => {
      check()
      const { workflow, nodes, points } = get()
      const layout: Record<string, Placed> = {}
      for (const { name } of workflow?.tasks ?? []) {
        const placed = entry(nodes, name) ?? points[name]
        if (placed) layout[name] = placed
      }
      return layout
    },
  }

  return Object.assign(store, { actions, context: () => context })
}

const sameList = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((value, index) => value === b[index])

/** The part of a selection that still exists in the workflow. */
function stillThere(selection: Selection, workflow: Workflow | null): Selection {
  if (selection === nothing) return selection
  const byName = new Map(workflow?.tasks.map((task) => [task.name, task]))
  const tasks = selection.tasks.filter((name) => byName.has(name))
  const edges = selection.edges.filter((id) => {
    const [from = '', to = ''] = id.split('>')
    return byName.get(from)?.children.includes(to)
  })
  const data = workflow?.data.some(({ name }) => name === selection.data) ? selection.data : undefined
  if (sameList(tasks, selection.tasks) && sameList(edges, selection.edges) && data === selection.data)
    return selection
  return { tasks, edges, ...(data ? { data } : {}) }
}

/** The task renames of an edit. */
function renames(edit: GraphEdit): { from: string; to: string }[] {
  if (edit.kind === 'batch') return edit.edits.flatMap(renames)
  return edit.kind === 'renameTask' ? [{ from: edit.task, to: edit.to }] : []
}

/** Moves the layout entry of a renamed task to its new name. */
function follow(
  { nodes, points }: Pick<DocumentState, 'nodes' | 'points'>,
  from: string,
  to: string,
): LayoutChange[] {
  const placed = entry(nodes, from) ?? points[from]
  return placed ? [put(nodes, to, placed)] : []
}
