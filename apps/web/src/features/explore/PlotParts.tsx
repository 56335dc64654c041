/** Shapes, labels and legend of the plot of candidates. */

import { useId } from 'react'
import type { Candidate } from '../../api/types.ts'
import { baselineMark, markPaths } from './baselineMarks.ts'
import { useCandidateName } from './CandidateNames.tsx'
import type { Point } from './front.ts'
import { type MetricId, metrics } from './metrics.ts'

export const HEIGHT = 360
export const margin = { top: 18, right: 20, bottom: 44, left: 68 }

/** A candidate at its position in the plot. */
export interface Mark extends Point {
  candidate: Candidate
}

/** Shape of a candidate: blue on the front, else grey; hollow when it violates a constraint; squares and diamonds are baselines. */
export function MarkShape({
  x,
  y,
  candidate,
  selected,
  focused,
}: {
  x: number
  y: number
  candidate: Candidate
  selected: boolean
  focused: boolean
}) {
  const colour = candidate.pareto ? 'var(--color-accent)' : 'var(--color-muted)'
  const paint = candidate.meets
    ? { fill: colour, stroke: 'var(--color-surface)', strokeWidth: 1 }
    : { fill: 'var(--color-surface)', stroke: colour, strokeWidth: 1.75 }
  const size = candidate.baseline ? 7 : candidate.pareto ? 5.5 : 4
  const mark = candidate.baseline && baselineMark.get(candidate.baseline)
  return (
    <g transform={`translate(${x} ${y})`}>
      <circle r={11} fill="transparent" />
      {(selected || focused) && (
        <circle
          r={size + 5}
          fill={selected ? 'var(--color-accent-soft)' : 'none'}
          stroke="var(--color-ink)"
          strokeWidth={focused ? 2.5 : 1.5}
          strokeDasharray={focused && !selected ? '3 2' : undefined}
        />
      )}
      {mark ? <path d={markPaths[mark](size)} {...paint} /> : <circle r={size} {...paint} />}
    </g>
  )
}

/** The front of another result, drawn behind this one. */
export function GhostFront({
  corners,
  points,
  px,
  py,
}: {
  corners: readonly { x: number; y: number }[]
  points: readonly Point[]
  px: (value: number) => number
  py: (value: number) => number
}) {
  return (
    <g pointerEvents="none" data-testid="ghost-front" opacity={0.75}>
      <polyline
        points={corners.map((corner) => `${corner.x},${-corner.y}`).join(' ')}
        fill="none"
        stroke="var(--color-muted)"
        strokeWidth={1.5}
        strokeDasharray="6 4"
      />
      {points.map((point) => (
        <circle
          key={point.id}
          cx={px(point.x)}
          cy={py(point.y)}
          r={4.5}
          fill="var(--color-surface)"
          stroke="var(--color-muted)"
          strokeWidth={1.5}
          strokeDasharray="2.5 2"
        />
      ))}
    </g>
  )
}

export function Limits({
  x,
  y,
  right,
  bottom,
}: {
  x: { at: number; text: string } | undefined
  y: { at: number; text: string } | undefined
  right: number
  bottom: number
}) {
  const pattern = useId()
  return (
    <g pointerEvents="none">
      <defs>
        <pattern
          id={pattern}
          width={7}
          height={7}
          patternUnits="userSpaceOnUse"
          patternTransform="rotate(45)"
        >
          <rect width={7} height={7} fill="var(--color-danger)" opacity={0.07} />
          <line x1={0} y1={0} x2={0} y2={7} stroke="var(--color-danger)" strokeWidth={1.5} opacity={0.22} />
        </pattern>
      </defs>
      {x && (
        <>
          <rect
            x={x.at}
            y={margin.top}
            width={Math.max(0, right - x.at)}
            height={bottom - margin.top}
            fill={`url(#${pattern})`}
          />
          <line
            x1={x.at}
            x2={x.at}
            y1={margin.top}
            y2={bottom}
            stroke="var(--color-danger)"
            strokeDasharray="5 3"
          />
          <text
            x={x.at > right - 90 ? x.at - 5 : x.at + 5}
            y={margin.top - 5}
            textAnchor={x.at > right - 90 ? 'end' : 'start'}
            className="text-[11px] font-medium"
            fill="var(--color-danger)"
          >
            limit {x.text}
          </text>
        </>
      )}
      {y && (
        <>
          <rect
            x={margin.left}
            y={margin.top}
            width={right - margin.left}
            height={Math.max(0, y.at - margin.top)}
            fill={`url(#${pattern})`}
          />
          <line
            x1={margin.left}
            x2={right}
            y1={y.at}
            y2={y.at}
            stroke="var(--color-danger)"
            strokeDasharray="5 3"
          />
          <text
            x={margin.left + 5}
            y={y.at - 5}
            className="text-[11px] font-medium"
            fill="var(--color-danger)"
            stroke="var(--color-surface)"
            strokeWidth={3}
            paintOrder="stroke"
          >
            limit {y.text}
          </text>
        </>
      )}
    </g>
  )
}

