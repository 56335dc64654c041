import type { Constraint } from '@hivemind/workflow'
import { max } from 'd3-array'
import { type KeyboardEvent, memo, useEffect, useMemo, useRef, useState } from 'react'
import type { Candidate } from '../../api/types.ts'
import { InlineSelect } from '../../ui/fields.tsx'
import * as format from '../reports/format.ts'
import { type ScaleKind, scaleOf, suitedScale } from '../reports/scale.ts'
import { useWidth } from '../reports/useWidth.ts'
import { useCandidateName } from './CandidateNames.tsx'
import { Axes, frameOf } from './charts/Axes.tsx'
import { choicesOn, frontOf, type Point, staircase } from './front.ts'
import { latencyMetrics, limitOf, type MetricId, metrics, priceMetrics } from './metrics.ts'
import {
  BaselineLabels,
  GhostFront,
  HEIGHT,
  Legend,
  Limits,
  type Mark,
  MarkShape,
  margin,
  Tooltip,
} from './PlotParts.tsx'

/** Most points that are drawn. The front, the baselines and the selected candidate always are. */
const MAX_POINTS = 1500

const option = (id: MetricId) => ({ value: id, label: metrics[id].label })
const scaleOptions: { value: ScaleKind | 'automatic'; label: string }[] = [
  { value: 'automatic', label: 'Automatic' },
  { value: 'linear', label: 'Linear' },
  { value: 'log', label: 'Logarithmic' },
]

interface Props {
  candidates: readonly Candidate[]
  constraints: readonly Constraint[]
  selected: string | undefined
  onSelect: (id: string) => void
  /** Called with the candidate under the pointer or with the focus; `undefined` when there is none. */
  onHover?: (id: string | undefined) => void
  /** Candidates of another result, whose front is drawn behind for comparison. */
  ghost?: readonly Candidate[]
  /** Candidates to draw faded; none when absent. */
  faded?: (candidate: Candidate) => boolean
  testId?: string
}

/** Whether the axis shows a limit: when a candidate violates it or comes near. Otherwise a sentence names it. */
const fitsAxis = (limit: number, values: readonly number[]) => limit <= (max(values) ?? 0) * 1.5

