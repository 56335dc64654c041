import { useMemo } from 'react'
import { api } from '../../api/client.ts'
import type { ApiProblem } from '../../api/problem.ts'
import type { DeploymentRecord, RunDetail } from '../../api/types.ts'
import { useLoad } from '../../api/useLoad.ts'
import { useWorkflow } from '../reports/useWorkflow.ts'
import { MAX_SPANS, type RunView } from '../run/runState.ts'
import { useRun } from '../run/useRun.ts'
import type { ComparedRun } from './comparison.ts'

/** A run with its deployment, as far as they are loaded. */
export interface LoadedComparedRun {
  run: RunDetail | undefined
  view: RunView | undefined
  deployment: DeploymentRecord | undefined
  /** Present when all that is compared has been loaded. */
  compared: ComparedRun | undefined
  problem: ApiProblem | undefined
  reload: () => void
  /** Whether the text of its version cannot be read, so that nothing can be compared. */
  isUnreadable: boolean
}

/** Loads a run, its spans, its deployment and its workflow. */
export function useComparedRun(id: string | undefined): LoadedComparedRun {
  const { run, view, problem, reload: reloadRun } = useRun(id)
  const deploymentId = run?.deployment
  const deployment = useLoad(
    (signal) => (deploymentId === undefined ? undefined : api.getDeployment(deploymentId, signal)),
    [deploymentId],
  )
  const { workflow, version } = useWorkflow(deployment.data?.project ?? '', deployment.data?.request.version)
  const complete = view !== undefined && view.spans.length >= Math.min(view.spanCount, MAX_SPANS)
  const placement = deployment.data?.request.placement
  const compared = useMemo(
    () =>
      run && view && complete && workflow && placement
        ? { result: run.result, workflow, placement, statistics: view.statistics, spans: view.spans }
        : undefined,
    [run, view, complete, workflow, placement],
  )
  return {
    run,
    view,
    deployment: deployment.data,
    compared,
    problem: problem ?? deployment.problem ?? version.problem,
    reload: () => {
      reloadRun()
      deployment.reload()
      version.reload()
    },
    isUnreadable: version.data !== undefined && workflow === null,
  }
}
