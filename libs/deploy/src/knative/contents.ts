/** Whether what a revision reads on the cluster is what was put there. */
import { isDeepStrictEqual } from 'node:util'
import type { Cluster, ClusterObject } from './cluster.ts'
import { type ClusterFunction, contentsOf, LABELS, revisionName, serviceNameOf } from './manifests.ts'

/** An object with the values that Secrets and ConfigMaps have. */
export type Contents = ClusterObject & { data?: unknown; binaryData?: unknown; immutable?: unknown }

/** The Secrets and ConfigMaps of a revision. Rejects with `ClusterError`. */
export async function readContents(cluster: Cluster, revision: string): Promise<Contents[]> {
  const kinds = ['Secret', 'ConfigMap'].map((kind) =>
    cluster.list<Contents>('v1', kind, { [LABELS.revision]: revision }),
  )
  return (await Promise.all(kinds)).flat()
}

/**
 * Whether the cluster has all that the revision of a function reads, as it was made. They cannot be changed there, but somebody may
 * have deleted them, and made others of their names. Rejects with `ClusterError`.
 */
export async function contentsAreWhole(cluster: Cluster, work: ClusterFunction): Promise<boolean> {
  const there = await readContents(cluster, revisionName(serviceNameOf(work), work.configHash))
  return (contentsOf(work) as Contents[]).every((wanted) => {
    const found = there.find(
      ({ kind, metadata }) => kind === wanted.kind && metadata.name === wanted.metadata.name,
    )
    return (
      found !== undefined &&
      isDeepStrictEqual(found.data, wanted.data) &&
      isDeepStrictEqual(found.binaryData, wanted.binaryData)
    )
  })
}
