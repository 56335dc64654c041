import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react'
import { type ApiProblem, asProblem, isAbort } from './problem.ts'

export interface Loaded<T> {
  /** The last value loaded for these dependencies; kept while it is reloaded. */
  data: T | undefined
  problem: ApiProblem | undefined
  loading: boolean
  reload: () => void
  /** Replaces the value, for example with that of a live event. */
  set: (next: T | undefined | ((old: T | undefined) => T | undefined)) => void
}

/**
 * Loads a value when the component mounts and when `deps` change. Aborts the request when `deps` change again or the component
 * unmounts. `load` returns `undefined` when there is nothing to load.
 */
export function useLoad<T>(
  load: (signal: AbortSignal) => Promise<T> | undefined,
  deps: DependencyList,
): Loaded<T> {
  const [state, setState] = useState<{
    data: T | undefined
    problem: ApiProblem | undefined
    loading: boolean
  }>({ data: undefined, problem: undefined, loading: true })
  const [reloads, setReloads] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const lastReloads = useRef(0)

  useEffect(() => {
    const controller = new AbortController()
    const isReload = reloads !== lastReloads.current
    lastReloads.current = reloads
    const call = latest.current(controller.signal)
    if (!call) {
      setState({ data: undefined, problem: undefined, loading: false })
      return
    }
    setState((old) => ({ data: isReload ? old.data : undefined, problem: undefined, loading: true }))
    call.then(
      (data) => {
        if (!controller.signal.aborted) setState({ data, problem: undefined, loading: false })
      },
      (error: unknown) => {
        if (controller.signal.aborted || isAbort(error)) return
        setState((old) => ({ data: old.data, problem: asProblem(error), loading: false }))
      },
    )
    return () => controller.abort()
  }, [...deps, reloads])

  const reload = useCallback(() => setReloads((old) => old + 1), [])
  const set = useCallback((next: T | undefined | ((old: T | undefined) => T | undefined)) => {
    setState((old) => ({
      ...old,
      data: typeof next === 'function' ? (next as (old: T | undefined) => T | undefined)(old.data) : next,
    }))
  }, [])
  return { ...state, reload, set }
}

export interface Action<Args extends unknown[]> {
  run: (...args: Args) => Promise<void>
  busy: boolean
  problem: ApiProblem | undefined
  clear: () => void
}

/** An action that the user starts. Calls made while it is busy are ignored. */
export function useAction<Args extends unknown[]>(action: (...args: Args) => Promise<unknown>): Action<Args> {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem>()
  const latest = useRef(action)
  latest.current = action
  const inFlight = useRef(false)
  const mounted = useRef(true)
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
    }
  }, [])

  const run = useCallback(async (...args: Args) => {
    if (inFlight.current) return
    inFlight.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      await latest.current(...args)
    } catch (error) {
      if (mounted.current && !isAbort(error)) setProblem(asProblem(error))
    } finally {
      inFlight.current = false
      if (mounted.current) setBusy(false)
    }
  }, [])
  const clear = useCallback(() => setProblem(undefined), [])
  return { run, busy, problem, clear }
}

/** Calls `callback` every `ms` while `enabled`: a fallback for live events that a broken connection has lost. */
export function useEvery(ms: number, enabled: boolean, callback: () => void): void {
  const latest = useRef(callback)
  latest.current = callback
  useEffect(() => {
    if (!enabled) return
    const timer = setInterval(() => latest.current(), ms)
    return () => clearInterval(timer)
  }, [ms, enabled])
}

/** Calls `callback` whenever the window gets the focus. */
export function useFocus(callback: () => void): void {
  useEffect(() => {
    window.addEventListener('focus', callback)
    return () => window.removeEventListener('focus', callback)
  }, [callback])
}
