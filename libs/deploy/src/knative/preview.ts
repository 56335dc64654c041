/** What a deployment would change of the objects of a cluster, as YAML. */
import type { ObjectChange } from '../object-change.ts'
import type { Cluster, ClusterObject } from './cluster.ts'
import { type Contents, readContents } from './contents.ts'
import { onEdgeNode } from './edge-nodes.ts'
import { ClusterError } from './errors.ts'
import { lineDiff } from './line-diff.ts'
import {
  type ClusterFunction,
  contentsOf,
  revisionName,
  SERVING,
  serviceNameOf,
  serviceOf,
} from './manifests.ts'

/** A function that is on the cluster. */
interface Standing {
  service: string
  revision: string
  /** As it was applied. */
  manifest: ClusterObject
}

/** Compares functions with what a cluster has of them; changes nothing. Its promises reject with `ClusterError`. */
export class ClusterPreview {
  readonly #cluster: Cluster

  constructor(cluster: Cluster) {
    this.#cluster = cluster
  }

  /** What becomes of the objects of a function: of the one that stands, if any, and of the one that is to be. */
  async replacement(next: ClusterFunction, standing: Standing | undefined): Promise<ObjectChange[]> {
    const revision = revisionName(serviceNameOf(next), next.configHash)
    const wanted =
      standing?.revision === revision ? standing.manifest : serviceOf(next, { serving: revision })
    const there = new Map(
      (standing ? await readContents(this.#cluster, standing.revision) : []).map((object) => [
        nameOf(object),
        object,
      ]),
    )
    const contents = contentsOf(next)
    const kept = new Set(contents.map(nameOf))
    return [
      this.#change(standing ? await this.#service(standing) : null, wanted, standing?.manifest),
      ...contents.map((object) => this.#change(there.get(nameOf(object)) ?? null, object)),
      ...[...there].flatMap(([name, object]) => (kept.has(name) ? [] : this.#change(object, null))),
    ]
  }

  /** What the cluster would refuse of the objects of a function that is to be, in sentences; it is asked, and keeps nothing. Rejects with `ClusterError` when it does not answer. */
  async refusals(next: ClusterFunction, standing: Standing | undefined): Promise<string[]> {
    const revision = revisionName(serviceNameOf(next), next.configHash)
    if (standing?.revision === revision) return []
    const service = serviceOf(
      next,
      standing ? { serving: standing.revision, beside: revision } : { serving: revision },
    )
    const refusals: string[] = []
    for (const object of [...contentsOf(next), service])
      try {
        await this.#cluster.apply(object, { dryRun: true })
      } catch (error) {
        if (!(error instanceof ClusterError) || error.passing) throw error
        const { node } = next.config
        refusals.push((node === undefined ? error : onEdgeNode(error, node)).message)
      }
    return refusals
  }

  /** What of a function that is no longer needed is removed. */
  async removal(standing: Standing): Promise<ObjectChange[]> {
    const service = await this.#service(standing)
    const contents = await readContents(this.#cluster, standing.revision)
    return [
      ...(service ? [this.#change(service, null, standing.manifest)] : []),
      ...contents.map((object) => this.#change(object, null)),
    ]
  }

  #service({ service }: Standing): Promise<ClusterObject | null> {
    return this.#cluster.read(SERVING, 'Service', service)
  }

  #change(live: Contents | null, wanted: Contents | null, applied?: ClusterObject): ObjectChange {
    return objectChange(live, wanted, (object) => this.#cluster.yaml(object), applied)
  }
}

const nameOf = ({ kind, metadata }: ClusterObject): string => `${kind} ${metadata.name}`

/**
 * What becomes of one object.
 * @param live as the cluster has it; `null` when it is not there
 * @param wanted as it is to be; `null` when it is to be removed
 * @param toYaml writes an object
 * @param applied as it was applied last: fields that it has and `wanted` has not are removed
 */
export function objectChange(
  live: Contents | null,
  wanted: Contents | null,
  toYaml: (object: unknown) => string,
  applied?: ClusterObject,
): ObjectChange {
  const { kind, metadata } = (wanted ?? live) as Contents
  const shapes = [wanted, applied ?? (wanted ? null : contentsShape(live as Contents))]
  const linesOf = (object: unknown): string[] =>
    toYaml(masked(object as Contents))
      .trimEnd()
      .split('\n')
  const lines = lineDiff(live ? linesOf(ownPart(live, shapes)) : [], wanted ? linesOf(wanted) : [])
  const isSame = lines.every((line) => line.startsWith(' '))
  const bytes = bytesOf((wanted ?? live) as Contents)
  return {
    kind,
    name: metadata.name,
    action: live === null ? 'create' : wanted === null ? 'remove' : isSame ? 'keep' : 'change',
    diff: lines.join('\n'),
    ...(bytes !== undefined && { bytes }),
  }
}

/** The fields of a Secret or ConfigMap that HiveMind writes. */
const contentsShape = ({ apiVersion, kind, metadata, data, binaryData, immutable }: Contents) => ({
  apiVersion,
  kind,
  metadata: { name: metadata.name, namespace: metadata.namespace, labels: metadata.labels },
  data,
  binaryData,
  immutable,
})

type Fields = Record<string, unknown>
const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The part of an object that is ours: fields that one of `shapes` has, at any depth, in the order of the shapes. The rest the cluster has
 * filled in.
 */
function ownPart(live: unknown, shapes: readonly unknown[]): unknown {
  if (Array.isArray(live)) {
    const lists = shapes.filter((shape) => Array.isArray(shape))
    const length = Math.max(0, ...lists.map((list) => list.length))
    return live.slice(0, length).map((item, at) =>
      ownPart(
        item,
        lists.map((list) => list[at]),
      ),
    )
  }
  if (!isObject(live)) return live
  const ours = shapes.filter(isObject)
  const keys = [...new Set(ours.flatMap((shape) => Object.keys(shape)))].filter(
    (key) => live[key] !== undefined,
  )
  return Object.fromEntries(
    keys.map((key) => [
      key,
      ownPart(
        live[key],
        ours.map((shape) => shape[key]),
      ),
    ]),
  )
}

const sizeOf = (base64: unknown): number => Buffer.from(String(base64), 'base64').length

/** Bytes of the values of a Secret or ConfigMap; `undefined` for another object. */
function bytesOf({ data, binaryData }: Contents): number | undefined {
  const values = [data, binaryData].filter(isObject)
  if (values.length === 0) return undefined
  return values.flatMap(Object.values).reduce((sum: number, value) => sum + sizeOf(value), 0)
}

/** What of an object may be shown: of the values of Secrets, and of files, only how large they are. */
function masked(object: Contents): Contents {
  const { data, binaryData } = object
  const sizes = (values: unknown, word: string): Fields =>
    Object.fromEntries(
      Object.entries(isObject(values) ? values : {}).map(([key, value]) => [
        key,
        `(${word}${sizeOf(value)} bytes)`,
      ]),
    )
  return {
    ...object,
    ...(object.kind === 'Secret' && data !== undefined && { data: sizes(data, 'hidden, ') }),
    ...(binaryData !== undefined && { binaryData: sizes(binaryData, '') }),
  }
}
