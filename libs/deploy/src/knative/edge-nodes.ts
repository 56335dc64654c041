/** Edge nodes of a fleet as nodes of a cluster (Vertex 3.2). Pure. */
import { ClusterError } from './errors.ts'

/** Label of the Kubernetes nodes that are an edge node. One that is several has a label for each. */
export const nodeLabel = (edgeNode: string): string => `edge-node.hivemind.dev/${edgeNode}`

/** What is in the way of a function on an edge node, by what the cluster says of it, and how to mend it. */
const OBSTACLES: readonly { said: RegExp; mend: (edgeNode: string) => string }[] = [
  {
    said: /nodeSelector/i,
    mend: () =>
      "Knative lets a function choose its nodes only where that is allowed: set kubernetes.podspec-nodeselector to 'enabled' in ConfigMap config-features of namespace knative-serving.",
  },
  {
    said: /node affinity|node selector/i,
    mend: (edgeNode) =>
      `It runs only on nodes that are edge node '${edgeNode}'. Where none is yet, label the one that is to be (kubectl label node NODE ${nodeLabel(edgeNode)}=true), or deploy with fewer edge nodes.`,
  },
]

/** The failure of a function on an edge node, with how to mend it where that is known. */
export function onEdgeNode(error: Error, edgeNode: string): Error {
  const obstacle = OBSTACLES.find(({ said }) => said.test(error.message))
  return obstacle ? new ClusterError(`${error.message}\n${obstacle.mend(edgeNode)}`) : error
}
