/** What a deployment would change of the one it follows, and what it needs of where its functions run. */
import { containersOf } from '@hivemind/synthesis'
import { changesOf } from './changes.ts'
import type { FunctionHosting, FunctionPlace, FunctionWork } from './functions/hosting.ts'
import { functionsOf, functionWorksOf, isInCloud } from './functions/works.ts'
import { ClusterError } from './knative/errors.ts'
import type { ObjectChange } from './object-change.ts'
import type { Change, DeploymentPlan, DeploymentSpec, DeploymentStatus } from './types.ts'

/** The deployment that a new one follows. */
export interface Followed {
  spec: DeploymentSpec
  status: DeploymentStatus
}

/**
 * Plans a deployment. A cluster is asked for its objects, and for what is needed of it; that it does not answer is among the needs.
 * @param hosting the functions of the deployment before, or of none
 */
export async function planOf(
  current: Followed | null,
  next: DeploymentSpec,
  place: FunctionPlace,
  hosting: Pick<FunctionHosting, 'preview' | 'refusals'>,
): Promise<DeploymentPlan> {
  const changes = withFaults(changesOf(current?.spec ?? null, next), current)
  const shared = sharedContainers(next)
  if (!hosting.preview) return { changes, needs: shared }
  const before = new Set((current ? functionsOf(current.spec) : []).filter(isInCloud).map(({ name }) => name))
  const removed = changes.flatMap(({ kind, action, name }) =>
    kind === 'function' && action === 'remove' && before.has(name) ? [name] : [],
  )
  const works = functionWorksOf(next).filter(isInCloud)
  const [objects, needs] = await Promise.all([
    hosting.preview(works, removed).catch((error: unknown) => {
      if (error instanceof ClusterError) return new Map<string, ObjectChange[]>()
      throw error
    }),
    place.needs?.() ?? [],
  ])
  return {
    changes: changes.map((change) => {
      const own = change.kind === 'function' ? objects.get(change.name) : undefined
      return own ? { ...change, objects: own } : change
    }),
    needs: [
      ...shared,
      ...needs,
      // what the account may not do, and what is missing, is refused too: it is said once
      ...(needs.some(({ level }) => level === 'error') ? [] : await refusalsOf(hosting, works)),
      ...storageNeed([...objects.values()].flat()),
    ],
  }
}

/** What comes of the wish that functions share containers; nothing where it was not made. */
function sharedContainers({ synthesis: { plan } }: DeploymentSpec): DeploymentPlan['needs'] {
  if (plan.handOver !== 'co-placed') return []
  const shared = containersOf(plan).filter((tasks) => tasks.length > 1)
  if (shared.length === 0)
    return [
      {
        level: 'warning',
        message:
          'No function can share the container of those before it: it would have to read their outputs alone, once for each item, with nothing else that decides when it starts. Data goes through the service.',
      },
    ]
  return shared.map((tasks) => ({
    level: 'ok',
    message: `${tasks.map(({ name }) => name).join(', ')} share a container: what one emits is handed to the next in memory.`,
  }))
}

/** What is not as it was deployed is made so again. */
function withFaults(changes: Change[], current: Followed | null): Change[] {
  const odd = new Map(
    (current?.status.resources ?? []).flatMap(({ kind, name, state, message = '' }) =>
      kind === 'function' && state === 'failed' ? [[name, message]] : [],
    ),
  )
  return changes.map((change) => {
    const why = change.kind === 'function' && change.action === 'keep' ? odd.get(change.name) : undefined
    return why === undefined ? change : { ...change, action: 'change', why }
  })
}

/** What the cluster would refuse. That it does not answer any more is one of these. */
async function refusalsOf(
  hosting: Pick<FunctionHosting, 'refusals'>,
  works: FunctionWork[],
): Promise<DeploymentPlan['needs']> {
  const said = await (hosting.refusals?.(works) ?? Promise.resolve<string[]>([])).catch((error: unknown) => {
    if (error instanceof ClusterError) return [error.message]
    throw error
  })
  return said.map((message) => ({ level: 'error', message }))
}

/** What the objects take of the cluster's own storage. */
function storageNeed(objects: readonly ObjectChange[]): DeploymentPlan['needs'] {
  const kept = objects.filter(({ bytes, action }) => bytes !== undefined && action !== 'remove')
  if (kept.length === 0) return []
  const kB = Math.ceil(kept.reduce((sum, { bytes = 0 }) => sum + bytes, 0) / 1000)
  return [
    {
      level: 'ok',
      message: `Code and configuration take ${kB} kB in ${kept.length} Secrets and ConfigMaps; no volume is needed, since values of runs stay with the service.`,
    },
  ]
}
