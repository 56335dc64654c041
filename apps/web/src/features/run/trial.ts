/** New versions that are tried on the calls of a deployment. */
import type { DeploymentRecord } from '../../api/types.ts'

/**
 * The newest version that is, or was, tried on a deployment: one that came after it, to the same target, with a canary, and
 * is not ready (then it has taken over).
 */
export const trialOn = (
  { createdAt, request }: DeploymentRecord,
  deployments: readonly DeploymentRecord[],
): DeploymentRecord | undefined =>
  deployments.find(
    (one) =>
      one.request.canary !== undefined &&
      one.request.target === request.target &&
      one.createdAt > createdAt &&
      (one.state === 'starting' || one.state === 'failed'),
  )

/** Whether a deployment is being tried on another, which serves meanwhile. */
export const isTrial = ({ state, request }: DeploymentRecord): boolean =>
  state === 'starting' && request.canary !== undefined
