import { Link } from 'react-router'
import type { RunListing } from '../../api/types.ts'
import { Badge } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { moveAmongRows } from '../../ui/rowKeys.ts'
import * as format from '../reports/format.ts'
import { runTone } from '../run/RunStatus.tsx'
import { isFinal } from '../run/runState.ts'

/** Runs, newest first. The arrow keys, Home and End move among them, Enter opens one, the space bar selects it. */
export function RunsTable({
  project,
  runs,
  selected,
  onToggle,
}: {
  project: string
  runs: readonly RunListing[]
  selected: readonly string[]
  onToggle: (run: string) => void
}) {
  const head = 'sticky top-0 bg-surface px-2 py-1 font-medium whitespace-nowrap'
  const cell = 'px-2 py-1 whitespace-nowrap'
  return (
    <Scroll label="Runs" className="min-h-0 flex-1 overflow-auto" onKeyDown={moveAmongRows}>
      <table className="w-full border-collapse text-[13px] tabular-nums" data-testid="runs">
        <thead className="text-left text-xs text-muted">
          <tr>
            <th scope="col" className={head}>
              <span className="sr-only">Compare</span>
            </th>
            {['Started', 'Version', 'Target', 'State'].map((title) => (
              <th key={title} scope="col" className={head}>
                {title}
              </th>
            ))}
            {['Duration', 'Invocations', 'Failed'].map((title) => (
              <th key={title} scope="col" className={`${head} text-right`}>
                {title}
              </th>
            ))}
            <th scope="col" className={head}>
              Message
            </th>
          </tr>
        </thead>
        <tbody>
          {runs.map((run) => {
            const started = format.instant(run.createdAt)
            const isSelected = selected.includes(run.id)
            return (
              <tr
                key={run.id}
                data-testid={`run-row-${run.id}`}
                className={`border-t border-line ${isSelected ? 'bg-accent-soft' : ''}`}
              >
                <td className="w-8 px-2 py-1">
                  <input
                    type="checkbox"
                    className="block size-4"
                    aria-label={`Compare the run of ${started}`}
                    title={isFinal(run.state) ? undefined : 'A run is compared once it has ended.'}
                    disabled={!isFinal(run.state)}
                    checked={isSelected}
                    onChange={() => onToggle(run.id)}
                  />
                </td>
                <th scope="row" className={`${cell} text-left font-normal`}>
                  <Link
                    data-row
                    to={`/projects/${project}/run?deployment=${run.deployment}&run=${run.id}`}
                    className="rounded px-1 font-medium text-accent-strong hover:underline"
                    onKeyDown={(event) => {
                      if (event.key !== ' ') return
                      event.preventDefault()
                      if (isFinal(run.state)) onToggle(run.id)
                    }}
                  >
                    {started}
                  </Link>
                </th>
                <td className={cell}>{run.version}</td>
                <td className={cell}>{run.target ?? 'usual'}</td>
                <td className={cell}>
                  <Badge tone={runTone[run.state]}>{run.state}</Badge>
                </td>
                <td className={`${cell} text-right`}>
                  {run.tookMs === undefined ? '–' : format.time(run.tookMs)}
                </td>
                <td className={`${cell} text-right`}>
                  {run.invocations === undefined ? '–' : format.whole(run.invocations)}
                </td>
                <td className={`${cell} text-right ${run.failed ? 'text-danger' : ''}`}>
                  {run.failed === undefined ? '–' : format.whole(run.failed)}
                </td>
                <td className="max-w-0 min-w-32 px-2 py-1" style={{ width: '40%' }}>
                  <span className="block truncate" title={run.message}>
                    {run.request.from && (
                      <span className="mr-2 rounded bg-sunken px-1.5">from {run.request.from.task}</span>
                    )}
                    {run.message}
                  </span>
                </td>
              </tr>
            )
          })}
        </tbody>
      </table>
    </Scroll>
  )
}
