/** Whether a cluster can be deployed to, before anything is. */
import type { Cluster, Permission } from './cluster.ts'
import { ClusterError } from './errors.ts'

/** Something that a check found out about a cluster. */
export interface Finding {
  /** With an error nothing can be deployed there; a warning may come from what the check cannot see. */
  level: 'ok' | 'warning' | 'error'
  /** One sentence; when it is not good, how to mend it. */
  message: string
}

const SERVING_GROUP = 'serving.knative.dev'
const SERVING_VERSION = 'v1'
const INGRESS_LIMIT_MS = 5_000

const WRITTEN = ['get', 'list', 'create', 'patch', 'delete']
/** What the account needs to do in the namespace, by API group and resource. */
export const PERMISSIONS: readonly { group: string; resource: string; verbs: readonly string[] }[] = [
  { group: SERVING_GROUP, resource: 'services', verbs: WRITTEN },
  { group: SERVING_GROUP, resource: 'revisions', verbs: ['get', 'list', 'delete'] },
  { group: '', resource: 'configmaps', verbs: WRITTEN },
  { group: '', resource: 'secrets', verbs: WRITTEN },
  { group: '', resource: 'pods', verbs: ['get', 'list', 'watch'] },
  { group: '', resource: 'pods/log', verbs: ['get'] },
]

/**
 * Asks a cluster for its version, for Knative Serving, for the namespace and for each permission of the account, and whether
 * its ingress answers. Changes nothing. Resolves in every case: that the cluster does not answer is a finding, too.
 */
export async function checkCluster(cluster: Cluster, ingress?: string): Promise<Finding[]> {
  const findings: Finding[] = []
  const say = (level: Finding['level'], message: string): void => void findings.push({ level, message })
  try {
    say('ok', `Kubernetes ${await cluster.version()} answers at ${cluster.server}.`)
    const versions = await cluster.groupVersions(SERVING_GROUP)
    if (versions.includes(SERVING_VERSION))
      say('ok', `It has Knative Serving with the API ${SERVING_VERSION} (tested with Knative 1.15).`)
    else if (versions.length > 0)
      say(
        'error',
        `Its Knative Serving has the API ${versions.join(', ')} and not ${SERVING_VERSION}: update it to 1.0 or later.`,
      )
    else say('error', 'It has no Knative Serving: install it (knative.dev), or choose another cluster.')
    if ((await cluster.hasNamespace()) === false)
      say(
        'error',
        `It has no namespace '${cluster.namespace}': create it (kubectl create namespace ${cluster.namespace}), or choose another.`,
      )
    const missing = await missingPermissions(cluster)
    if (missing.length === 0)
      say(
        'ok',
        `The account may do what is needed in '${cluster.namespace}': ${PERMISSIONS.map(({ resource, verbs }) => `${verbs.join(', ')} ${resource}`).join('; ')}.`,
      )
    for (const { resource, verbs } of missing)
      say(
        'error',
        `The account may not ${verbs.join(', ')} ${resource} in '${cluster.namespace}': give it the role of infra/knative/account.yaml.`,
      )
    findings.push(await ingressFinding(ingress))
  } catch (error) {
    if (!(error instanceof ClusterError)) throw error
    say('error', error.message)
  }
  return findings
}

async function missingPermissions(cluster: Cluster): Promise<{ resource: string; verbs: string[] }[]> {
  const asked: Permission[] = PERMISSIONS.flatMap(({ group, resource, verbs }) =>
    verbs.map((verb) => ({ group, resource, verb })),
  )
  const allowed = await Promise.all(asked.map((permission) => cluster.may(permission)))
  const missing = asked.filter((_, index) => !allowed[index])
  return [...Map.groupBy(missing, ({ resource }) => resource)].map(([resource, each]) => ({
    resource,
    verbs: each.map(({ verb }) => verb),
  }))
}

async function ingressFinding(ingress: string | undefined): Promise<Finding> {
  if (ingress === undefined)
    return {
      level: 'warning',
      message: 'No ingress is set: the names that Knative gives its services must lead to it from here.',
    }
  try {
    // Any answer will do: no service is asked for.
    await fetch(ingress, { redirect: 'manual', signal: AbortSignal.timeout(INGRESS_LIMIT_MS) })
    return { level: 'ok', message: `The ingress answers at ${ingress}.` }
  } catch (error) {
    const { cause } = error as { cause?: unknown }
    const why = cause instanceof Error ? cause.message : (error as Error).message
    return {
      level: 'error',
      message: `The ingress does not answer at ${ingress} (${why}): give the address at which Knative's ingress is reached from here.`,
    }
  }
}
