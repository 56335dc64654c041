/** The settings of a target, as environment variables name them. */

import { ClusterError } from './knative/errors.ts'
import { knativeTarget } from './knative/target.ts'
import { localTarget } from './local/target.ts'
import type { TargetOptions } from './target.ts'
import type { Target } from './types.ts'

/** Kinds of targets that settings can name. */
export const TARGET_KINDS = ['local', 'knative'] as const
/** One of them. */
export type TargetKind = (typeof TARGET_KINDS)[number]

/**
 * Opens the target of a kind. On a cluster: `HIVEMIND_IMAGE_NODE` and `HIVEMIND_IMAGE_PYTHON` name the images that run
 * functions; `KUBECONFIG`, `HIVEMIND_KUBE_CONTEXT`, `HIVEMIND_NAMESPACE` and `HIVEMIND_INGRESS` may be absent. Rejects with
 * `ClusterError`.
 */
export async function openTarget(
  kind: TargetKind,
  options: TargetOptions,
  env: NodeJS.ProcessEnv,
): Promise<Target> {
  if (kind === 'local') return localTarget(options)
  const set = (name: string): string | undefined => env[name] || undefined
  const image = (runtime: string): string => {
    const name = `HIVEMIND_IMAGE_${runtime}`
    const value = set(name)
    if (value === undefined)
      throw new ClusterError(
        `${name} is not set: name the image that runs functions on the cluster (docs/knative.md says how to make it).`,
      )
    return value
  }
  const ingress = set('HIVEMIND_INGRESS')
  if (ingress !== undefined && !/^https?:$/.test(URL.canParse(ingress) ? new URL(ingress).protocol : ''))
    throw new ClusterError(
      `HIVEMIND_INGRESS is '${ingress}': give the URL of the cluster's ingress, such as http://10.0.0.7:31080.`,
    )
  const context = set('HIVEMIND_KUBE_CONTEXT')
  const namespace = set('HIVEMIND_NAMESPACE')
  return knativeTarget({
    ...options,
    cluster: { ...(context && { context }), ...(namespace && { namespace }) },
    knative: { images: { node: image('NODE'), python: image('PYTHON') }, ...(ingress && { ingress }) },
  })
}