/** The candidates as points over two metrics, with their front and the limits of the constraints. */
export const ScatterPlot = memo(function ScatterPlot({
  candidates,
  constraints,
  selected,
  onSelect,
  onHover,
  ghost,
  faded,
  testId = 'scatter',
}: Props) {
  const [axes, setAxes] = useState(() => conflictingAxes(candidates))
  const [xMetric, yMetric] = axes
  const setX = (x: MetricId): void => setAxes([x, yMetric])
  const setY = (y: MetricId): void => setAxes([xMetric, y])
  const [kind, setKind] = useState<ScaleKind | 'automatic'>('automatic')
  const [hovered, setHovered] = useState<string>()
  const [focused, setFocused] = useState<string>()
  const nameOf = useCandidateName()
  const { box, width } = useWidth()
  const points = useRef(new Map<string, SVGGElement>())

  const all = useMemo(() => marksOf(candidates, xMetric, yMetric), [candidates, xMetric, yMetric])
  const ghosts = useMemo(() => frontOf(marksOf(ghost ?? [], xMetric, yMetric)), [ghost, xMetric, yMetric])
  const marks = useMemo(() => {
    if (all.length <= MAX_POINTS) return [...all].sort((a, b) => a.x - b.x || a.y - b.y)
    const every = Math.ceil(all.length / MAX_POINTS)
    return all
      .filter(
        (mark, n) =>
          n % every === 0 || mark.candidate.pareto || mark.candidate.baseline || mark.id === selected,
      )
      .sort((a, b) => a.x - b.x || a.y - b.y)
  }, [all, selected])

  const limits = {
    x: limitOf(xMetric, constraints, candidates),
    y: limitOf(yMetric, constraints, candidates),
  }
  const xs = [...all, ...ghosts].map((mark) => mark.x)
  const ys = [...all, ...ghosts].map((mark) => mark.y)
  const visibleLimits = {
    x: limits.x !== undefined && fitsAxis(limits.x, xs) ? limits.x : undefined,
    y: limits.y !== undefined && fitsAxis(limits.y, ys) ? limits.y : undefined,
  }
  const xValues = visibleLimits.x === undefined ? xs : [...xs, visibleLimits.x]
  const yValues = visibleLimits.y === undefined ? ys : [...ys, visibleLimits.y]
  const xScale = scaleOf(
    xValues,
    kind === 'automatic' ? suitedScale(xValues) : kind,
    Math.max(3, Math.floor(width / 110)),
    metrics[xMetric].ticks,
  )
  const yScale = scaleOf(yValues, kind === 'automatic' ? suitedScale(yValues) : kind, 6)
  const frame = frameOf({ width, height: HEIGHT }, margin, xScale, yScale)
  const { right, bottom, px, py } = frame

  const front = useMemo(() => frontOf(all), [all])
  const cornersOf = (points: readonly Point[]) =>
    staircase(
      points.map((point) => ({ x: px(point.x), y: -py(point.y) })),
      { x: right, y: -margin.top },
    )
  const steps = cornersOf(front)

  const keyOf = marks.some((mark) => mark.id === focused)
    ? focused
    : marks.some((mark) => mark.id === selected)
      ? selected
      : marks[0]?.id
  const pointed = hovered ?? focused
  useEffect(() => {
    onHover?.(pointed)
    return () => onHover?.(undefined)
  }, [onHover, pointed])
  const active = all.find((mark) => mark.id === pointed)

  const go = (event: KeyboardEvent, id: string) => {
    const at = marks.findIndex((mark) => mark.id === id)
    const to = {
      ArrowRight: at + 1,
      ArrowDown: at + 1,
      ArrowLeft: at - 1,
      ArrowUp: at - 1,
      Home: 0,
      End: marks.length - 1,
    }[event.key]
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault()
      onSelect(id)
    } else if (to !== undefined) {
      event.preventDefault()
      const next = marks[Math.min(marks.length - 1, Math.max(0, to))]
      if (next) points.current.get(next.id)?.focus()
    }
  }

  const outside = (['x', 'y'] as const).flatMap((axis) => {
    const limit = limits[axis]
    if (limit === undefined || visibleLimits[axis] !== undefined) return []
    const metric = metrics[axis === 'x' ? xMetric : yMetric]
    return [
      `Every candidate meets the limit of ${metric.print(limit)} for ${metric.label.toLowerCase()}. It lies outside the plot.`,
    ]
  })

  return (
    <div className="flex flex-col gap-2">
      <div className="flex flex-wrap gap-x-4 gap-y-2">
        <InlineSelect
          label="Horizontal"
          value={xMetric}
          options={latencyMetrics.map(option)}
          onChange={setX}
        />
        <InlineSelect label="Vertical" value={yMetric} options={priceMetrics.map(option)} onChange={setY} />
        <InlineSelect label="Scale" value={kind} options={scaleOptions} onChange={setKind} />
      </div>
      <div ref={box} className="relative" data-testid={testId}>
        <svg width={width} height={HEIGHT} className="block max-w-full" role="presentation">
          <Axes frame={frame} x={metrics[xMetric]} y={metrics[yMetric]} />
          <Limits
            x={
              visibleLimits.x === undefined
                ? undefined
                : { at: px(visibleLimits.x), text: metrics[xMetric].print(visibleLimits.x) }
            }
            y={
              visibleLimits.y === undefined
                ? undefined
                : { at: py(visibleLimits.y), text: metrics[yMetric].print(visibleLimits.y) }
            }
            right={right}
            bottom={bottom}
          />
          {ghosts.length > 0 && <GhostFront corners={cornersOf(ghosts)} points={ghosts} px={px} py={py} />}
          {steps.length > 0 && (
            <polyline
              data-testid="front"
              points={steps.map((corner) => `${corner.x},${-corner.y}`).join(' ')}
              fill="none"
              stroke="var(--color-accent)"
              strokeWidth={1.75}
              strokeLinejoin="round"
              opacity={0.8}
            />
          )}
          <g
            role="radiogroup"
            aria-label={`${metrics[xMetric].label} against ${metrics[yMetric].label.toLowerCase()}, ${format.count(marks.length, 'candidate')}. Arrow keys move between candidates, Enter selects one.`}
          >
            {paintOrder(marks, selected).map((mark) => (
              // biome-ignore lint/a11y/useSemanticElements: there is no radio button within SVG.
              <g
                key={mark.id}
                ref={(element) => {
                  if (element) points.current.set(mark.id, element)
                  else points.current.delete(mark.id)
                }}
                role="radio"
                aria-checked={mark.id === selected}
                aria-label={describe(nameOf(mark.candidate), mark, xMetric, yMetric)}
                tabIndex={mark.id === keyOf ? 0 : -1}
                data-testid={`point-${mark.id}`}
                className="plot-point cursor-pointer outline-none"
                opacity={faded?.(mark.candidate) && mark.id !== selected ? 0.18 : undefined}
                onClick={() => onSelect(mark.id)}
                onKeyDown={(event) => go(event, mark.id)}
                onFocus={() => setFocused(mark.id)}
                onBlur={() => setFocused(undefined)}
                onMouseEnter={() => setHovered(mark.id)}
                onMouseLeave={() => setHovered(undefined)}
              >
                <MarkShape
                  x={px(mark.x)}
                  y={py(mark.y)}
                  candidate={mark.candidate}
                  selected={mark.id === selected}
                  focused={mark.id === focused}
                />
              </g>
            ))}
          </g>
          <BaselineLabels marks={marks} px={px} py={py} right={right} />
        </svg>
        {active && (
          <Tooltip
            mark={active}
            left={px(active.x)}
            top={py(active.y)}
            width={width}
            metricIds={[xMetric, yMetric]}
          />
        )}
      </div>
      <Legend
        limited={visibleLimits.x !== undefined || visibleLimits.y !== undefined}
        ghost={ghosts.length > 0}
      />
      {outside.map((sentence) => (
        <p key={sentence} className="text-xs text-muted">
          {sentence}
        </p>
      ))}
      {marks.length < all.length && (
        <p className="text-xs text-muted">
          {marks.length.toLocaleString('en-GB')} of {all.length.toLocaleString('en-GB')} candidates are drawn:
          the whole front and a sample of the rest. The table lists all of them.
        </p>
      )}
    </div>
  )
})

