/** The state of a what-if: settings, the answer by formula at once, the simulated one once the settings rest. */
import { useCallback, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import type { Candidate, Exploration } from '../../../api/types.ts'
import { applied, baseOf, type Knob, type KnobId, knobsOf, type Scenario, type Settings } from './knobs.ts'
import { isQuick, screen } from './screen.ts'
import { openWorker } from './work.ts'

/** So long the settings must rest before they are simulated, in ms. */
const REST_MS = 450
/** The browser keeps every measure until told otherwise. */
const MEASURES_KEPT = 500
export const REDRAW_MEASURE = 'what-if: slider to front'

interface Screened {
  candidates: Candidate[]
  /** When the input happened that this answers; absent for the first. */
  movedAt: number | undefined
}

export interface WhatIf {
  knobs: readonly Knob[]
  settings: Settings
  changed: boolean
  workWithSize: boolean
  setWorkWithSize: (value: boolean, at: number) => void
  /** `at`: when the input happened, on the clock of `performance.now()`. */
  set: (id: KnobId, value: number, at: number) => void
  reset: (id: KnobId | undefined, at: number) => void
  /** The newest answer; simulated once there is one for these settings. */
  candidates: readonly Candidate[] | undefined
  method: 'closed-form' | 'simulated'
  /** The front of the scenario's own settings, by the same method; absent at those settings. */
  ghost: readonly Candidate[] | undefined
  /** Share done of the simulation that goes on. */
  simulating: number | undefined
  cancelled: boolean
  cancel: () => void
  simulateNow: () => void
  /** The simulated answer to these settings. */
  simulated: Exploration | undefined
  /** From the last input to the front on the screen, in ms. */
  redrawMs: number | undefined
  problem: string | undefined
  /** The scenario with these settings, once they rest. */
  resting: Scenario
}

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
  /** What the newest input says, which a handler that stays the same can read. */
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
          // Drawn at once: the front must not wait behind other work of the page.
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

  // The answer is on the screen after the frame that follows.
  useLayoutEffect(() => {
    const movedAt = screened?.movedAt
    if (movedAt === undefined) return
    const frame = requestAnimationFrame(() =>
      setTimeout(() => {
        if (performance.getEntriesByName(REDRAW_MEASURE).length >= MEASURES_KEPT)
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
