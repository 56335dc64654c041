import type { Breakdown, Tier } from '../../api/types.ts'
import { Scroll } from '../../ui/kit.tsx'
import * as format from './format.ts'
import { TierChip } from './TierChip.tsx'

export const parts = [
  { key: 'network', label: 'Network', colour: 'var(--color-part-network)' },
  { key: 'management', label: 'Management', colour: 'var(--color-part-management)' },
  { key: 'dataExchange', label: 'Data exchange', colour: 'var(--color-part-exchange)' },
  { key: 'execution', label: 'Execution', colour: 'var(--color-part-execution)' },
] as const

const total = (breakdown: Breakdown) => parts.reduce((sum, part) => sum + Math.max(0, breakdown[part.key]), 0)

/** One stacked bar; `scale` is the value in ms that fills its width. */
export function StackedBar({ breakdown, scale }: { breakdown: Breakdown; scale: number }) {
  return (
    <span className="flex h-3 w-full overflow-hidden rounded-xs bg-sunken" aria-hidden="true">
      {parts.map((part) => {
        const width = scale > 0 ? (Math.max(0, breakdown[part.key]) / scale) * 100 : 0
        return width > 0 ? (
          <span
            key={part.key}
            title={`${part.label}: ${format.time(breakdown[part.key])}`}
            style={{ width: `${width}%`, background: part.colour }}
          />
        ) : null
      })}
    </span>
  )
}

/** What the colours of the bars mean. */
export function PartsLegend() {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
      {parts.map((part) => (
        <li key={part.key} className="flex items-center gap-1.5">
          <span className="size-2.5 rounded-xs" style={{ background: part.colour }} aria-hidden="true" />
          {part.label}
        </li>
      ))}
    </ul>
  )
}

interface Row {
  task: string
  tier?: Tier
  breakdown: Breakdown
}

/** Latency broken down, in total and per task: bars for the eye, the same figures as a table. */
export function BreakdownTable({
  caption,
  whole,
  rows,
}: {
  caption: string
  whole: Breakdown
  rows: readonly Row[]
}) {
  const scale = Math.max(...rows.map((row) => total(row.breakdown)), 1e-9)
  const sum = total(whole)
  return (
    <div className="flex flex-col gap-3">
      <div className="flex flex-col gap-1">
        <div className="flex justify-between text-sm">
          <span>Whole workflow, mean per item</span>
          <span className="font-medium tabular-nums">{format.time(sum)}</span>
        </div>
        <StackedBar breakdown={whole} scale={sum} />
      </div>
      <PartsLegend />
      <Scroll className="overflow-x-auto" label={caption}>
        <table className="w-full border-collapse text-xs tabular-nums">
          <caption className="sr-only">{caption}</caption>
          <thead>
            <tr className="text-left text-muted">
              <th scope="col" className="py-1 pr-2 font-medium">
                Task
              </th>
              <th scope="col" className="min-w-20 py-1 pr-2 font-medium">
                <span className="sr-only">Bar</span>
              </th>
              {parts.map((part) => (
                <th key={part.key} scope="col" className="py-1 pl-2 text-right font-medium">
                  {part.key === 'dataExchange' ? 'Exchange' : part.label}
                </th>
              ))}
              <th scope="col" className="py-1 pl-2 text-right font-medium">
                Total
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.task} className="border-t border-line">
                <th scope="row" className="max-w-40 py-1 pr-2 text-left font-normal">
                  <span className="flex items-center gap-1.5">
                    <span className="truncate" title={row.task}>
                      {row.task}
                    </span>
                    {row.tier && <TierChip tier={row.tier} />}
                  </span>
                </th>
                <td className="py-1 pr-2">
                  <StackedBar breakdown={row.breakdown} scale={scale} />
                </td>
                {parts.map((part) => (
                  <td key={part.key} className="py-1 pl-2 text-right whitespace-nowrap">
                    {format.time(row.breakdown[part.key])}
                  </td>
                ))}
                <td className="py-1 pl-2 text-right font-medium whitespace-nowrap">
                  {format.time(total(row.breakdown))}
                </td>
              </tr>
            ))}
            <tr className="border-t border-line font-medium">
              <th scope="row" colSpan={2} className="py-1 pr-2 text-left font-medium">
                Whole workflow
              </th>
              {parts.map((part) => (
                <td key={part.key} className="py-1 pl-2 text-right whitespace-nowrap">
                  {format.time(whole[part.key])}
                </td>
              ))}
              <td className="py-1 pl-2 text-right whitespace-nowrap">{format.time(sum)}</td>
            </tr>
          </tbody>
        </table>
      </Scroll>
    </div>
  )
}
