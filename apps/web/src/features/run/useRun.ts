import { useCallback, useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { type ApiProblem, asProblem, isAbort } from '../../api/problem.ts'
import type { RunDetail, RunEvent } from '../../api/types.ts'
import { fold, isFinal, merged, type RunView, viewOf } from './runState.ts'

/** Live events are shown in batches this far apart, in ms. */
const BATCH_MS = 120

export interface LiveRun {
  run: RunDetail | undefined
  view: RunView | undefined
  problem: ApiProblem | undefined
  loading: boolean
  /** Loads the run anew: after a (re)connection, or to try again. */
  reload: () => void
  /** Takes a live event of this run. */
  take: (event: RunEvent) => void
}

interface State {
  id: string | undefined
  run?: RunDetail
  view?: RunView
  problem?: ApiProblem
  loading: boolean
}

/**
 * A run on the screen, whenever one joins: the service's record of it with every live event folded in. Events that
 * arrive while the record is on its way wait for it and are folded in after it.
 */
export function useRun(id: string | undefined): LiveRun {
  const [state, setState] = useState<State>({ id, loading: id !== undefined })
  const waiting = useRef<RunEvent[]>([])
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const request = useRef<AbortController>(undefined)
  const current = useRef(id)

  const flush = useCallback(() => {
    timer.current = undefined
    if (request.current) return
    const events = waiting.current
    if (events.length === 0) return
    waiting.current = []
    setState((old) => (old.view ? { ...old, view: fold(old.view, events) } : old))
  }, [])

  const reload = useCallback(() => {
    const wanted = current.current
    if (wanted === undefined) return
    request.current?.abort()
    const controller = new AbortController()
    request.current = controller
    api.getRun(wanted, controller.signal).then(
      (run) => {
        if (request.current !== controller) return
        request.current = undefined
        const events = waiting.current
        waiting.current = []
        setState((old) => ({
          id: wanted,
          run,
          view: fold(merged(viewOf(run), old.id === wanted ? old.view : undefined), events),
          loading: false,
        }))
      },
      (error: unknown) => {
        if (request.current !== controller) return
        request.current = undefined
        if (!isAbort(error)) setState((old) => ({ ...old, loading: false, problem: asProblem(error) }))
        flush()
      },
    )
  }, [flush])

  useEffect(() => {
    current.current = id
    waiting.current = []
    setState({ id, loading: id !== undefined })
    reload()
    return () => {
      request.current?.abort()
      request.current = undefined
      clearTimeout(timer.current)
      timer.current = undefined
    }
  }, [id, reload])

  const take = useCallback(
    (event: RunEvent) => {
      waiting.current.push(event)
      // The end brings what is only known then, such as the losses: ask for the whole run once more.
      if (event.type === 'state' && isFinal(event.state)) reload()
      timer.current ??= setTimeout(flush, BATCH_MS)
    },
    [flush, reload],
  )
  const own = state.id === id ? state : { id, loading: id !== undefined }
  return {
    run: 'run' in own ? own.run : undefined,
    view: 'view' in own ? own.view : undefined,
    problem: 'problem' in own ? own.problem : undefined,
    loading: own.loading,
    reload,
    take,
  }
}
