import type { Breakdown, Tier } from '../../api/types.ts'
import { Scroll } from '../../ui/Panel.tsx'
import { useFirst } from '../../ui/useFirst.tsx'
import { Term } from '../../words/Term.tsx'
import { AssumedMark } from './AssumedMark.tsx'
import * as format from './format.ts'
import { TierChip } from './TierChip.tsx'

/** Parts of a latency, in the order in which bars show them. */
export const parts = [
  {
    key: 'network',
    term: 'network',
    label: 'Network',
    short: 'Network',
    colour: 'var(--color-part-network)',
  },
  {
    key: 'management',
    term: 'dispatch',
    label: 'Dispatch',
    short: 'Disp.',
    colour: 'var(--color-part-management)',
  },
  {
    key: 'dataExchange',
    term: 'dataExchange',
    label: 'Data exchange',
    short: 'Exchange',
    colour: 'var(--color-part-exchange)',
  },
  {
    key: 'execution',
    term: 'execution',
    label: 'Execution',
    short: 'Exec.',
    colour: 'var(--color-part-execution)',
  },
] as const

const total = (breakdown: Breakdown) => parts.reduce((sum, part) => sum + Math.max(0, breakdown[part.key]), 0)

/** A breakdown of latency as one stacked bar. `scale` is the latency, in ms, that fills the bar's width. */
export function StackedBar({ breakdown, scale }: { breakdown: Breakdown; scale: number }) {
  return (
    <span className="flex h-2.5 w-full overflow-hidden rounded-xs bg-sunken" aria-hidden="true">
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

/** Legend of the parts of a latency. */
export function PartsLegend() {
  return (
    <ul className="flex flex-wrap gap-x-3 gap-y-1 text-xs text-muted">
      {parts.map((part) => (
        <li key={part.key} className="flex items-center gap-1.5">
          <span className="size-2.5 rounded-xs" style={{ background: part.colour }} aria-hidden="true" />
          <Term of={part.term}>{part.label}</Term>
        </li>
      ))}
    </ul>
  )
}

const MAX_ROWS = 25

interface Row {
  task: string
  tier?: Tier
  breakdown: Breakdown
  /** Whether nobody has measured the task. */
  assumed?: boolean
}

/** Breakdown of latency in total and per task, as bars and as a table. */
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
  const { first, more } = useFirst(rows, MAX_ROWS)
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
              {parts.map((part) => (
                <th
                  key={part.key}
                  scope="col"
                  abbr={part.label}
                  title={part.label}
                  className="py-1 pl-1.5 text-right font-medium"
                >
                  {part.short}
                </th>
              ))}
              <th scope="col" className="py-1 pl-1.5 text-right font-medium">
                Total
              </th>
            </tr>
          </thead>
          {first.map((row) => (
            <tbody key={row.task} className="border-t border-line">
              <tr>
                <th scope="rowgroup" colSpan={6} className="pt-1.5 pb-0.5 text-left font-normal">
                  <span className="flex items-center gap-1.5">
                    {row.tier && <TierChip tier={row.tier} />}
                    <span className="max-w-52 truncate" title={row.task}>
                      {row.task}
                    </span>
                    {row.assumed && <AssumedMark />}
                    <span className="ml-auto w-2/5">
                      <StackedBar breakdown={row.breakdown} scale={scale} />
                    </span>
                  </span>
                </th>
              </tr>
              <Figures breakdown={row.breakdown} />
            </tbody>
          ))}
          <tbody className="border-t border-line font-medium">
            <tr>
              <th scope="rowgroup" colSpan={6} className="pt-1.5 pb-0.5 text-left font-medium">
                Whole workflow
              </th>
            </tr>
            <Figures breakdown={whole} />
          </tbody>
        </table>
      </Scroll>
      {more}
    </div>
  )
}

function Figures({ breakdown }: { breakdown: Breakdown }) {
  return (
    <tr>
      <td />
      {parts.map((part) => (
        <td key={part.key} className="pb-1.5 pl-1.5 text-right whitespace-nowrap">
          {format.time(breakdown[part.key])}
        </td>
      ))}
      <td className="pb-1.5 pl-1.5 text-right font-medium whitespace-nowrap">
        {format.time(total(breakdown))}
      </td>
    </tr>
  )
}
