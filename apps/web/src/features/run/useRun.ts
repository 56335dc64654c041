import { useCallback, useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { type ApiProblem, asProblem, isAbort } from '../../api/problem.ts'
import type { RunDetail, RunEvent, RunStatistics } from '../../api/types.ts'
import { LiveRun, MAX_SPANS, type RunView } from './runState.ts'

/** Live events are shown in batches this far apart, in ms. */
const BATCH_MS = 120
const SPANS_PER_PAGE = 5_000
/** Failed invocations are loaded first, and this many at most. */
const MAX_FAILED = 500

export interface ShownRun {
  run: RunDetail | undefined
  view: RunView | undefined
  problem: ApiProblem | undefined
  loading: boolean
  /** Loads the run anew: when events were missed, or to try again. */
  reload: () => void
  /** Takes a live event of this run, with its id. */
  take: (id: number, event: RunEvent) => void
  /** Takes newer figures of this run. */
  takeFigures: (figures: RunStatistics) => void
}

interface State {
  id: string | undefined
  run?: RunDetail
  view?: RunView
  problem?: ApiProblem
  loading: boolean
}

type Waiting = { id: number; event: RunEvent } | { figures: RunStatistics }

/** Loads spans page by page: those that failed, then the first of all. */
async function loadSpans(run: string, live: LiveRun, shown: () => void, signal: AbortSignal): Promise<void> {
  const failed = await api.listSpans(run, { status: 'failed', limit: MAX_FAILED }, signal)
  live.addSpans(failed.spans)
  for (let after: number | undefined = -1; after !== undefined && live.spans.length < MAX_SPANS; ) {
    const page = await api.listSpans(run, { after, limit: SPANS_PER_PAGE }, signal)
    live.addSpans(page.spans)
    shown()
    after = page.next
  }
}

/**
 * A run on the screen, whenever one joins: the service's record of it with every live event folded in. Events that
 * arrive while the record is on its way wait for it and are folded in after it.
 */
export function useRun(id: string | undefined): ShownRun {
  const [state, setState] = useState<State>({ id, loading: id !== undefined })
  const live = useRef<LiveRun>(undefined)
  const waiting = useRef<Waiting[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const request = useRef<AbortController>(undefined)
  const loaded = useRef(false)
  const current = useRef(id)

  const show = useCallback(() => {
    const view = live.current?.view()
    if (view) setState((old) => ({ ...old, view }))
  }, [])

  const fold = useCallback(() => {
    const own = live.current
    if (!own) return
    for (const each of waiting.current)
      if ('figures' in each) own.setFigures(each.figures)
      else own.take(each.id, each.event)
    waiting.current = []
  }, [])

  const flush = useCallback(() => {
    timer.current = undefined
    if (!loaded.current || waiting.current.length === 0) return
    fold()
    show()
  }, [fold, show])

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
      fold()
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
  }, [flush, fold, show])

  useEffect(() => {
    current.current = id
    waiting.current = []
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

  const wait = useCallback(
    (each: Waiting) => {
      waiting.current.push(each)
      timer.current ??= setTimeout(flush, BATCH_MS)
    },
    [flush],
  )
  const take = useCallback((eventId: number, event: RunEvent) => wait({ id: eventId, event }), [wait])
  const takeFigures = useCallback((figures: RunStatistics) => wait({ figures }), [wait])
  const own = state.id === id ? state : { id, loading: id !== undefined }
  return {
    run: 'run' in own ? own.run : undefined,
    view: 'view' in own ? own.view : undefined,
    problem: 'problem' in own ? own.problem : undefined,
    loading: own.loading,
    reload,
    take,
    takeFigures,
  }
}
