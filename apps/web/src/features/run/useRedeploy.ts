import { useEffect, useState } from 'react'
import { type ApiProblem, api } from '../../api/client.ts'
import type { DeploymentRecord, NewRun, RunRecord, UnsavedFiles } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'

/** Deploying the newest version, and the run that follows. */
export interface Redeploy {
  start: (run: NewRun) => void
  /** It deploys, or waits for the deployment to become ready. */
  busy: boolean
  problem: ApiProblem | undefined
}

/**
 * Deploys the newest version in the place of `deployment` and runs it as soon as it is ready. File changes that no version
 * has are saved as one first, so that what runs can be found again.
 */
export function useRedeploy(
  project: string,
  deployment: DeploymentRecord | undefined,
  deployments: readonly DeploymentRecord[],
  newer: UnsavedFiles | undefined,
  {
    onDeployed,
    onStarted,
  }: { onDeployed: (next: DeploymentRecord) => void; onStarted: (run: RunRecord) => void },
): Redeploy {
  const [waiting, setWaiting] = useState<{ deployment: string; run: NewRun }>()
  const deploy = useAction(async (run: NewRun) => {
    if (!deployment || !newer) return
    const version = newer.files.length === 0 ? newer.version : await saveFiles(project, newer.version)
    const { canary: _, ...request } = deployment.request
    const next = await api.createDeployment(project, { ...request, beside: false, version })
    setWaiting({ deployment: next.id, run })
    onDeployed(next)
  })
  const begin = useAction(async (id: string, run: NewRun) => onStarted(await api.startRun(id, run)))
  const state = deployments.find(({ id }) => id === waiting?.deployment)?.state
  const { run: beginRun } = begin
  useEffect(() => {
    if (!waiting || state === undefined || state === 'starting') return
    setWaiting(undefined)
    // A deployment that failed says why in its own panel.
    if (state === 'ready') void beginRun(waiting.deployment, waiting.run)
  }, [waiting, state, beginRun])
  return {
    start: (run) => void deploy.run(run),
    busy: deploy.busy || begin.busy || waiting !== undefined,
    problem: deploy.problem ?? begin.problem,
  }
}

/** Saves the files as they are as the version after `head`, with its text. */
async function saveFiles(project: string, head: number): Promise<number> {
  const { text, layout } = await api.getVersion(project, head)
  const { number } = await api.saveVersion(project, {
    base: head,
    text,
    layout,
    message: 'Files as they were when a run was started',
  })
  return number
}
