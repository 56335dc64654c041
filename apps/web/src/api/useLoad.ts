import { type DependencyList, useCallback, useEffect, useRef, useState } from 'react'
import { type ApiProblem, asProblem, isAbort } from './problem.ts'

export interface Loaded<T> {
  /** The last value; kept while it is loaded again for the same thing. */
  data: T | undefined
  problem: ApiProblem | undefined
  loading: boolean
  reload: () => void
  /** Replaces the value, for example by what a live event brought. */
  set: (next: T | undefined | ((old: T | undefined) => T | undefined)) => void
}

/**
 * Loads a value when the component mounts and when `deps` change; gives the request up when either ends.
 * `load` may return `undefined` at once when there is nothing to load.
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
  const [round, setRound] = useState(0)
  const latest = useRef(load)
  latest.current = load
  const lastRound = useRef(0)

  // The caller names what the loading depends on.
  useEffect(() => {
    const controller = new AbortController()
    const again = round !== lastRound.current
    lastRound.current = round
    const call = latest.current(controller.signal)
    if (!call) {
      setState({ data: undefined, problem: undefined, loading: false })
      return
    }
    setState((old) => ({ data: again ? old.data : undefined, problem: undefined, loading: true }))
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
  }, [...deps, round])

  const reload = useCallback(() => setRound((old) => old + 1), [])
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

/** An action a person starts: busy while it goes on, with its problem when it fails; one at a time. */
export function useAction<Args extends unknown[]>(act: (...args: Args) => Promise<unknown>): Action<Args> {
  const [busy, setBusy] = useState(false)
  const [problem, setProblem] = useState<ApiProblem>()
  const latest = useRef(act)
  latest.current = act
  const going = useRef(false)
  const mounted = useRef(true)
  useEffect(() => {
    mounted.current = true
    return () => {
      mounted.current = false
    }
  }, [])

  const run = useCallback(async (...args: Args) => {
    if (going.current) return
    going.current = true
    setBusy(true)
    setProblem(undefined)
    try {
      await latest.current(...args)
    } catch (error) {
      if (mounted.current && !isAbort(error)) setProblem(asProblem(error))
    } finally {
      going.current = false
      if (mounted.current) setBusy(false)
    }
  }, [])
  const clear = useCallback(() => setProblem(undefined), [])
  return { run, busy, problem, clear }
}

/** Calls `act` now and then while `on`: a net below live events, which a broken connection may lose. */
export function useEvery(ms: number, on: boolean, act: () => void): void {
  const latest = useRef(act)
  latest.current = act
  useEffect(() => {
    if (!on) return
    const timer = setInterval(() => latest.current(), ms)
    return () => clearInterval(timer)
  }, [ms, on])
}

/** Calls `act` when the person comes back to this window, where something may have changed meanwhile. */
export function useFocus(act: () => void): void {
  useEffect(() => {
    window.addEventListener('focus', act)
    return () => window.removeEventListener('focus', act)
  }, [act])
}
