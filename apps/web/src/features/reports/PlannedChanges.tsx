import { api } from '../../api/client.ts'
import type { DeploymentChange } from '../../api/types.ts'
import { type Loaded, useLoad } from '../../api/useLoad.ts'
import { Badge, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { actionLabel, replaces, resourceLabel, summariseChanges } from './plannedChanges.ts'

type Request = Parameters<typeof api.planDeployment>[1]

const tones = { create: 'accent', change: 'warn', remove: 'danger', keep: 'muted' } as const satisfies Record<
  DeploymentChange['action'],
  string
>

/**
 * Loads what a deployment would change. Loads it again when the request or `revision` changes; loads nothing without a
 * request.
 */
export function usePlannedChanges(
  project: string,
  request: Request | undefined,
  revision = '',
): Loaded<DeploymentChange[]> {
  return useLoad(
    (signal) => (request ? api.planDeployment(project, request, signal) : undefined),
    [project, JSON.stringify(request), revision],
  )
}

/**
 * What a deployment would change of the running one that it replaces: a sentence, and each change with its reason.
 * Shows nothing when it replaces none.
 */
export function PlannedChanges({
  plan: { data: changes, problem, loading, reload },
}: {
  plan: Loaded<DeploymentChange[]>
}) {
  if (problem) return <ProblemNote problem={problem} retry={reload} />
  if (!changes) return loading ? <Waiting what="Comparing with the running deployment" /> : null
  if (!replaces(changes)) return null
  return (
    <details className="min-w-0 text-sm" data-testid="planned-changes">
      <summary className="cursor-pointer">{summariseChanges(changes)}</summary>
      <Scroll className="mt-1 max-h-52 overflow-auto" label="Changes of the deployment">
        <ul className="text-[13px]">
          {changes.map(({ kind, name, action, why }) => (
            <li
              key={`${kind} ${name} ${action}`}
              className="flex flex-wrap items-baseline gap-x-2 border-t border-line py-1"
            >
              <Badge tone={tones[action]}>{actionLabel[action]}</Badge>
              <span className="font-medium break-all">{name}</span>
              <span className="text-xs text-muted">{resourceLabel[kind]}</span>
              <span className="min-w-0 break-words">{why}</span>
            </li>
          ))}
        </ul>
      </Scroll>
    </details>
  )
}