/** What is held against the latency at first, best known first. */
const PRICES: readonly MetricId[] = ['energy', 'costPerHour', 'bandwidth']

/** Latency, and the price with which its front offers most choices. */
export function conflictingAxes(candidates: readonly Candidate[]): [MetricId, MetricId] {
  const counted = PRICES.map((y) => ({ y, choices: choicesOn(marksOf(candidates, 'p99', y)) }))
  const most = Math.max(...counted.map(({ choices }) => choices))
  return ['p99', counted.find(({ choices }) => choices === most)?.y ?? 'energy']
}

const marksOf = (candidates: readonly Candidate[], xMetric: MetricId, yMetric: MetricId): Mark[] =>
  candidates
    .map((candidate) => ({
      id: candidate.id,
      candidate,
      x: metrics[xMetric].of(candidate.estimate),
      y: metrics[yMetric].of(candidate.estimate),
    }))
    .filter((mark) => Number.isFinite(mark.x) && Number.isFinite(mark.y))

const rank = (mark: Mark, selected: string | undefined) =>
  mark.id === selected
    ? 4
    : mark.candidate.baseline
      ? 3
      : mark.candidate.pareto
        ? 2
        : mark.candidate.meets
          ? 1
          : 0
const paintOrder = (marks: readonly Mark[], selected: string | undefined) =>
  [...marks].sort((a, b) => rank(a, selected) - rank(b, selected))

function describe(name: string, { candidate, x, y }: Mark, xMetric: MetricId, yMetric: MetricId): string {
  return [
    name,
    `${metrics[xMetric].label} ${metrics[xMetric].print(x)}`,
    `${metrics[yMetric].label} ${metrics[yMetric].print(y)}`,
    candidate.pareto ? 'on the front' : 'not on the front',
    candidate.meets ? 'meets the constraints' : 'violates a constraint',
  ].join(', ')
}
