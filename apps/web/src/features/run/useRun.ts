import { useCallback, useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { type ApiProblem, asProblem, isAbort } from '../../api/problem.ts'
import type { RunDetail, RunEvent, RunStatistics } from '../../api/types.ts'
import { LiveRun, MAX_SPANS, type RunView } from './runState.ts'

/** Interval between two updates of the screen with live events, in ms. */
const UPDATE_INTERVAL_MS = 120
const SPANS_PER_PAGE = 5_000
/** Maximum number of failed invocations, which are loaded first. */
const MAX_FAILED_SPANS = 500

export interface LoadedRun {
  run: RunDetail | undefined
  view: RunView | undefined
  problem: ApiProblem | undefined
  loading: boolean
  /** Loads the run again, after events were missed or a request failed. */
  reload: () => void
  /** Applies a live event of this run, with its id. */
  apply: (id: number, event: RunEvent) => void
  /** Applies newer figures of this run. */
  applyFigures: (figures: RunStatistics) => void
}

interface State {
  id: string | undefined
  run?: RunDetail
  view?: RunView
  problem?: ApiProblem
  loading: boolean
}

/** A live event or newer figures, not yet applied. */
type Update = { id: number; event: RunEvent } | { figures: RunStatistics }

/** Loads spans page by page: first the failed ones, then all, oldest first. Calls `onPage` after each page. */
async function loadSpans(run: string, live: LiveRun, onPage: () => void, signal: AbortSignal): Promise<void> {
  const failed = await api.listSpans(run, { status: 'failed', limit: MAX_FAILED_SPANS }, signal)
  live.addSpans(failed.spans)
  for (let after: number | undefined = -1; after !== undefined && live.spans.length < MAX_SPANS; ) {
    const page = await api.listSpans(run, { after, limit: SPANS_PER_PAGE }, signal)
    live.addSpans(page.spans)
    onPage()
    after = page.next
  }
}

/**
 * Loads a run and keeps it up to date with its live events. Events that arrive while the record is being loaded are
 * applied after it.
 */
export function useRun(id: string | undefined): LoadedRun {
  const [state, setState] = useState<State>({ id, loading: id !== undefined })
  const live = useRef<LiveRun>(undefined)
  const pending = useRef<Update[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const request = useRef<AbortController>(undefined)
  const loaded = useRef(false)
  const current = useRef(id)

  const show = useCallback(() => {
    const view = live.current?.view()
    if (view) setState((old) => ({ ...old, view }))
  }, [])

  const applyPending = useCallback(() => {
    const run = live.current
    if (!run) return
    for (const update of pending.current)
      if ('figures' in update) run.setFigures(update.figures)
      else run.apply(update.id, update.event)
    pending.current = []
  }, [])

  const flush = useCallback(() => {
    timer.current = undefined
    if (!loaded.current || pending.current.length === 0) return
    applyPending()
    show()
  }, [applyPending, show])

  const reload = useCallback(() => {
    const wanted = current.current
    if (wanted === undefined) return
    request.current?.abort()
    const controller = new AbortController()
    request.current = controller
    loaded.current = false
    const load = async () => {
      const run = await api.getRun(wanted, controller.signal)
      if (request.current !== controller) return
      const next = new LiveRun(run)
      next.addSpans(live.current?.spans ?? [])
      live.current = next
      loaded.current = true
      applyPending()
      setState({ id: wanted, run, view: next.view(), loading: false })
      await loadSpans(wanted, next, show, controller.signal)
      show()
    }
    load().catch((error: unknown) => {
      if (request.current !== controller || isAbort(error)) return
      setState((old) => ({ ...old, loading: false, problem: asProblem(error) }))
      loaded.current = live.current !== undefined
      flush()
    })
  }, [flush, applyPending, show])

  useEffect(() => {
    current.current = id
    pending.current = []
    live.current = undefined
    setState({ id, loading: id !== undefined })
    reload()
    return () => {
      request.current?.abort()
      request.current = undefined
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [id, reload])

  const enqueue = useCallback(
    (update: Update) => {
      pending.current.push(update)
      timer.current ??= setTimeout(flush, UPDATE_INTERVAL_MS)
    },
    [flush],
  )
  const apply = useCallback((eventId: number, event: RunEvent) => enqueue({ id: eventId, event }), [enqueue])
  const applyFigures = useCallback((figures: RunStatistics) => enqueue({ figures }), [enqueue])
  const ofThisRun: State = state.id === id ? state : { id, loading: id !== undefined }
  return {
    run: ofThisRun.run,
    view: ofThisRun.view,
    problem: ofThisRun.problem,
    loading: ofThisRun.loading,
    reload,
    apply,
    applyFigures,
  }
}
