/** State of the what-if panel: settings, the front as a quick estimate at once, and the simulated front once the settings rest. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Candidate, Exploration } from '../../../api/types.ts'
import { applied, baseOf, type Knob, type KnobId, knobsOf, type Scenario, type Settings } from './knobs.ts'
import { isQuick, screen } from './screen.ts'
import { openWorker } from './work.ts'

/** Time without a change after which the settings are simulated, in ms. */
const REST_MS = 450
/** Performance measures are cleared beyond this number; otherwise the browser keeps all of them. */
const MAX_MEASURES = 500
/** Name of the performance measure from an input to the redrawn front. */
export const REDRAW_MEASURE = 'what-if: slider to front'

interface Screened {
  candidates: Candidate[]
  /** Time of the input that led to this result; absent for the first result. */
  movedAt: number | undefined
}

export interface WhatIf {
  knobs: readonly Knob[]
  settings: Settings
  changed: boolean
  workWithSize: boolean
  setWorkWithSize: (value: boolean, at: number) => void
  /** `at`: time of the input event, in ms on the clock of `performance.now()`. */
  set: (id: KnobId, value: number, at: number) => void
  reset: (id: KnobId | undefined, at: number) => void
  /** The newest result: a quick estimate, then simulated. */
  candidates: readonly Candidate[] | undefined
  method: 'closed-form' | 'simulated'
  /** The front of the explored scenario, by the same method; absent while the settings are unchanged. */
  ghost: readonly Candidate[] | undefined
  /** Progress of the running simulation, from 0 to 1; absent when none is running. */
  simulating: number | undefined
  cancelled: boolean
  cancel: () => void
  simulateNow: () => void
  /** The simulated result for these settings. */
  simulated: Exploration | undefined
  /** Time from the last input to the front on the screen, in ms. */
  redrawMs: number | undefined
  problem: string | undefined
  /** The scenario with these settings, once they rest. */
  resting: Scenario
}

/** Settings and results of the what-if panel for an exploration. */
export function useWhatIf(scenario: Scenario, exploration: Exploration): WhatIf {
  const knobs = useMemo(() => knobsOf(scenario), [scenario])
  const base = useMemo(() => baseOf(knobs), [knobs])
  const placements = useMemo(
    () => exploration.candidates.map(({ id, placement, baseline }) => ({ id, placement, baseline })),
    [exploration],
  )
  const [settings, setSettings] = useState(base)
  const [workWithSize, setWork] = useState(true)
  const [screened, setScreened] = useState<Screened>()
  const [own, setOwn] = useState<Candidate[]>()
  const [simulated, setSimulated] = useState<Exploration>()
  const [simulating, setSimulating] = useState<number>()
  const [cancelled, setCancelled] = useState(false)
  const [problem, setProblem] = useState<string>()
  const [redrawMs, setRedrawMs] = useState<number>()
  const [resting, setResting] = useState(scenario)
  const workers = useRef<{
    formula: ReturnType<typeof openWorker<'screen'>>
    simulation: ReturnType<typeof openWorker<'explore'>>
  }>(undefined)
  /** The newest settings, for event handlers that are created only once. */
  const now = useRef({ settings, workWithSize })
  const rest = useRef<ReturnType<typeof setTimeout>>(undefined)

  const isBase = useCallback((some: Settings) => knobs.every((knob) => some[knob.id] === knob.base), [knobs])

  const simulate = useCallback((what: Scenario) => {
    setCancelled(false)
    setSimulating(0)
    workers.current?.simulation.askInstead(
      { kind: 'explore', scenario: what },
      {
        onProgress: setSimulating,
        onAnswer: (answer) => {
          setSimulated(answer)
          setSimulating(undefined)
        },
        onFailure: (message) => {
          setProblem(message)
          setSimulating(undefined)
        },
      },
    )
  }, [])

  const move = useCallback(
    (next: Settings, withWork: boolean, at: number | undefined) => {
      const what = applied(scenario, next, withWork)
      const show = (candidates: Candidate[]) => {
        setProblem(undefined)
        setScreened({ candidates, movedAt: at })
        if (isBase(next)) setOwn(candidates)
      }
      if (isQuick(what, placements)) {
        workers.current?.formula.cancel()
        try {
          show(screen(what, placements))
        } catch (error) {
          setProblem(error instanceof Error ? error.message : String(error))
        }
      } else
        workers.current?.formula.ask(
          { kind: 'screen', scenario: what, placements },
          // Drawn synchronously: the front must not wait behind other work of the page.
          { onAnswer: (candidates) => flushSync(() => show(candidates)), onFailure: setProblem },
        )
      workers.current?.simulation.cancel()
      clearTimeout(rest.current)
      now.current = { settings: next, workWithSize: withWork }
      setSettings(next)
      setWork(withWork)
      setSimulated(undefined)
      setSimulating(undefined)
      setCancelled(false)
      rest.current = setTimeout(() => {
        setResting(isBase(next) ? scenario : what)
        if (!isBase(next)) simulate(what)
      }, REST_MS)
    },
    [scenario, placements, isBase, simulate],
  )

  useEffect(() => {
    const mine = { formula: openWorker<'screen'>(), simulation: openWorker<'explore'>() }
    workers.current = mine
    move(base, true, undefined)
    return () => {
      clearTimeout(rest.current)
      mine.formula.close()
      mine.simulation.close()
    }
  }, [base, move])

  // The result is on the screen after the next frame.
  useLayoutEffect(() => {
    const movedAt = screened?.movedAt
    if (movedAt === undefined) return
    const frame = requestAnimationFrame(() =>
      setTimeout(() => {
        if (performance.getEntriesByName(REDRAW_MEASURE).length >= MAX_MEASURES)
          performance.clearMeasures(REDRAW_MEASURE)
        setRedrawMs(performance.measure(REDRAW_MEASURE, { start: movedAt }).duration)
      }),
    )
    return () => cancelAnimationFrame(frame)
  }, [screened])

  const set = useCallback(
    (id: KnobId, value: number, at: number) => {
      const { settings, workWithSize } = now.current
      if (settings[id] !== value) move({ ...settings, [id]: value }, workWithSize, at)
    },
    [move],
  )
  const reset = useCallback(
    (id: KnobId | undefined, at: number) => {
      const { settings, workWithSize } = now.current
      move(id === undefined ? base : { ...settings, [id]: base[id] }, workWithSize, at)
    },
    [base, move],
  )

  const changed = !isBase(settings)
  const original = exploration.candidates
  return {
    knobs,
    settings,
    changed,
    workWithSize,
    setWorkWithSize: (value, at) => move(settings, value, at),
    set,
    reset,
    candidates: simulated?.candidates ?? screened?.candidates,
    method: simulated ? 'simulated' : 'closed-form',
    ghost: changed ? (simulated ? original : own) : undefined,
    simulating,
    cancelled,
    cancel: () => {
      workers.current?.simulation.cancel()
      setSimulating(undefined)
      setCancelled(true)
    },
    simulateNow: () => simulate(applied(scenario, settings, workWithSize)),
    simulated,
    redrawMs,
    problem,
    resting,
  }
}
