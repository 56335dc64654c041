import { useCallback, useState } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { api } from '../../api/client.ts'
import { type ServerEvent, useServerEvents } from '../../api/events.ts'
import type { ExplorationJob, ProfileJob } from '../../api/types.ts'
import { useAction, useEvery, useLoad } from '../../api/useLoad.ts'
import { usePages } from '../../api/usePages.ts'
import { Button } from '../../ui/Button.tsx'
import { JobProgress, Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { InlineSelect } from '../../ui/fields.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { assumedTasks } from './assumed.ts'
import { ExplorationResult } from './ExplorationResult.tsx'
import { ExploreForm } from './ExploreForm.tsx'
import { FleetNote } from './FleetNote.tsx'
import { FrontSoFar } from './FrontSoFar.tsx'
import { AssumedNote, type ExplorationRequest, MeasureFirst, useMeasureFirst } from './MeasureFirst.tsx'
import { ProfilePanel } from './ProfilePanel.tsx'

const hasEnded = (job: ExplorationJob) => job.job.state !== 'queued' && job.job.state !== 'running'

/** The list with this job added in front, or updated when the list has it already. Newest first. */
function withJob(list: ExplorationJob[] | undefined, job: ExplorationJob): ExplorationJob[] {
  const old = list ?? []
  return old.some((one) => one.id === job.id)
    ? old.map((one) => (one.id === job.id ? { ...one, ...job } : one))
    : [job, ...old]
}

/** The Explore screen: explores placements of the newest version on a fleet, and shows and compares the candidates. */
export default function ExploreScreen() {
  const { id = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const [profileJob, setProfileJob] = useState<ProfileJob>()

  const project = useLoad((signal) => api.getProject(id, signal), [id])
  const fleets = useLoad((signal) => api.listProjectFleets(id, signal), [id])
  const profile = useLoad((signal) => api.getProfile(id, signal), [id])
  const list = usePages(
    (page, signal) => api.listExplorations(id, page, signal),
    (job) => job.id,
    [id],
  )

  const currentId = search.get('exploration') ?? list.data?.[0]?.id
  const current = list.data?.find((job) => job.id === currentId)
  const isStored = current?.job.state === 'done' || current?.job.state === 'cancelled'
  const detail = useLoad(
    (signal) => (currentId && (isStored || !current) ? api.getExploration(currentId, signal) : undefined),
    [currentId, isStored, current === undefined],
  )

  const show = useCallback(
    (next: { exploration?: string; candidate?: string }) =>
      setSearch(
        (old) => {
          const params = new URLSearchParams(old)
          if (next.exploration !== undefined) {
            params.set('exploration', next.exploration)
            params.delete('candidate')
          }
          if (next.candidate !== undefined) params.set('candidate', next.candidate)
          return params
        },
        { replace: next.exploration === undefined },
      ),
    [setSearch],
  )
  const onSelect = useCallback((candidate: string) => show({ candidate }), [show])

  const onEvent = (event: ServerEvent) => {
    if (event.type === 'exploration' && event.exploration.project === id)
      list.set((old) => withJob(old, event.exploration))
    if (event.type === 'profile' && event.profile.project === id) {
      setProfileJob(event.profile)
      if (event.profile.job.state === 'done') profile.reload()
    }
  }
  const resync = () => {
    list.reload()
    profile.reload()
    if (profileJob) void api.getProfileJob(profileJob.id).then(setProfileJob, () => undefined)
  }
  const connection = useServerEvents([`project:${id}`], onEvent, resync)

  const cancel = useAction(async (job: ExplorationJob) => {
    const cancelled = await api.cancelExploration(job.id)
    list.set((old) => withJob(old, cancelled))
  })

  const flow = useMeasureFirst({
    project: id,
    profileJob,
    onProfileJob: setProfileJob,
    onStarted: (job) => {
      list.set((old) => withJob(old, job))
      show({ exploration: job.id })
    },
  })
  const unmeasured = profile.data ? assumedTasks(profile.data.profile).length > 0 : false
  const measureAgain = useAction((request: ExplorationRequest) => flow.begin(request, true))

  const running = list.data?.find((job) => !hasEnded(job))
  useEvery(5000, running !== undefined, list.reload)

  if (project.problem || fleets.problem)
    return (
      <div className="p-4">
        <ProblemNote
          problem={project.problem ?? fleets.problem}
          retry={() => {
            project.reload()
            fleets.reload()
          }}
        />
      </div>
    )
  if (!project.data || !fleets.data) return <Waiting what="Loading the project" />
  const result = detail.data?.id === currentId ? detail.data?.result : undefined

  return (
    <div className="relative flex h-full flex-col gap-4 overflow-y-auto p-4 print:h-auto print:overflow-visible">
      <h1 className="sr-only">Explore the placements of {project.data.name}</h1>
      <Panel
        title="Explore placements"
        term="placement"
        actions={
          list.data &&
          list.data.length > 0 && (
            <span className="flex items-center gap-2">
              <MoreButton pages={list} what="explorations" />
              <InlineSelect
                label="Show"
                testId="explore-history"
                className="max-w-96"
                value={currentId ?? ''}
                options={list.data.map((job) => ({ value: job.id, label: titleOf(job) }))}
                onChange={(exploration) => show({ exploration })}
              />
            </span>
          )
        }
      >
        <ExploreForm
          project={project.data}
          fleets={fleets.data}
          firstFleet={search.get('fleet') ?? undefined}
          running={running !== undefined || flow.waiting}
          usualItems={
            detail.data?.request.itemsPerDevice ? undefined : detail.data?.result?.inputs.itemsPerDevice
          }
          onStart={(request) => flow.begin(request, unmeasured && list.data?.length === 0)}
        />
        <MeasureFirst flow={flow} job={profileJob} />
        <ProblemNote problem={measureAgain.problem} />
        {running && (
          <div className="flex items-end gap-3">
            <JobProgress
              testId="explore-progress"
              value={running.job.progress}
              label={
                running.job.message ||
                (running.job.state === 'queued' ? 'Waiting for another job to finish' : 'Exploring')
              }
            />
            <Button data-testid="explore-cancel" busy={cancel.busy} onClick={() => void cancel.run(running)}>
              Cancel
            </Button>
          </div>
        )}
        {running && connection === 'lost' && (
          <p role="status" className="text-xs text-warn">
            The connection to the service is lost; reconnecting. The progress shown may be out of date.
          </p>
        )}
        <ProblemNote problem={cancel.problem} />
        {connection !== 'lost' && <ProblemNote problem={list.problem} retry={list.reload} />}
        <ProfilePanel
          project={id}
          name={project.data.name}
          version={project.data.headVersion}
          profile={profile}
          job={flow.waiting ? undefined : profileJob}
          onJob={setProfileJob}
        />
      </Panel>

      {list.data?.length === 0 && !running && (
        <Panel title="Trade-offs">
          <Nothing title="No exploration yet">
            Each task can run in the cloud or on the devices. Explore tries every meaningful combination on a
            fleet, estimates its latency, energy, bandwidth and cost, and shows the best trade-offs.
          </Nothing>
        </Panel>
      )}
      {current?.soFar && !hasEnded(current) && <FrontSoFar soFar={current.soFar} />}
      {current && !result && !detail.loading && hasEnded(current) && current.job.state !== 'done' && (
        <Panel title="Trade-offs">
          <Nothing
            title={
              current.job.state === 'cancelled' ? 'This exploration was cancelled' : 'This exploration failed'
            }
          >
            {current.job.message || 'Press Explore to start it again.'}
          </Nothing>
        </Panel>
      )}
      <ProblemNote problem={detail.problem} retry={detail.reload} />
      {detail.loading && !result && currentId && <Waiting what="Loading the candidates" />}
      {current && result && current.request.version !== project.data.headVersion && (
        <p
          role="status"
          className="rounded-md border border-line-strong bg-warn-soft px-3 py-2 text-sm text-warn"
        >
          These candidates are for version {current.request.version}. The newest saved version is{' '}
          {project.data.headVersion}: explore again to see its candidates.
        </p>
      )}
      {result?.cancelled && (
        <p
          role="status"
          data-testid="explore-cancelled"
          className="rounded-md border border-line-strong bg-warn-soft px-3 py-2 text-sm text-warn"
        >
          This exploration was cancelled after {result.cancelled.done} of {result.cancelled.of} candidates.
          Explore again to see all of them.
        </p>
      )}
      {result && <FleetNote project={id} result={result} fleets={fleets.data} />}
      {detail.data && result && result.candidates.length > 0 && (
        <AssumedNote
          assumed={assumedTasks(result.inputs.profile)}
          of={Object.keys(result.inputs.profile.tasks).length}
          busy={measureAgain.busy || flow.waiting || running !== undefined}
          onMeasure={() =>
            detail.data &&
            void measureAgain.run({ ...detail.data.request, version: project.data?.headVersion ?? 1 })
          }
        />
      )}
      {detail.data && result && (
        <ExplorationResult
          key={detail.data.id}
          project={id}
          name={project.data.name}
          job={detail.data}
          result={result}
          selected={search.get('candidate') ?? undefined}
          onSelect={onSelect}
          profileAt={profile.data?.updatedAt}
        />
      )}
    </div>
  )
}

function titleOf(job: ExplorationJob): string {
  const state = job.job.state === 'done' ? '' : `, ${job.job.state}`
  const devices = job.request.devices ? `, ${format.count(job.request.devices, 'device')}` : ''
  return `${format.instant(job.job.createdAt)}: version ${job.request.version}, ${job.request.fleet}${devices}, seed ${job.request.seed}${state}`
}
