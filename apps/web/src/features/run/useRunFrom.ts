import { type ApiProblem, api } from '../../api/client.ts'
import type { DeploymentRecord, NewRun, RunRecord } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import type { Redeploy } from './useRedeploy.ts'

type From = NonNullable<NewRun['from']>

/** Runs that begin at a task, with what an earlier run has kept of the tasks before. */
export interface RunFrom {
  /** Starts one: of all items, or of one. */
  start: (from: From) => void
  /** The project is newer than what is deployed, and is deployed first. */
  redeploys: boolean
  /** Why none can be started now. */
  hindrance: string | undefined
  busy: boolean
  problem: ApiProblem | undefined
}

/** @param stale what the project has that the deployment has not; `undefined` when it has nothing */
export function useRunFrom(
  deployment: DeploymentRecord | undefined,
  {
    stale,
    running,
    redeploy,
    onStarted,
  }: {
    stale: string | undefined
    running: boolean
    redeploy: Redeploy
    onStarted: (run: RunRecord) => void
  },
): RunFrom {
  const begin = useAction(async (id: string, from: From) =>
    onStarted(await api.startRun(id, { inputs: {}, from })),
  )
  return {
    start: (from) => {
      if (stale) redeploy.start({ inputs: {}, from })
      else if (deployment) void begin.run(deployment.id, from)
    },
    redeploys: stale !== undefined,
    hindrance:
      deployment?.state !== 'ready'
        ? 'Nothing is deployed that could run it: deploy first.'
        : running
          ? 'Another run is under way.'
          : undefined,
    busy: begin.busy || redeploy.busy,
    problem: begin.problem,
  }
}
