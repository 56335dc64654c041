import { Pause, Play, Radio, SkipBack, SkipForward, StepBack, StepForward } from 'lucide-react'
import type { KeyboardEvent } from 'react'
import { InlineSelect } from '../../../ui/fields.tsx'
import { IconButton } from '../../../ui/IconButton.tsx'
import * as format from '../../reports/format.ts'
import { movedBy, SPEEDS, type Speed } from './play.ts'
import type { Cursor } from './useReplay.ts'

/** Positions of the slider from start to end. */
const POSITIONS = 1000

/** One cursor for all panels of a run: it moves through the time of the run, by hand or by itself. */
export function Scrubber({ cursor, live }: { cursor: Cursor; live: boolean }) {
  const { from, to, at, playing, moveTo } = cursor
  const now = at ?? to
  const length = Math.max(1e-9, to - from)
  const said = `${format.time(now - from)} of ${format.time(to - from)}`
  const onKeyDown = (event: KeyboardEvent) => {
    const target = event.target as HTMLElement
    if (event.ctrlKey || event.metaKey || event.altKey || target instanceof HTMLSelectElement) return
    const next = movedBy(event, now, cursor)
    if (next !== undefined) moveTo(next)
    // On a button the space bar presses it.
    else if (event.key === ' ' && !(target instanceof HTMLButtonElement)) cursor.togglePlay()
    else return
    event.preventDefault()
  }
  const icon = 'size-4'
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: keys of the controls inside work wherever in it the focus is.
    <div
      data-testid="scrubber"
      onKeyDown={onKeyDown}
      className="sticky -top-4 z-10 md:col-span-2 flex flex-wrap items-center gap-x-3 gap-y-1 rounded-lg border border-line bg-surface px-3 py-1.5 shadow-sm print:hidden"
    >
      <span className="flex">
        <IconButton label="To the start" keys="Home" onClick={() => moveTo(from)}>
          <SkipBack className={icon} aria-hidden="true" />
        </IconButton>
        <IconButton label="To the change before" onClick={() => cursor.step(false)}>
          <StepBack className={icon} aria-hidden="true" />
        </IconButton>
        <IconButton
          label={playing ? 'Pause' : 'Play the run'}
          keys="Space"
          data-testid="replay-play"
          onClick={cursor.togglePlay}
        >
          {playing ? (
            <Pause className={icon} aria-hidden="true" />
          ) : (
            <Play className={icon} aria-hidden="true" />
          )}
        </IconButton>
        <IconButton label="To the next change" data-testid="replay-next" onClick={() => cursor.step(true)}>
          <StepForward className={icon} aria-hidden="true" />
        </IconButton>
        <IconButton label="To the end" keys="End" onClick={() => moveTo(to)}>
          <SkipForward className={icon} aria-hidden="true" />
        </IconButton>
      </span>
      <input
        type="range"
        className="min-w-40 flex-1 accent-accent"
        aria-label="Time of the run. Arrow keys move, Shift moves further, Space plays"
        aria-valuetext={said}
        data-testid="replay-time"
        min={0}
        max={POSITIONS}
        step={1}
        value={Math.round(((now - from) / length) * POSITIONS)}
        onChange={(event) => moveTo(from + (Number(event.target.value) / POSITIONS) * length)}
      />
      <span className="w-36 text-right text-xs tabular-nums" data-testid="replay-at">
        {said}
      </span>
      <InlineSelect
        label="Speed"
        testId="replay-speed"
        className="w-auto!"
        value={String(cursor.speed)}
        options={SPEEDS.map((speed) => ({ value: String(speed), label: `${speed}×` }))}
        onChange={(speed) => cursor.setSpeed(Number(speed) as Speed)}
      />
      <button
        type="button"
        disabled={at === undefined}
        data-testid="replay-live"
        className="inline-flex h-7 items-center gap-1.5 rounded-md border border-line-strong px-2 text-xs font-medium hover:bg-sunken disabled:opacity-50"
        onClick={() => moveTo(undefined)}
      >
        <Radio className="size-3.5" aria-hidden="true" />
        {live ? 'Follow live' : 'Whole run'}
      </button>
    </div>
  )
}
