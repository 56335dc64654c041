import { extent } from 'd3-array'
import { type KeyboardEvent, type PointerEvent, useMemo, useRef } from 'react'
import type { Candidate } from '../../../api/types.ts'
import { Button } from '../../../ui/Button.tsx'
import { type Scale, scaleOf, suitedScale } from '../../reports/scale.ts'
import { useWidth } from '../../reports/useWidth.ts'
import { type MetricId, metrics } from '../metrics.ts'
import { Figure } from './Figure.tsx'
import { Picture } from './Picture.tsx'
import { anyRange, isWithin, nudged, type Range, type Ranges, rangesText } from './ranges.ts'

const HEIGHT = 250
const margin = { top: 34, bottom: 22, side: 58 }
const BAND = 26
const MAX_LINES = 600
const axes: MetricId[] = ['p99', 'execTime', 'energy', 'bandwidth', 'costPerHour']

interface Axis {
  id: MetricId
  x: number
  scale: Scale
  values: number[]
  /** Smallest and largest of the values; both NaN without any. */
  extent: readonly [number, number]
}

/** The axes of a plot of this width, in pixels. */
function axesFor(candidates: readonly Candidate[], width: number): Axis[] {
  return axes.map((id, n) => {
    const values = candidates.map((each) => metrics[id].of(each.estimate)).filter(Number.isFinite)
    const [min = Number.NaN, max = Number.NaN] = extent(values)
    return {
      id,
      x: margin.side + (n * (width - 2 * margin.side)) / (axes.length - 1),
      scale: scaleOf(values, suitedScale(values), 5),
      values,
      extent: [min, max],
    }
  })
}

const yOf = (axis: Axis, value: number): number =>
  HEIGHT - margin.bottom - axis.scale.at(value) * (HEIGHT - margin.top - margin.bottom)

const lineOf = (all: readonly Axis[], candidate: Candidate): string =>
  all.map((axis) => `${axis.x},${yOf(axis, metrics[axis.id].of(candidate.estimate))}`).join(' ')

/**
 * Parallel coordinates: each candidate is a line over all metrics. The user marks ranges on the axes to keep only the
 * candidates within all of them.
 */
export function ParallelPlot({
  candidates,
  selected,
  ranges,
  onRanges,
}: {
  candidates: readonly Candidate[]
  selected: string | undefined
  ranges: Ranges
  onRanges: (ranges: Ranges) => void
}) {
  const { box, width } = useWidth(720)
  const all = useMemo(() => axesFor(candidates, width), [candidates, width])
  const lines = useMemo(() => {
    const every = Math.ceil(candidates.length / MAX_LINES)
    return candidates
      .filter((each, n) => n % every === 0 || each.pareto || each.baseline || each.id === selected)
      .map((candidate) => ({ candidate, points: lineOf(all, candidate) }))
      .sort((a, b) => rank(a.candidate, selected) - rank(b.candidate, selected))
  }, [candidates, all, selected])
  const within = useMemo(
    () => candidates.filter((each) => isWithin(ranges, each)).length,
    [candidates, ranges],
  )
  const set = (id: MetricId, range: Range | undefined) => onRanges({ ...ranges, [id]: range })
  return (
    <Figure
      title="All metrics"
      data={{
        name: 'parallel-coordinates',
        head: ['candidate', ...axes.map((id) => metrics[id].label), 'front', 'within the ranges'],
        rows: () =>
          candidates.map((each) => [
            each.id,
            ...axes.map((id) => metrics[id].of(each.estimate)),
            each.pareto,
            isWithin(ranges, each),
          ]),
      }}
      note={
        lines.length < candidates.length
          ? `${lines.length.toLocaleString('en-GB')} of ${candidates.length.toLocaleString('en-GB')} lines are drawn: the whole front and a sample of the rest.`
          : undefined
      }
    >
      <div ref={box} data-testid="parallel" className="min-w-0">
        <svg width={width} height={HEIGHT} className="block max-w-full" role="presentation" fontSize={11}>
          {lines.map(({ candidate, points }) => (
            <CandidateLine
              key={candidate.id}
              candidate={candidate}
              points={points}
              inside={isWithin(ranges, candidate)}
              chosen={candidate.id === selected}
            />
          ))}
          {all.map((axis) => (
            <AxisBrush
              key={axis.id}
              axis={axis}
              range={ranges[axis.id]}
              onRange={(range) => set(axis.id, range)}
            />
          ))}
        </svg>
      </div>
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-1 text-xs text-muted">
        <span role="status">
          {anyRange(ranges)
            ? `${within.toLocaleString('en-GB')} of ${candidates.length.toLocaleString('en-GB')} within: ${rangesText(ranges)}`
            : 'Drag along an axis, or move its ends with the arrow keys, to filter the candidates in the plots and the table.'}
        </span>
        {anyRange(ranges) && (
          <Button className="h-6! px-2! text-xs!" onClick={() => onRanges({})} data-testid="clear-ranges">
            Clear ranges
          </Button>
        )}
      </div>
    </Figure>
  )
}

const rank = (candidate: Candidate, selected: string | undefined): number =>
  candidate.id === selected ? 2 : candidate.pareto ? 1 : 0

