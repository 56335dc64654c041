/** The objects of a function on Knative. Pure: the same function gives the same objects. */
import { createHash } from 'node:crypto'
import { type FunctionConfig, functionName, type ServedTask } from '@hivemind/task-runner'
import type { ClusterObject } from './cluster.ts'
import { nodeLabel } from './edge-nodes.ts'
import { ClusterError } from './errors.ts'

export const SERVING = 'serving.knative.dev/v1'
/** Container of the function in its pods. */
export const CONTAINER = 'function'
export const LABELS = {
  managedBy: 'app.kubernetes.io/managed-by',
  deployment: 'hivemind.dev/deployment',
  group: 'hivemind.dev/group',
  /** What the function is called: its task, with its edge node where it is on one. */
  function: 'hivemind.dev/task',
  revision: 'hivemind.dev/revision',
} as const
/** Annotation of a service: what its function was configured with. */
const HASH_ANNOTATION = 'hivemind.dev/config-hash'

/** Most bytes of files in one ConfigMap: the API takes 1 MiB. */
const MAX_CONFIG_MAP_BYTES = 900_000
const CODE_DIR = '/code'
const CONFIG_DIR = '/function'
const PORT = 8080
/** Memory of the host beside the processes of the task, in MB. */
const HOST_MEMORY_MB = 192
/** Longest time until a new revision is ready, in s; its image may have to be fetched. */
const READY_LIMIT_S = 180
/** Knative's own bound for the time of a request, in s. */
const MAX_REQUEST_S = 600

/** A file of a function's code. */
export interface CodeFile {
  path: string
  /** sha-256 of its content, hex. */
  hash: string
  content: Uint8Array
}

/** A function as it is put on a cluster. */
export interface ClusterFunction {
  deployment: string
  /** Of deployments that follow each other. */
  group: string
  namespace: string
  image: string
  /** Without where it listens and where its code is. The pods of one on an edge node run on the nodes with the label of that. */
  config: Omit<FunctionConfig, 'dir' | 'port' | 'host' | 'coPlaced'> & {
    coPlaced?: (Omit<ServedTask, 'dir'> & { after: string[] })[]
  }
  files: readonly CodeFile[]
  configHash: string
  /** A container takes so many calls at once. */
  concurrency: number
  /** Whether each container has a CPU to itself. */
  isIsolated: boolean
  /** Most containers. */
  maxScale: number
  /** An idle container stays for so long, in s (HiveMind 4.3 keeps them 10 to 30 s). */
  keepAliveS: number
}

/** Name of the Knative Service of a function: one for a group of deployments, at most 52 characters. */
export function serviceName(group: string, name: string): string {
  // the first of several tasks, and what tells all of them
  const slug = name.includes('+')
    ? `${slugOf(name.slice(0, name.indexOf('+'))).slice(0, 31)}-${shortHash(name)}`
    : // two hyphens before the edge node, which the name of no task has
      shortened(name.split('@').map(slugOf).join('--'), 40, name)
  return `hm-${group}-${slug}`.replace(/-+$/, '')
}

const slugOf = (text: string): string =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+|-+$/g, '')

/** Edge nodes differ in the last characters of their names: what is cut off there is told by a hash. */
const shortened = (text: string, length: number, name: string): string =>
  text.length <= length || !/[@+]/.test(name)
    ? text.slice(0, length)
    : `${text.slice(0, length - 9)}-${shortHash(name)}`

const shortHash = (text: string): string => createHash('sha256').update(text).digest('hex').slice(0, 8)

/** Name of the Knative Service of a function. */
export const serviceNameOf = ({ group, config }: ClusterFunction): string =>
  serviceName(group, nameOf(config))

/** Name of the revision of a service that has this configuration. */
export const revisionName = (service: string, configHash: string): string =>
  `${service}-${configHash.slice(0, 10)}`

const labelsOf = ({ deployment, group, config }: ClusterFunction): Record<string, string> => ({
  [LABELS.managedBy]: 'hivemind',
  [LABELS.deployment]: labelValue(deployment),
  ...functionLabels(group, nameOf(config)),
})

const nameOf = (config: ClusterFunction['config']): string =>
  functionName([config.task, ...(config.coPlaced ?? []).map(({ task }) => task)], config.node)

/** What tells the objects of one function. */
export const functionLabels = (group: string, name: string): Record<string, string> => ({
  [LABELS.group]: group,
  [LABELS.function]: labelValue(name),
})

/** Text as the value of a label: at most 63 characters of a few kinds. */
const labelValue = (text: string): string =>
  shortened(text.replace(/[^A-Za-z0-9._-]+/g, '-'), 63, text).replace(/^[^A-Za-z0-9]+|[^A-Za-z0-9]+$/g, '')

/**
 * What a revision reads: its configuration (a Secret, as it holds the token of callers) and its code (ConfigMaps, whose
 * files appear in a folder). They belong to the cluster, so that a restart needs nobody else. Throws a `ClusterError` for
 * a file that is too large.
 */
