import { type FoldedRun, RunReplay } from '@hivemind/orchestrator'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { RunView } from '../runState.ts'
import { played, type Speed } from './play.ts'

/** Time between two states while it plays, in ms; the longer one for people who asked for less motion. */
const [INTERVAL_MS, CALM_INTERVAL_MS] = [50, 500]

/** The cursor of a run: a time on the clock of the run, or none, which shows the run as it is. */
export interface Cursor {
  /** ms since 1970; `undefined` shows the newest state. */
  at: number | undefined
  from: number
  to: number
  playing: boolean
  speed: Speed
  /** The run at the cursor. */
  view: RunView
  moveTo: (at: number | undefined) => void
  /** Goes to the next or the previous change. */
  step: (forward: boolean) => void
  togglePlay: () => void
  setSpeed: (speed: Speed) => void
}

const folded = (view: RunView): FoldedRun => ({
  state: view.state,
  ...(view.message && { message: view.message }),
  startedAt: view.startedAt,
  endedAt: view.endedAt,
  outputs: [...view.outputs],
  outputCount: view.outputCount,
  tasks: [...view.tasks.values()],
  losses: [...view.losses],
  constraints: [...view.constraints],
  logs: [...view.logs],
  devices: [...view.devices],
})

/** The view with what had happened by `at`; figures over the whole run stay. */
function viewAt(view: RunView, replay: RunReplay, at: number): RunView {
  const run = replay.at(at)
  return {
    ...view,
    state: run.state,
    message: run.message ?? '',
    tasks: new Map(run.tasks.map((task) => [task.task, task])),
    outputs: run.outputs,
    outputCount: run.outputCount,
    logs: run.logs,
    devices: run.devices,
    losses: run.losses,
    constraints: run.constraints ?? [],
    spans: view.spans.filter(({ startedAt }) => startedAt <= at),
  }
}

/** A cursor over the time of a run. The run itself is only read: one under way goes on, and is shown again without a cursor. */
export function useReplay(view: RunView): Cursor {
  const [at, setAt] = useState<number>()
  const [playing, setPlaying] = useState(false)
  const [speed, setSpeed] = useState<Speed>(1)
  const open = at !== undefined
  const replay = useMemo(
    () => (open || playing ? new RunReplay({ ...folded(view), spans: view.spans }) : undefined),
    [open, playing, view],
  )
  const from = view.startedAt
  const to = Math.max(from, replay?.range.to ?? view.endedAt)
  const shown = useMemo(
    () => (replay && at !== undefined && at < to ? viewAt(view, replay, at) : view),
    [view, replay, at, to],
  )
  const range = useRef({ from, to })
  range.current = { from, to }

  const moveTo = useCallback((next: number | undefined) => {
    if (next === undefined) setPlaying(false)
    setAt(next === undefined ? undefined : Math.min(range.current.to, Math.max(range.current.from, next)))
  }, [])
  useEffect(() => {
    if (!playing) return
    const calm = window.matchMedia('(prefers-reduced-motion: reduce)').matches
    let last = performance.now()
    const timer = setInterval(
      () => {
        const now = performance.now()
        const passed = now - last
        last = now
        setAt((old) => played(old ?? range.current.from, passed, speed, range.current.to))
      },
      calm ? CALM_INTERVAL_MS : INTERVAL_MS,
    )
    return () => clearInterval(timer)
  }, [playing, speed])
  // At the end there is nothing more to play.
  const ended = at !== undefined && at >= to
  useEffect(() => {
    if (ended) setPlaying(false)
  }, [ended])

  return {
    at,
    from,
    to,
    playing,
    speed,
    view: shown,
    moveTo,
    step: (forward) => {
      const own = replay ?? new RunReplay({ ...folded(view), spans: view.spans })
      setPlaying(false)
      moveTo(own.step(at ?? to, forward))
    },
    togglePlay: () => {
      if (!playing && (at === undefined || at >= to)) moveTo(from)
      setPlaying(!playing)
    },
    setSpeed,
  }
}
