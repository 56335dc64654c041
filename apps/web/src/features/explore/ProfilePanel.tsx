import { useRef, useState } from 'react'
import { ApiProblem, api } from '../../api/client.ts'
import type { Profile, ProfileJob, ProjectProfile } from '../../api/types.ts'
import { type Loaded, useAction } from '../../api/useLoad.ts'
import { Badge, Button, JobProgress, NumberField, ProblemNote, wholeNumber } from '../../ui/kit.tsx'
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
      'Nobody has measured these tasks yet: the figures are assumptions. Measure the profile to replace them.',
  },
  example: {
    label: 'from the example',
    tone: 'accent',
    meaning: 'Measured by the authors of the example, on their machine.',
  },
  measured: {
    label: 'measured',
    tone: 'ok',
    meaning: 'Measured on this machine, all tasks in the cloud and at the edge.',
  },
  imported: { label: 'imported', tone: 'accent', meaning: 'From a file that somebody imported.' },
}

const isOver = (job: ProfileJob) => job.job.state !== 'queued' && job.job.state !== 'running'

/** What is known of each task: where the figures come from, measuring them, export and import. */
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
  /** The newest measurement this page knows of. */
  job: ProfileJob | undefined
  onJob: (job: ProfileJob) => void
}) {
  const [agents, setAgents] = useState('2')
  const [items, setItems] = useState('8')
  const picker = useRef<HTMLInputElement>(null)
  const request = { agents: wholeNumber(agents, 1, 64), itemsPerDevice: wholeNumber(items, 1, 100_000) }
  const running = job !== undefined && !isOver(job)

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
        'Not a profile',
        `${file.name} is not valid JSON. Choose a file that "Export" made.`,
      )
    }
    profile.set(await api.importProfile(project, parsed))
  })

  const known = profile.data
  const origin = known && origins[known.origin]
  return (
    <div className="flex flex-col gap-3 text-sm">
      {known && origin && (
        <div className="flex flex-col gap-1">
          <p className="flex flex-wrap items-center gap-1.5">
            <Badge tone={origin.tone}>{origin.label}</Badge>
            <span>
              {format.count(Object.keys(known.profile.tasks).length, 'task')}
              {known.updatedAt ? `, ${format.instant(known.updatedAt)}` : ''}
            </span>
          </p>
          <p className="text-xs text-muted">{origin.meaning}</p>
          {known.profile.note && <p className="text-xs text-muted">{known.profile.note}</p>}
        </div>
      )}
      <ProblemNote problem={profile.problem} retry={profile.reload} />
      {running ? (
        <div className="flex items-end gap-2">
          <JobProgress value={job.job.progress} label={job.job.message || 'Measuring'} />
          <Button busy={cancel.busy} onClick={() => void cancel.run()}>
            Cancel
          </Button>
        </div>
      ) : (
        <div className="flex flex-wrap items-start gap-2">
          <NumberField
            label="Edge agents"
            className="w-24"
            value={agents}
            onChange={setAgents}
            min={1}
            max={64}
          />
          <NumberField
            label="Items per device"
            className="w-28"
            value={items}
            onChange={setItems}
            min={1}
            max={100_000}
          />
          <Button
            className="mt-5"
            data-testid="measure-profile"
            busy={measure.busy}
            disabled={request.agents === undefined || request.itemsPerDevice === undefined}
            onClick={() => void measure.run()}
          >
            Measure profile
          </Button>
        </div>
      )}
      {job && isOver(job) && (
        <p role="status" className={`text-xs ${job.job.state === 'failed' ? 'text-danger' : 'text-muted'}`}>
          {job.job.state === 'done'
            ? 'Measured. The next exploration uses it.'
            : job.job.state === 'cancelled'
              ? 'Measurement cancelled; the profile is as it was.'
              : `Measurement failed: ${job.job.message}`}
        </p>
      )}
      <ProblemNote problem={measure.problem ?? cancel.problem ?? load.problem} />
      <div className="flex flex-wrap gap-2">
        <Button
          disabled={!known}
          onClick={() =>
            known &&
            download(
              fileName('json', name, 'profile'),
              'application/json',
              `${JSON.stringify(known.profile, null, 2)}\n`,
            )
          }
        >
          Export
        </Button>
        <Button busy={load.busy} onClick={() => picker.current?.click()}>
          Import…
        </Button>
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
    </div>
  )
}
