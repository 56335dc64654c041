/** A Kubernetes cluster with Knative Serving as a target: functions there, devices as on every target. */
import { SwarmTarget, type TargetOptions } from '../target.ts'
import type { Target } from '../types.ts'
import { Cluster, type ClusterOptions } from './cluster.ts'
import { KnativeHosting, type KnativeOptions } from './hosting.ts'

/** Which cluster, how functions are put there, and where the rest is kept. */
export type KnativeTargetOptions = TargetOptions & { cluster?: ClusterOptions; knative: KnativeOptions }

/** Reads the kubeconfig. Rejects with `ClusterError`; the cluster is asked with the first deployment. */
export async function knativeTarget({ cluster, knative, ...options }: KnativeTargetOptions): Promise<Target> {
  const opened = await Cluster.open(cluster)
  const { log = () => {} } = options
  return new SwarmTarget(
    {
      kind: 'knative',
      place: `Knative at ${opened.server}, namespace '${opened.namespace}'`,
      onThisMachine: false,
      hosting: (context) => new KnativeHosting(opened, knative, { ...context, log }),
      close: async () => {},
    },
    options,
  )
}
