import { inputsOf } from '@hivemind/workflow'
import { useCallback, useMemo } from 'react'
import { useParams, useSearchParams } from 'react-router'
import { api } from '../../api/client.ts'
import { type ServerEvent, useServerEvents } from '../../api/events.ts'
import type { DeploymentRecord, RunRecord } from '../../api/types.ts'
import { useEvery, useFocus, useLoad } from '../../api/useLoad.ts'
import { usePages } from '../../api/usePages.ts'
import { Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { InlineSelect } from '../../ui/fields.tsx'
import { MoreButton } from '../../ui/MoreButton.tsx'
import { Panel } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { useWorkflow } from '../reports/useWorkflow.ts'
import { DeploymentPanel } from './DeploymentPanel.tsx'
import { FirstDeployment } from './FirstDeployment.tsx'
import { RunForm } from './RunForm.tsx'
import { RunPanels } from './RunPanels.tsx'
import { isFinal } from './runState.ts'
import { sandboxSentence } from './sandbox.ts'
import { staleness } from './staleness.ts'
import { whereItRuns } from './target.ts'
import { isTrial, trialOn } from './trial.ts'
import { useRedeploy } from './useRedeploy.ts'
import { useRun } from './useRun.ts'
import { useRunFrom } from './useRunFrom.ts'

const idOf = ({ id }: { id: string }): string => id

/** Adds a record in front of a list, or replaces the one with its id. */
function upsert<T extends { id: string }>(list: T[] | undefined, record: T): T[] {
  const old = list ?? []
  return old.some((one) => one.id === record.id)
    ? old.map((one) => (one.id === record.id ? record : one))
    : [record, ...old]
}

/** The Run screen: the deployment, the form that starts and cancels runs, and everything about the selected run. */
export default function RunScreen() {
  const { id = '' } = useParams()
  const [search, setSearch] = useSearchParams()
  const project = useLoad((signal) => api.getProject(id, signal), [id])
  const deployments = usePages((page, signal) => api.listDeployments(id, page, signal), idOf, [id])
  const runs = usePages<RunRecord>((page, signal) => api.listRuns(id, page, signal), idOf, [id])
  const health = useLoad((signal) => api.health(signal), [])
  const unconfined = sandboxSentence(health.data?.sandbox)

  const all = deployments.data ?? []
  const chosen = all.find((one) => one.id === search.get('deployment'))
  const alive = all.find((one) => (one.state === 'ready' || one.state === 'starting') && !isTrial(one))
  const deployment = chosen ?? alive ?? all[0]
  const runId = search.get('run') ?? runs.data?.find((run) => run.deployment === deployment?.id)?.id
  const record = runs.data?.find((run) => run.id === runId)
  const running = runs.data?.find((run) => run.deployment === deployment?.id && !isFinal(run.state))
  const live = useRun(runId)
  const newest = useLoad((signal) => api.unsavedFiles(id, signal), [id])
  useFocus(newest.reload)

  const runDeployment = record ? all.find((one) => one.id === record.deployment) : deployment
  const deployedWorkflow = useWorkflow(id, deployment?.request.version)
  const otherWorkflow = useWorkflow(
    id,
    runDeployment && runDeployment.request.version !== deployment?.request.version
      ? runDeployment.request.version
      : undefined,
  )
  const runWorkflow =
    runDeployment?.request.version === deployment?.request.version ? deployedWorkflow : otherWorkflow

  const show = useCallback(
    (next: { deployment?: string; run?: string }) =>
      setSearch((old) => {
        const params = new URLSearchParams(old)
        if (next.deployment !== undefined) {
          params.set('deployment', next.deployment)
          params.delete('run')
        }
        if (next.run !== undefined) params.set('run', next.run)
        return params
      }),
    [setSearch],
  )
  const upsertDeployment = (next: DeploymentRecord) => deployments.set((old) => upsert(old, next))
  const upsertRun = (next: RunRecord) => runs.set((old) => upsert(old, next))

  const redeploy = useRedeploy(id, deployment, all, newest.data, {
    onDeployed: (next) => {
      upsertDeployment(next)
      newest.reload()
      show({ deployment: next.id })
    },
    onStarted: (run) => {
      upsertRun(run)
      show({ run: run.id })
    },
  })

  const runFrom = useRunFrom(deployment, {
    stale: deployment && newest.data && staleness(deployment, newest.data),
    running: running !== undefined,
    redeploy,
    onStarted: (run) => {
      upsertRun(run)
      show({ run: run.id })
    },
  })

  const onEvent = (event: ServerEvent, eventId: number) => {
    if (event.type === 'deployment' && event.deployment.project === id) upsertDeployment(event.deployment)
    if (event.type === 'run' && event.run.project === id) {
      upsertRun(event.run)
      // The end brings what is only known then, such as the losses: ask for the whole run once more.
      if (event.run.id === runId && isFinal(event.run.state)) live.reload()
    }
    if (event.type === 'run-event' && event.run === runId) live.apply(eventId, event.event)
    if (event.type === 'run-statistics' && event.run === runId) live.applyFigures(event.figures)
  }
  const resync = () => {
    deployments.reload()
    runs.reload()
    live.reload()
  }
  const topics = runId === undefined ? [`project:${id}`] : [`project:${id}`, `run:${runId}`]
  const connection = useServerEvents(topics, onEvent, resync)
  const changing = running !== undefined || deployment?.state === 'starting'
  useEvery(5000, changing, () => {
    deployments.reload()
    runs.reload()
  })
  const inputs = useMemo(
    () => (deployedWorkflow.workflow ? inputsOf(deployedWorkflow.workflow) : []),
    [deployedWorkflow.workflow],
  )

  const problem = project.problem ?? (deployments.data ? undefined : deployments.problem)
  if (problem)
    return (
      <div className="p-4">
        <ProblemNote
          problem={problem}
          retry={() => {
            project.reload()
            deployments.reload()
            runs.reload()
          }}
        />
      </div>
    )
  if (!project.data || !deployments.data) return <Waiting what="Loading the project" />
  if (!deployment)
    return (
      <div className="p-4">
        <h1 className="sr-only">Run {project.data.name}</h1>
        <FirstDeployment project={id} place={whereItRuns(health.data?.target)} redeploy={redeploy} />
      </div>
    )

  return (
    <div className="relative flex h-full scroll-pt-14 flex-col gap-4 overflow-y-auto p-4 print:h-auto print:overflow-visible">
      <h1 className="sr-only">Run {project.data.name}</h1>
      {connection === 'lost' && (
        <p
          role="status"
          className="rounded-md border border-line-strong bg-warn-soft px-3 py-2 text-sm text-warn"
        >
          The connection to the service is lost; trying again. What you see may be out of date.
        </p>
      )}
      {unconfined && (
        <p
          role="status"
          data-testid="sandbox"
          className="rounded-md border border-line-strong bg-warn-soft px-3 py-2 text-sm text-warn"
        >
          {unconfined}
        </p>
      )}
      <div className="grid grid-cols-1 md:grid-cols-2 items-stretch gap-4">
        <DeploymentPanel
          key={deployment.id}
          project={id}
          deployment={deployment}
          deployments={all}
          tasks={deployedWorkflow.tasks}
          running={running !== undefined}
          onChanged={upsertDeployment}
          onShow={(next) => show({ deployment: next })}
        />
        <RunForm
          project={id}
          deployment={deployment}
          inputs={inputs}
          running={running}
          trying={trialOn(deployment, all)?.state === 'starting'}
          newest={newest}
          redeploy={redeploy}
          onStarted={(run) => {
            upsertRun(run)
            show({ run: run.id })
          }}
          onChanged={upsertRun}
        />
      </div>
      {connection !== 'lost' && <ProblemNote problem={runs.problem} retry={runs.reload} />}
      <ProblemNote problem={runWorkflow.version.problem} retry={runWorkflow.version.reload} />
      {runs.data && runs.data.length > 0 && (
        <div className="flex items-center gap-2">
          <InlineSelect
            label="Runs"
            testId="run-history"
            className="w-auto!"
            value={runId ?? ''}
            options={[
              ...(runId === undefined ? [{ value: '', label: 'choose one' }] : []),
              ...runs.data.map((run) => ({ value: run.id, label: titleOf(run) })),
            ]}
            onChange={(run) => run !== '' && show({ run })}
          />
          <MoreButton pages={runs} what="runs" />
        </div>
      )}
      {record || live.run ? (
        <RunPanels
          key={runId}
          live={live}
          record={record ?? (live.run as RunRecord)}
          deployment={runDeployment}
          workflow={runWorkflow.workflow}
          layout={runWorkflow.version.data?.layout}
          tasks={runWorkflow.tasks}
          runFrom={runFrom}
        />
      ) : live.problem ? (
        <ProblemNote problem={live.problem} retry={live.reload} />
      ) : (
        <Panel title="Run">
          {live.loading ? (
            <Waiting what="Loading the run" />
          ) : (
            <Nothing title="No run yet">
              Start one above and watch the tasks light up. Outputs, logs and measured times appear here.
            </Nothing>
          )}
        </Panel>
      )}
    </div>
  )
}

const titleOf = (run: RunRecord): string =>
  `${format.instant(run.createdAt)}, ${run.state}${
    run.request.itemsPerDevice ? `, ${format.count(run.request.itemsPerDevice, 'item')} per device` : ''
  }${run.request.from ? `, from ${run.request.from.task}` : ''}`
