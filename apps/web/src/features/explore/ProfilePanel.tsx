import { useRef, useState } from 'react'
import { ApiProblem, api } from '../../api/client.ts'
import type { Profile, ProfileJob, ProjectProfile } from '../../api/types.ts'
import { type Loaded, useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge, JobProgress, ProblemNote } from '../../ui/feedback.tsx'
import { CountField, wholeNumber } from '../../ui/fields.tsx'
import { Term } from '../../words/Term.tsx'
import { download, fileName } from '../reports/download.ts'
import * as format from '../reports/format.ts'

const origins: Record<
  ProjectProfile['origin'],
  { label: string; tone: 'warn' | 'ok' | 'accent'; meaning: string }
> = {
  assumed: {
    label: 'assumed',
    tone: 'warn',
    meaning:
      'These tasks have not been measured: the times and sizes are assumptions. Measure the profile to replace them.',
  },
  example: {
    label: 'from the example',
    tone: 'accent',
    meaning: 'Measured by the authors of the example, on their machine.',
  },
  measured: {
    label: 'measured',
    tone: 'ok',
    meaning: 'Measured on this machine: every task in the cloud and on the edge.',
  },
  imported: { label: 'imported', tone: 'accent', meaning: 'Imported from a file.' },
}

const hasEnded = (job: ProfileJob) => job.job.state !== 'queued' && job.job.state !== 'running'

/** The project's task profile: its origin, and controls to measure, export and import it. */
export function ProfilePanel({
  project,
  name,
  version,
  profile,
  job,
  onJob,
}: {
  project: string
  name: string
  version: number
  profile: Loaded<ProjectProfile>
  /** The newest measurement job; `undefined` before one was started. */
  job: ProfileJob | undefined
  onJob: (job: ProfileJob | undefined) => void
}) {
  const [agents, setAgents] = useState('2')
  const [items, setItems] = useState('8')
  const picker = useRef<HTMLInputElement>(null)
  const request = { agents: wholeNumber(agents, 1, 64), itemsPerDevice: wholeNumber(items, 1, 100_000) }
  const valid = version > 0 && request.agents !== undefined && request.itemsPerDevice !== undefined
  const running = job !== undefined && !hasEnded(job)

  const measure = useAction(async () => {
    if (request.agents === undefined || request.itemsPerDevice === undefined) return
    onJob(
      await api.startProfile(project, {
        version,
        agents: request.agents,
        itemsPerDevice: request.itemsPerDevice,
      }),
    )
  })
  const cancel = useAction(async () => {
    if (job) onJob(await api.cancelProfileJob(job.id))
  })
  const load = useAction(async (file: File) => {
    let parsed: Profile
    try {
      parsed = JSON.parse(await file.text()) as Profile
    } catch {
      throw new ApiProblem(
        400,
        'The profile was not imported',
        `${file.name} is not valid JSON. Choose a file written by Export.`,
      )
    }
    profile.set(await api.importProfile(project, parsed))
    onJob(undefined)
  })

  const current = profile.data
  const origin = current && origins[current.origin]
  return (
    <section aria-label="Task profile" className="flex flex-col gap-2 border-t border-line pt-3 text-sm">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2">
        <p className="min-w-64 flex-1">
          <span className="mr-1.5 text-xs font-medium text-muted">
            <Term of="profile">Task profile</Term>
          </span>
          {current && origin && (
            <>
              <Badge tone={origin.tone}>{origin.label}</Badge>{' '}
              <span className="text-xs text-muted">
                {format.count(Object.keys(current.profile.tasks).length, 'task')}
                {current.updatedAt ? `, ${format.instant(current.updatedAt)}` : ''}. {origin.meaning}
              </span>
            </>
          )}
          {profile.loading && !current && <span className="text-xs text-muted">Loading …</span>}
        </p>
        {running ? (
          <span className="flex w-72 items-end gap-2">
            <JobProgress
              testId="profile-progress"
              value={job.job.progress}
              label={job.job.message || 'Measuring'}
            />
            <Button data-testid="profile-cancel" busy={cancel.busy} onClick={() => void cancel.run()}>
              Cancel
            </Button>
          </span>
        ) : (
          <form
            className="flex items-center gap-2 text-xs text-muted"
            onSubmit={(event) => {
              event.preventDefault()
              if (valid) void measure.run()
            }}
          >
            <CountField
              className="gap-1.5"
              label="Edge agents"
              unit="agents"
              value={agents}
              onChange={setAgents}
              max={64}
            />
            <CountField
              className="gap-1.5"
              label="Readings per device"
              unit="items each"
              value={items}
              onChange={setItems}
              max={100_000}
            />
            <Button type="submit" data-testid="measure-profile" busy={measure.busy} disabled={!valid}>
              Measure profile
            </Button>
          </form>
        )}
        <span className="flex gap-2">
          <Button
            disabled={!current}
            title={current?.profile.note || undefined}
            onClick={() =>
              current &&
              download(
                fileName('json', name, 'profile'),
                'application/json',
                `${JSON.stringify(current.profile, null, 2)}\n`,
              )
            }
          >
            Export
          </Button>
          <Button busy={load.busy} onClick={() => picker.current?.click()}>
            Import…
          </Button>
        </span>
        <input
          ref={picker}
          type="file"
          accept=".json,application/json"
          className="hidden"
          aria-label="Profile to import"
          onChange={(event) => {
            const file = event.target.files?.[0]
            event.target.value = ''
            if (file) void load.run(file)
          }}
        />
      </div>
      {job && hasEnded(job) && (
        <p role="status" className={`text-xs ${job.job.state === 'failed' ? 'text-danger' : 'text-muted'}`}>
          {job.job.state === 'done'
            ? 'Profile measured. The next exploration uses it.'
            : job.job.state === 'cancelled'
              ? 'Measurement cancelled. The profile has not changed.'
              : `Measurement failed: ${job.job.message}`}
        </p>
      )}
      <ProblemNote problem={profile.problem} retry={profile.reload} />
      <ProblemNote problem={measure.problem ?? cancel.problem ?? load.problem} />
    </section>
  )
}