export function BaselineLabels({
  marks,
  px,
  py,
  right,
}: {
  marks: readonly Mark[]
  px: (value: number) => number
  py: (value: number) => number
  right: number
}) {
  return (
    <g pointerEvents="none">
      {marks
        .filter((mark) => mark.candidate.baseline)
        .map((mark) => {
          const [x, y] = [px(mark.x), py(mark.y)]
          const end = x > right - 80
          return (
            <text
              key={mark.id}
              x={end ? x - 13 : x + 13}
              y={y < margin.top + 14 ? y + 15 : y - 9}
              textAnchor={end ? 'end' : 'start'}
              className="text-xs font-semibold"
              fill="var(--color-ink)"
              stroke="var(--color-surface)"
              strokeWidth={4}
              paintOrder="stroke"
            >
              {mark.candidate.baseline}
            </text>
          )
        })}
    </g>
  )
}

export function Tooltip({
  mark,
  left,
  top,
  width,
  metricIds,
}: {
  mark: Mark
  left: number
  top: number
  width: number
  metricIds: readonly MetricId[]
}) {
  const nameOf = useCandidateName()
  const { candidate } = mark
  const others = (['p99', 'energy', 'bandwidth', 'costPerHour'] as MetricId[]).filter(
    (id) => !metricIds.includes(id),
  )
  return (
    <div
      aria-hidden="true"
      className="pointer-events-none absolute z-10 w-56 rounded-md border border-line-strong bg-raised p-2 text-xs text-ink shadow-lg"
      style={{
        left: left > width - 250 ? left - 238 : left + 14,
        top: Math.max(0, Math.min(top - 20, HEIGHT - 150)),
      }}
    >
      <p className="mb-1 font-semibold">{nameOf(candidate)}</p>
      <dl className="grid grid-cols-[1fr_auto] gap-x-3">
        {[...metricIds, ...others].map((id) => (
          <div key={id} className="contents">
            <dt className="text-muted">{metrics[id].label}</dt>
            <dd className="text-right tabular-nums">
              {metrics[id].print(metrics[id].of(candidate.estimate))}
            </dd>
          </div>
        ))}
      </dl>
      <p className={`mt-1 ${candidate.meets ? 'text-ok' : 'text-danger'}`}>
        {candidate.meets
          ? 'Meets the constraints'
          : (candidate.violations[0]?.message ?? 'Violates a constraint')}
      </p>
    </div>
  )
}

export function Legend({ limited, ghost }: { limited: boolean; ghost: boolean }) {
  const dot = (fill: string, stroke: string) => (
    <svg width={12} height={12} aria-hidden="true">
      <circle cx={6} cy={6} r={4.5} fill={fill} stroke={stroke} strokeWidth={1.75} />
    </svg>
  )
  return (
    <ul className="flex flex-wrap gap-x-4 gap-y-1 text-xs text-muted">
      <li
        className="flex items-center gap-1.5"
        title="Pareto front: no other candidate is at least as good in latency, energy, bandwidth and cost, and better in one"
      >
        {dot('var(--color-accent)', 'var(--color-accent)')} on the front
      </li>
      <li className="flex items-center gap-1.5">
        {dot('var(--color-muted)', 'var(--color-muted)')} dominated
      </li>
      <li className="flex items-center gap-1.5">
        {dot('var(--color-surface)', 'var(--color-muted)')} violates a constraint
      </li>
      <li className="flex items-center gap-1.5">
        <svg width={18} height={10} aria-hidden="true">
          <path d="M1 1 H7 V9 H17" fill="none" stroke="var(--color-accent)" strokeWidth={1.75} />
        </svg>
        front of these two axes
      </li>
      {ghost && (
        <li className="flex items-center gap-1.5">
          <svg width={18} height={10} aria-hidden="true">
            <path
              d="M1 1 H7 V9 H17"
              fill="none"
              stroke="var(--color-muted)"
              strokeWidth={1.75}
              strokeDasharray="4 2"
            />
          </svg>
          front before the change
        </li>
      )}
      {limited && (
        <li className="flex items-center gap-1.5">
          <span
            className="inline-block h-3 w-4 border-l border-dashed border-danger bg-danger-soft"
            aria-hidden="true"
          />
          violates a constraint
        </li>
      )}
    </ul>
  )
}
