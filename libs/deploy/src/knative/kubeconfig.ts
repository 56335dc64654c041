/** Kubeconfigs that somebody gives the service: nothing of its machine is read or run for them. */
import type { KubeConfig } from '@kubernetes/client-node'
import { ClusterError } from './errors.ts'

/** One context of a kubeconfig, with all that it needs to reach its cluster. */
export interface ClusterAccess {
  /** A kubeconfig with this context alone. A secret. */
  kubeconfig: string
  context: string
  /** Address of the cluster's API, for people. */
  server: string
  /** As the context says. */
  namespace: string
  /** All contexts of the file that it comes from. */
  contexts: string[]
}

/**
 * Takes one context, its current one when none is named, out of the text of a kubeconfig. Rejects with `ClusterError` when
 * there is none, and when it names files or programs of a machine: a service that read or ran them would do so for
 * everybody who can reach it. No message repeats what the text says of credentials.
 */
export async function accessOf(text: string, context?: string): Promise<ClusterAccess> {
  const config = await parse(text)
  const contexts = config.getContexts().map(({ name }) => name)
  useContext(config, context ?? config.getCurrentContext())
  const cluster = config.getCurrentCluster()
  const user = config.getCurrentUser()
  const chosen = config.getContextObject(config.getCurrentContext())
  if (!cluster?.server || !chosen)
    throw new ClusterError(`The kubeconfig names no cluster for the context '${config.getCurrentContext()}'.`)
  if (!/^https:$/.test(URL.parse(cluster.server)?.protocol ?? '') && !cluster.skipTLSVerify)
    throw new ClusterError(
      `The cluster's address '${cluster.server}' is no https URL: correct 'server' in the kubeconfig.`,
    )
  if (cluster.caFile) throw namesFile('certificate-authority', 'certificate-authority-data')
  if (user?.certFile) throw namesFile('client-certificate', 'client-certificate-data')
  if (user?.keyFile) throw namesFile('client-key', 'client-key-data')
  if (user?.exec) throw runsProgram(user.name, 'exec')
  if (user?.authProvider) throw runsProgram(user.name, 'auth-provider')
  if (!user?.token && !(user?.certData && user.keyData) && !user?.username)
    throw new ClusterError(
      `The kubeconfig has no credentials for the context '${chosen.name}': it needs a token, or a client certificate with its key, in the file itself.`,
    )
  config.loadFromOptions({
    clusters: [cluster],
    users: [user],
    contexts: [chosen],
    currentContext: chosen.name,
  })
  return {
    kubeconfig: config.exportConfig(),
    context: chosen.name,
    server: cluster.server,
    namespace: chosen.namespace ?? 'default',
    contexts,
  }
}

/** Chooses a context. Throws `ClusterError` naming those that there are. */
export function useContext(config: KubeConfig, context: string | undefined): void {
  const known = config.getContexts().map(({ name }) => name)
  if (context === undefined || !known.includes(context))
    throw new ClusterError(
      `The kubeconfig has ${context ? `no context '${context}'` : 'no current context'}. It has: ${known.join(', ') || 'none'}.`,
    )
  config.setCurrentContext(context)
}

async function parse(text: string): Promise<KubeConfig> {
  // The library takes most of a second to load, and few need it.
  const { KubeConfig } = await import('@kubernetes/client-node')
  const config = new KubeConfig()
  try {
    config.loadFromString(text)
  } catch (error) {
    // The message of the YAML library quotes the text, which may be a secret.
    const { mark } = error as { mark?: { line: number } }
    throw new ClusterError(
      mark
        ? `The kubeconfig is not YAML: see line ${mark.line + 1}.`
        : 'This is no kubeconfig: it has no clusters, users and contexts with a name each.',
    )
  }
  const entries = [...config.clusters, ...config.users, ...config.contexts]
  if (entries.some(isOdd))
    throw new ClusterError('This is no kubeconfig: a field has a list or a map where a text belongs.')
  if (config.getContexts().length === 0)
    throw new ClusterError('This is no kubeconfig: it has no contexts. Paste the whole file.')
  return config
}

/** Whether an entry has anything but texts and switches, except how a program signs in. */
const isOdd = (entry: object): boolean =>
  Object.entries(entry).some(
    ([field, value]) =>
      field !== 'exec' && field !== 'authProvider' && typeof value === 'object' && value !== null,
  )

const namesFile = (field: string, instead: string): ClusterError =>
  new ClusterError(
    `The kubeconfig names a file ('${field}'), which the service does not read: put its content in as '${instead}' (kubectl config view --raw --flatten does that).`,
  )

const runsProgram = (user: string, field: string): ClusterError =>
  new ClusterError(
    `The user '${user}' of the kubeconfig signs in with a program ('${field}'), which the service does not run: give a user with a token, such as that of a service account (docs/knative.md).`,
  )