/** The line of an axis with its title, largest and smallest value. */
function AxisFrame({ axis }: { axis: Axis }) {
  const { label, print } = metrics[axis.id]
  return (
    <>
      <text x={axis.x} y={12} textAnchor="middle" fontWeight={600} fill="var(--color-ink)">
        {label}
      </text>
      <text x={axis.x} y={margin.top - 8} textAnchor="middle" fill="var(--color-muted)">
        {print(axis.extent[1])}
      </text>
      <text x={axis.x} y={HEIGHT - 6} textAnchor="middle" fill="var(--color-muted)">
        {print(axis.extent[0])}
      </text>
      <line
        x1={axis.x}
        x2={axis.x}
        y1={margin.top}
        y2={HEIGHT - margin.bottom}
        stroke="var(--color-line-strong)"
        strokeWidth={1.5}
      />
    </>
  )
}

/** The plot without interaction, for reports. */
export function ParallelPicture({
  candidates,
  selected,
  width,
}: {
  candidates: readonly Candidate[]
  selected: string | undefined
  width: number
}) {
  const all = axesFor(candidates, width)
  return (
    <Picture
      label={`Every candidate as a line over ${axes.map((id) => metrics[id].label.toLowerCase()).join(', ')}`}
      width={width}
      height={HEIGHT}
    >
      {[...candidates]
        .sort((a, b) => rank(a, selected) - rank(b, selected))
        .map((candidate) => (
          <CandidateLine
            key={candidate.id}
            candidate={candidate}
            points={lineOf(all, candidate)}
            inside
            chosen={candidate.id === selected}
          />
        ))}
      {all.map((axis) => (
        <AxisFrame key={axis.id} axis={axis} />
      ))}
    </Picture>
  )
}

function CandidateLine({
  candidate,
  points,
  inside,
  chosen,
}: {
  candidate: Candidate
  points: string
  inside: boolean
  chosen: boolean
}) {
  return (
    <polyline
      points={points}
      fill="none"
      stroke={chosen ? 'var(--color-ink)' : candidate.pareto ? 'var(--color-accent)' : 'var(--color-muted)'}
      strokeWidth={chosen ? 2.75 : candidate.pareto ? 1.5 : 1}
      opacity={inside ? (chosen ? 1 : candidate.pareto ? 0.85 : 0.45) : 0.08}
      strokeDasharray={candidate.meets ? undefined : '4 3'}
    />
  )
}

/** An axis on which the pointer or the arrow keys mark a range. */
function AxisBrush({
  axis,
  range,
  onRange,
}: {
  axis: Axis
  range: Range | undefined
  onRange: (range: Range | undefined) => void
}) {
  const from = useRef<number>(undefined)
  const { label, print } = metrics[axis.id]
  const [min, max] = axis.extent
  const [low, high] = range ?? axis.extent
  const positionAt = (event: PointerEvent<SVGElement>): number => {
    const area = event.currentTarget.getBoundingClientRect()
    return Math.min(1, Math.max(0, 1 - (event.clientY - area.top) / area.height))
  }
  const drag = (event: PointerEvent<SVGElement>) => {
    if (from.current === undefined) return
    const to = positionAt(event)
    const [a, b] = from.current < to ? [from.current, to] : [to, from.current]
    if (b - a > 0.01) onRange([axis.scale.valueAt(a), axis.scale.valueAt(b)])
  }
  const onKey = (event: KeyboardEvent, end: 0 | 1) => {
    const steps = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1, PageUp: 10, PageDown: -10 }[
      event.key
    ]
    if (event.key === 'Delete' || event.key === 'Backspace') onRange(undefined)
    else if (steps !== undefined) onRange(nudged(axis.values, range, end, steps))
    else return
    event.preventDefault()
  }
  return (
    <g>
      <AxisFrame axis={axis} />
      {/* biome-ignore lint/a11y/noStaticElementInteractions: the two sliders below do the same by key. */}
      <rect
        x={axis.x - BAND / 2}
        y={margin.top}
        width={BAND}
        height={HEIGHT - margin.top - margin.bottom}
        fill="transparent"
        className="cursor-crosshair touch-none"
        onPointerDown={(event) => {
          event.currentTarget.setPointerCapture(event.pointerId)
          from.current = positionAt(event)
        }}
        onPointerMove={drag}
        onPointerUp={() => {
          from.current = undefined
        }}
        onDoubleClick={() => onRange(undefined)}
        data-testid={`axis-${axis.id}`}
      />
      {range && (
        <rect
          x={axis.x - 6}
          y={yOf(axis, high)}
          width={12}
          height={Math.max(2, yOf(axis, low) - yOf(axis, high))}
          fill="var(--color-accent)"
          opacity={0.35}
          pointerEvents="none"
        />
      )}
      {([0, 1] as const).map((which) => {
        const value = which === 0 ? low : high
        return (
          <rect
            key={which}
            role="slider"
            tabIndex={0}
            aria-label={`${label}, ${which === 0 ? 'from' : 'to'}`}
            aria-orientation="vertical"
            aria-valuemin={min}
            aria-valuemax={max}
            aria-valuenow={value}
            aria-valuetext={print(value)}
            data-testid={`axis-${axis.id}-${which === 0 ? 'from' : 'to'}`}
            x={axis.x - 8}
            y={yOf(axis, value) - (which === 0 ? 0 : 5)}
            width={16}
            height={5}
            rx={2}
            fill={range ? 'var(--color-accent)' : 'var(--color-line-strong)'}
            pointerEvents="none"
            onKeyDown={(event) => onKey(event, which)}
          />
        )
      })}
    </g>
  )
}
