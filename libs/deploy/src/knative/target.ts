/** A Kubernetes cluster with Knative Serving as a target: functions there, devices as on every target. */
import type { FunctionPlace } from '../functions/hosting.ts'
import { SwarmTarget, type TargetOptions } from '../target.ts'
import type { Target } from '../types.ts'
import { checkCluster } from './check.ts'
import { Cluster, type ClusterOptions } from './cluster.ts'
import { KnativeHosting, type KnativeOptions } from './hosting.ts'

/** Which cluster, and how functions are put there. */
export interface KnativePlaceOptions {
  cluster?: ClusterOptions
  knative: KnativeOptions
}

/** Which cluster, how functions are put there, and where the rest is kept. */
export type KnativeTargetOptions = TargetOptions & KnativePlaceOptions

/** A cluster as a place for functions. Reads the kubeconfig; nothing is sent. Rejects with `ClusterError`. */
export async function knativePlace({ cluster, knative }: KnativePlaceOptions): Promise<FunctionPlace> {
  const opened = await Cluster.open(cluster)
  return {
    kind: 'knative',
    place: `Knative at ${opened.server}, namespace '${opened.namespace}'`,
    onThisMachine: false,
    needs: () => checkCluster(opened, knative.ingress),
    hosting: (context) => new KnativeHosting(opened, knative, context),
  }
}

/** Reads the kubeconfig. Rejects with `ClusterError`; the cluster is asked with the first deployment. */
export async function knativeTarget({ cluster, knative, ...options }: KnativeTargetOptions): Promise<Target> {
  return new SwarmTarget(await knativePlace({ ...(cluster && { cluster }), knative }), options)
}