export function contentsOf(work: ClusterFunction): ClusterObject[] {
  const revision = revisionName(serviceNameOf(work), work.configHash)
  const labels = { ...labelsOf(work), [LABELS.revision]: revision }
  const object = (kind: string, name: string, content: object): ClusterObject => ({
    apiVersion: 'v1',
    kind,
    metadata: { name, namespace: work.namespace, labels },
    ...content,
    ...{ immutable: true },
  })
  // Kubernetes shows the files by way of a link that it can exchange.
  const dir = work.files.length > 0 ? `${CODE_DIR}/..data` : CONFIG_DIR
  const { coPlaced } = work.config
  const config = {
    ...work.config,
    dir,
    ...(coPlaced && { coPlaced: coPlaced.map((each) => ({ ...each, dir })) }),
    configHash: work.configHash,
    concurrency: work.concurrency,
  }
  const secret = object('Secret', revision, {
    data: { 'function.json': Buffer.from(JSON.stringify(config)).toString('base64') },
  })
  const parts = partsOf(work.files).map((files, index) =>
    object('ConfigMap', `${revision}-code-${index}`, {
      binaryData: Object.fromEntries(
        files.map(({ hash, content }) => [hash, Buffer.from(content).toString('base64')]),
      ),
    }),
  )
  return [secret, ...parts]
}

/** Files in as many parts as their bytes need. */
function partsOf(files: readonly CodeFile[]): CodeFile[][] {
  const parts: CodeFile[][] = []
  let bytes = Number.POSITIVE_INFINITY
  for (const file of files) {
    const { length } = file.content
    if (length > MAX_CONFIG_MAP_BYTES)
      throw new ClusterError(
        `'${file.path}' has ${(length / 1e6).toFixed(1)} MB; a cluster takes files of up to ${MAX_CONFIG_MAP_BYTES / 1e6} MB with the code of a task. Let the task fetch it (network='all'), or put it into an image of your own.`,
      )
    if (bytes + length > MAX_CONFIG_MAP_BYTES) {
      parts.push([])
      bytes = 0
    }
    parts.at(-1)?.push(file)
    bytes += length
  }
  return parts
}

const ONE_CPU = '1'

const sumOf = (numbers: readonly number[]): number => numbers.reduce((sum, each) => sum + each, 0)

/** Where the calls of a service go. */
export interface Traffic {
  /** The revision that gets the calls. */
  serving: string
  /** Another one that is to be ready, and gets none. */
  beside?: string
}

/** The Knative Service of a function, whose newest revision is the one of this configuration. */
export function serviceOf(work: ClusterFunction, { serving, beside }: Traffic): ClusterObject {
  const name = serviceNameOf(work)
  const { node } = work.config
  const revision = revisionName(name, work.configHash)
  const labels = labelsOf(work)
  const tasks = [work.config, ...(work.config.coPlaced ?? [])]
  const memoryMB = HOST_MEMORY_MB + sumOf(tasks.map((task) => task.memoryMB)) * work.concurrency
  // a call may go on through all of them
  const timeoutMs = sumOf(tasks.map((task) => task.timeoutMs))
  const code = partsOf(work.files).map((files, index) => ({
    configMap: {
      name: `${revision}-code-${index}`,
      items: files.map(({ path, hash }) => ({ key: hash, path })),
    },
  }))
  const service = {
    apiVersion: SERVING,
    kind: 'Service',
    metadata: {
      name,
      namespace: work.namespace,
      labels,
      annotations: { [HASH_ANNOTATION]: work.configHash },
    },
    spec: {
      template: {
        metadata: {
          name: revision,
          labels: { ...labels, [LABELS.revision]: revision },
          annotations: {
            'autoscaling.knative.dev/max-scale': String(work.maxScale),
            // warm, so that a call costs no start (Vertex 3.2)
            ...(node !== undefined && { 'autoscaling.knative.dev/min-scale': '1' }),
            'autoscaling.knative.dev/scale-to-zero-pod-retention-period': `${work.keepAliveS}s`,
            'serving.knative.dev/progress-deadline': `${READY_LIMIT_S}s`,
          },
        },
        spec: {
          containerConcurrency: work.concurrency,
          timeoutSeconds: Math.min(MAX_REQUEST_S, Math.ceil(timeoutMs / 1000) + 5),
          ...(node !== undefined && { nodeSelector: { [nodeLabel(node)]: 'true' } }),
          enableServiceLinks: false,
          automountServiceAccountToken: false,
          containers: [
            {
              name: CONTAINER,
              image: work.image,
              args: ['--config', `${CONFIG_DIR}/function.json`],
              // The container is the sandbox: it has nothing but the task's code, and no rights.
              env: [{ name: 'HIVEMIND_SANDBOX', value: 'off' }],
              ports: [{ containerPort: PORT }],
              resources: {
                requests: { cpu: work.isIsolated ? ONE_CPU : '50m', memory: '128Mi' },
                limits: { ...(work.isIsolated && { cpu: ONE_CPU }), memory: `${memoryMB}Mi` },
              },
              securityContext: {
                allowPrivilegeEscalation: false,
                readOnlyRootFilesystem: true,
                runAsNonRoot: true,
                capabilities: { drop: ['ALL'] },
                seccompProfile: { type: 'RuntimeDefault' },
              },
              readinessProbe: { httpGet: { path: '/readyz', port: 0 }, successThreshold: 1 },
              volumeMounts: [
                { name: 'config', mountPath: CONFIG_DIR, readOnly: true },
                { name: 'tmp', mountPath: '/tmp' },
                ...(code.length > 0 ? [{ name: 'code', mountPath: CODE_DIR, readOnly: true }] : []),
              ],
            },
          ],
          volumes: [
            { name: 'config', secret: { secretName: revision } },
            { name: 'tmp', emptyDir: {} },
            ...(code.length > 0 ? [{ name: 'code', projected: { sources: code } }] : []),
          ],
        },
      },
      traffic: [
        { revisionName: serving, percent: 100 },
        ...(beside === undefined ? [] : [{ revisionName: beside, percent: 0, tag: 'next' }]),
      ],
    },
  }
  return service
}
