import { ArrowDown, ArrowUp } from 'lucide-react'
import { useEffect, useMemo, useRef, useState } from 'react'
import type { Candidate } from '../../api/types.ts'
import { Badge } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { useFirst } from '../../ui/useFirst.tsx'
import * as format from '../reports/format.ts'
import { PlacementChips } from '../reports/TierChip.tsx'
import { useCandidateName } from './CandidateNames.tsx'
import { type Filter, rowsOf, type Sorting, type SortKey } from './candidates.ts'
import { metrics, tableMetrics } from './metrics.ts'

const MAX_ROWS = 50

interface Props {
  candidates: readonly Candidate[]
  tasks: readonly string[]
  selected: string | undefined
  onSelect: (id: string) => void
  /** Shows only the candidates that pass; all of them when absent. */
  within?: (candidate: Candidate) => boolean
}

const columns: { key: SortKey; label: string; numeric: boolean }[] = [
  { key: 'placement', label: 'Placement', numeric: false },
  ...tableMetrics.map((id) => ({ key: id, label: metrics[id].short, numeric: true })),
  { key: 'pareto', label: 'Front', numeric: false },
  { key: 'meets', label: 'Constraints', numeric: false },
]

/** All candidates in a table to filter, sort and select from. */
export function CandidateTable({ candidates, tasks, selected, onSelect, within }: Props) {
  const [filter, setFilter] = useState<Filter>({ front: false, meets: false })
  const [sorting, setSorting] = useState<Sorting>({ key: 'energy', descending: false })
  const rows = useMemo(
    () => rowsOf(within ? candidates.filter(within) : candidates, filter, sorting),
    [candidates, within, filter, sorting],
  )
  const { first, more } = useFirst(rows, MAX_ROWS)
  // The selected candidate is always listed, even when it is sorted beyond the first rows.
  const beyond = rows.slice(first.length).find((row) => row.id === selected)
  const visible = beyond ? [...first, beyond] : first
  const hidden = candidates.length - rows.length
  const box = useRef<HTMLElement>(null)

  useEffect(() => {
    if (selected === undefined) return
    const row = box.current?.querySelector(`[data-row="${CSS.escape(selected)}"]`)
    if (row && box.current && box.current.scrollHeight > box.current.clientHeight) {
      const [inner, outer] = [row.getBoundingClientRect(), box.current.getBoundingClientRect()]
      if (inner.top < outer.top + 32 || inner.bottom > outer.bottom)
        box.current.scrollTop += inner.top - outer.top - outer.height / 3
    }
  }, [selected])

  const sortBy = (key: SortKey) =>
    setSorting((old) => ({ key, descending: old.key === key ? !old.descending : key === 'throughput' }))

  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-1 text-sm">
        <label className="flex items-center gap-1.5">
          <input
            type="checkbox"
            checked={filter.front}
            onChange={(event) => setFilter({ ...filter, front: event.target.checked })}
          />
          Only on the front
        </label>
        <label className="flex items-center gap-1.5">
          <input
            type="checkbox"
            checked={filter.meets}
            onChange={(event) => setFilter({ ...filter, meets: event.target.checked })}
          />
          Only if the constraints are met
        </label>
        <span className="text-muted" role="status">
          {format.count(rows.length, 'candidate')}
          {hidden > 0 ? `, ${hidden.toLocaleString('en-GB')} filtered out` : ''}
        </span>
      </div>
      <Scroll
        ref={box}
        className="relative max-h-96 overflow-auto rounded-md border border-line"
        label="Candidates, scrollable"
      >
        <table className="w-full border-collapse text-[13px] tabular-nums">
          <caption className="sr-only">Candidates with their estimates; a row's button selects it</caption>
          <thead className="sticky top-0 z-10 bg-raised">
            <tr>
              {columns.map((column) => (
                <th
                  key={column.key}
                  scope="col"
                  aria-sort={
                    sorting.key === column.key ? (sorting.descending ? 'descending' : 'ascending') : undefined
                  }
                  className={`border-b border-line px-1.5 py-1.5 font-medium ${column.numeric ? 'text-right' : 'text-left'}`}
                >
                  <button
                    type="button"
                    onClick={() => sortBy(column.key)}
                    className="inline-flex items-center gap-0.5 whitespace-nowrap hover:underline"
                  >
                    {column.label}
                    {sorting.key === column.key &&
                      (sorting.descending ? (
                        <ArrowDown className="size-3" aria-hidden="true" />
                      ) : (
                        <ArrowUp className="size-3" aria-hidden="true" />
                      ))}
                  </button>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {visible.map((candidate) => (
              <Row
                key={candidate.id}
                candidate={candidate}
                tasks={tasks}
                selected={candidate.id === selected}
                onSelect={onSelect}
              />
            ))}
          </tbody>
        </table>
        {rows.length === 0 && (
          <p className="p-4 text-sm text-muted">
            No candidate passes these filters. Clear a filter to see more.
            {filter.meets && !candidates.some((candidate) => candidate.meets)
              ? ': none meets the constraints. Relax one on the workflow screen, or explore another fleet.'
              : '.'}
          </p>
        )}
      </Scroll>
      {more}
    </div>
  )
}

function Row({
  candidate,
  tasks,
  selected,
  onSelect,
}: {
  candidate: Candidate
  tasks: readonly string[]
  selected: boolean
  onSelect: (id: string) => void
}) {
  const nameOf = useCandidateName()
  return (
    <tr
      data-testid={`candidate-row-${candidate.id}`}
      data-row={candidate.id}
      data-meets={candidate.meets}
      data-pareto={candidate.pareto}
      aria-selected={selected}
      onClick={() => onSelect(candidate.id)}
      className={`cursor-pointer border-b border-line last:border-b-0 ${selected ? 'bg-accent-soft' : 'hover:bg-sunken'}`}
    >
      <th scope="row" className="px-1.5 py-1 text-left font-normal">
        <button
          type="button"
          aria-pressed={selected}
          onClick={(event) => {
            event.stopPropagation()
            onSelect(candidate.id)
          }}
          className="flex items-center gap-2 text-left"
        >
          <PlacementChips placement={candidate.placement} tasks={tasks} />
          <span className={candidate.baseline ? 'font-medium' : ''}>{nameOf(candidate)}</span>
        </button>
      </th>
      {tableMetrics.map((id) => (
        <td key={id} className="px-1.5 py-1 text-right whitespace-nowrap">
          {metrics[id].print(metrics[id].of(candidate.estimate))}
        </td>
      ))}
      <td className="px-1.5 py-1">
        {candidate.pareto ? <Badge tone="accent">front</Badge> : <span>–</span>}
      </td>
      <td className="min-w-36 px-1.5 py-1 text-xs">
        {candidate.meets ? (
          <Badge tone="ok">meets</Badge>
        ) : (
          <span className="text-danger">
            {candidate.violations.map((violation) => violation.message).join(' ') || 'violates a constraint'}
          </span>
        )}
      </td>
    </tr>
  )
}
