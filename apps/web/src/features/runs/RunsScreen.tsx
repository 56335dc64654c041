import { useCallback, useMemo, useState } from 'react'
import { Link, useNavigate, useParams, useSearchParams } from 'react-router'
import { api } from '../../api/client.ts'
import { useServerEvents } from '../../api/events.ts'
import type { RunListing } from '../../api/types.ts'
import { useEvery } from '../../api/useLoad.ts'
import { usePages } from '../../api/usePages.ts'
import { Button } from '../../ui/Button.tsx'
import { Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { isFinal } from '../run/runState.ts'
import { filterOf, type RunFilter, withFilter } from './filter.ts'
import { RunFilterBar } from './RunFilterBar.tsx'
import { RunsTable } from './RunsTable.tsx'

const MAX_SELECTED = 2

/** The Runs screen: all runs of a project, filtered by the URL. Two of them are compared. */
export default function RunsScreen() {
  const { id = '' } = useParams()
  const navigate = useNavigate()
  const [search, setSearch] = useSearchParams()
  const filter = useMemo(() => filterOf(search), [search])
  const runs = usePages<RunListing>(
    (page, signal) => api.listRuns(id, { ...page, ...filter }, signal),
    (run) => run.id,
    [id, filter.state, filter.version, filter.text],
  )
  // Newest selection last; a third one takes the place of the first.
  const [selected, setSelected] = useState<readonly string[]>([])
  const toggle = (run: string) =>
    setSelected((old) =>
      old.includes(run) ? old.filter((one) => one !== run) : [...old, run].slice(-MAX_SELECTED),
    )
  const onFilter = useCallback(
    (field: keyof RunFilter, value: string) =>
      setSearch((old) => withFilter(old, field, value), { replace: true }),
    [setSearch],
  )

  useServerEvents(
    [`project:${id}`],
    (event) => {
      if (event.type === 'run' && event.run.project === id) runs.reload()
    },
    runs.reload,
  )
  useEvery(5000, runs.data?.some((run) => !isFinal(run.state)) ?? false, runs.reload)

  return (
    <div className="flex h-full flex-col p-4">
      <h1 className="sr-only">Runs</h1>
      <Panel
        title="Runs"
        className="min-h-0 flex-1"
        actions={
          <span className="flex items-center gap-3 text-xs text-muted">
            {selected.length < MAX_SELECTED
              ? 'Select two runs to compare them.'
              : 'The run that started first is the first.'}
            <Button
              look="primary"
              data-testid="compare-runs"
              disabled={selected.length < MAX_SELECTED}
              onClick={() => navigate(`/projects/${id}/runs/compare?runs=${selected.join(',')}`)}
            >
              Compare
            </Button>
          </span>
        }
      >
        <RunFilterBar filter={filter} onFilter={onFilter} onClear={() => setSearch({}, { replace: true })} />
        <ProblemNote problem={runs.problem} retry={runs.reload} />
        {runs.data === undefined ? (
          runs.problem ? null : (
            <Waiting what="Loading the runs" />
          )
        ) : runs.data.length > 0 ? (
          <RunsTable project={id} runs={runs.data} selected={selected} onToggle={toggle} />
        ) : Object.keys(filter).length > 0 ? (
          <Nothing title="No run matches the filter">Change it, or clear it to see all runs.</Nothing>
        ) : (
          <Nothing title="No run yet">
            Deploy a version and start a run on the{' '}
            <Link className="text-accent-strong underline" to={`/projects/${id}/run`}>
              Run screen
            </Link>
            ; every run is listed here.
          </Nothing>
        )}
        <MoreButton pages={runs} what="runs" />
      </Panel>
    </div>
  )
}
