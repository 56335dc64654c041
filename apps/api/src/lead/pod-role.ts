/** On a cluster: the pod says which of the replicas is active, so that the Service leads to that one alone. */
import { setTimeout as sleep } from 'node:timers/promises'
import { Cluster } from '@hivemind/deploy'
import { log } from '../common/log.ts'
import { sentenceOf } from '../common/text.ts'

/** Label of the pods of the service; the chart's Service selects the active one by it. */
const ROLE_LABEL = 'hivemind.dev/role'
const AGAIN_MS = 1_000

export type Role = 'active' | 'stand-by'

/** Marks a pod; tries until the cluster has taken it. Resolves then. */
export async function markPod(pod: string, namespace: string | undefined, role: Role): Promise<void> {
  for (let failures = 0; ; failures++)
    try {
      const cluster = await Cluster.open({ ...(namespace !== undefined && { namespace }) })
      await cluster.apply({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: pod, namespace: cluster.namespace, labels: { [ROLE_LABEL]: role } },
      })
      return
    } catch (error) {
      if (failures === 0)
        log.error(
          { pod, role },
          `The pod could not be marked, so that nothing may lead to the service: ${sentenceOf(error)}`,
        )
      // A process that has nothing else to do ends.
      await sleep(AGAIN_MS, undefined, { ref: false })
    }
}
