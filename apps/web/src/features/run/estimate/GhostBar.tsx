import type { Breakdown } from '../../../api/types.ts'
import { parts, StackedBar } from '../../reports/BreakdownBars.tsx'
import { total } from '../spans.ts'

/** A measured bar over its estimate, its ghost: a dashed outline with pale parts. `scale` is the time in ms of the full width. */
export function GhostBar({
  measured,
  estimated,
  scale,
}: {
  measured: Breakdown
  estimated: Breakdown | undefined
  scale: number
}) {
  const sum = estimated ? total(estimated) : 0
  return (
    <span className="relative flex h-5 w-full items-center bg-sunken" aria-hidden="true">
      {estimated && sum > 0 && (
        <span
          className="absolute inset-y-0 left-0 flex border border-dashed border-muted"
          style={{ width: `max(3px, ${(sum / scale) * 100}%)` }}
        >
          {parts.map(({ key, colour }) => (
            <span
              key={key}
              style={{ width: `${(estimated[key] / sum) * 100}%`, background: colour, opacity: 0.3 }}
            />
          ))}
        </span>
      )}
      <span className="relative w-full [&>span]:bg-transparent">
        <StackedBar breakdown={measured} scale={scale} />
      </span>
    </span>
  )
}

/** What a ghost bar shows, for the legend. */
export function GhostKey() {
  return (
    <span className="flex items-center gap-1.5 text-xs text-muted">
      <span className="h-3 w-4 border border-dashed border-muted" aria-hidden="true" />
      Estimate
    </span>
  )
}
