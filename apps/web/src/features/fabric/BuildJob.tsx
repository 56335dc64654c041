import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { JobRecord } from '../../api/types.ts'
import { useAction, useEvery, useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { JobProgress, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { isActive, jobTitle } from './fabric.ts'

const LOG_INTERVAL_MS = 3_000
/** Newest lines of a log that are shown. */
const LINE_LIMIT = 300

/** A build or a load that is queued, running or has ended: its stage, its log, and a button that cancels it. */
export function BuildJob({ record, onChanged }: { record: JobRecord; onChanged: () => void }) {
  const { id, job } = record
  const [hasLog, setHasLog] = useState(false)
  const active = isActive(record)
  const cancel = useAction(async () => {
    await api.cancelJob(id)
    onChanged()
  })
  return (
    <li className="flex flex-col gap-2 text-sm" data-testid={`job-${id}`}>
      <div className="flex flex-wrap items-center gap-2">
        {active ? (
          <JobProgress
            value={job.progress}
            label={`${jobTitle(record)}: ${job.message || job.stage || 'waiting for its turn'}`}
          />
        ) : (
          <p className="min-w-0 flex-1 break-words">
            {format.instant(job.createdAt)}, {jobTitle(record)}: {job.state}
            {job.state === 'failed' && `. ${job.message}`}
          </p>
        )}
        <Button aria-expanded={hasLog} onClick={() => setHasLog(!hasLog)}>
          Log
        </Button>
        {active && (
          <Button look="danger" busy={cancel.busy} onClick={() => void cancel.run()}>
            Cancel
          </Button>
        )}
      </div>
      <ProblemNote problem={cancel.problem} />
      {hasLog && <Log job={id} active={active} />}
    </li>
  )
}

function Log({ job, active }: { job: string; active: boolean }) {
  const log = useLoad((signal) => api.getJobLog(job, signal), [job, active])
  useEvery(LOG_INTERVAL_MS, active, log.reload)
  if (!log.data)
    return log.problem ? <ProblemNote problem={log.problem} /> : <Waiting what="Loading the log" />
  const lines = log.data.lines.slice(-LINE_LIMIT)
  return (
    <Scroll label="Log" className="max-h-64 overflow-auto rounded-md bg-sunken p-2">
      <pre className="text-xs">
        {lines.length === 0 ? 'No line yet.' : lines.map(({ text }) => text).join('\n')}
      </pre>
    </Scroll>
  )
}
