import { useState } from 'react'

/** A window on a time axis, in ms. */
export interface TimeWindow {
  from: number
  to: number
}

/** Shortest window, in ms: below it the clocks of a run tell nothing apart. */
export const MIN_WINDOW_MS = 0.5

/** The window moved and scaled around `at` (its middle without it), kept within `all`. */
export function zoomed(
  all: TimeWindow,
  { from, to }: TimeWindow,
  factor: number,
  at = (from + to) / 2,
): TimeWindow {
  const length = Math.min(all.to - all.from, Math.max(MIN_WINDOW_MS, (to - from) / factor))
  const share = to > from ? (at - from) / (to - from) : 0.5
  return moved(all, { from: at - share * length, to: at + (1 - share) * length }, 0)
}

/** The window moved by a share of its length, kept within `all`. */
export function moved(all: TimeWindow, { from, to }: TimeWindow, share: number): TimeWindow {
  const length = Math.min(to - from, all.to - all.from)
  const start = Math.min(Math.max(all.from, from + share * length), all.to - length)
  return { from: start, to: start + length }
}

/** A zoomable time axis: the window that is shown, and keys that change it (`+`, `-`, `0`, Shift with arrows). */
export function useZoom(all: TimeWindow) {
  const [own, setOwn] = useState<TimeWindow>()
  const view = own ? moved(all, own, 0) : all
  const zoomBy = (factor: number, at?: number) => setOwn(zoomed(all, view, factor, at))
  const fit = () => setOwn(undefined)
  /** Whether the key was one of the zoom. */
  const onKey = (event: { key: string; shiftKey: boolean; ctrlKey: boolean; metaKey: boolean }): boolean => {
    if (event.ctrlKey || event.metaKey) return false
    if (event.key === '+' || event.key === '=') zoomBy(2)
    else if (event.key === '-') zoomBy(0.5)
    else if (event.key === '0') fit()
    else if (event.shiftKey && event.key === 'ArrowLeft') setOwn(moved(all, view, -0.25))
    else if (event.shiftKey && event.key === 'ArrowRight') setOwn(moved(all, view, 0.25))
    else return false
    return true
  }
  return { view, zoomBy, fit, onKey, isWhole: own === undefined, show: setOwn }
}
export type Zoom = ReturnType<typeof useZoom>
