import { useEffect, useState } from 'react'
import { type ApiProblem, api } from '../../api/client.ts'
import type { DeploymentRecord, NewDeployment, NewRun, RunRecord, UnsavedFiles } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'

/** A deployment, and the run that follows. */
export interface Redeploy {
  /** Deploys the newest version in the place of what is deployed. */
  start: (run: NewRun) => void
  /** Deploys something else. */
  deploy: (request: NewDeployment, run: NewRun) => void
  /** It deploys, or waits for the deployment to become ready. */
  busy: boolean
  problem: ApiProblem | undefined
}

/**
 * Deploys, and runs what was deployed as soon as it is ready. File changes that no version has are saved as one before the
 * newest version takes the place of `deployment`, so that what runs can be found again.
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
  const deploy = useAction(async (request: () => Promise<NewDeployment>, run: NewRun) => {
    const next = await api.createDeployment(project, await request())
    setWaiting({ deployment: next.id, run })
    onDeployed(next)
  })
  const start = (run: NewRun): void => {
    if (!deployment || !newer) return
    const { canary: _, ...request } = deployment.request
    const newest = async () => {
      const version = newer.files.length === 0 ? newer.version : await saveFiles(project, newer.version)
      return { ...request, beside: false, version }
    }
    void deploy.run(newest, run)
  }
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
    start,
    deploy: (request, run) => void deploy.run(async () => request, run),
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
