import { api } from '../../api/client.ts'
import type { DeploymentPlan } from '../../api/types.ts'
import { type Loaded, useLoad } from '../../api/useLoad.ts'
import { Badge, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { Findings } from './Findings.tsx'
import * as format from './format.ts'
import { ObjectDiff } from './ObjectDiff.tsx'
import { actionLabel, actionTone, replaces, resourceLabel, summariseChanges } from './plannedChanges.ts'

type Request = Parameters<typeof api.planDeployment>[1]

/**
 * Loads what a deployment would change. Loads it again when the request or `revision` changes; loads nothing without a
 * request.
 */
export function usePlannedChanges(
  project: string,
  request: Request | undefined,
  revision = '',
): Loaded<DeploymentPlan> {
  return useLoad(
    (signal) => (request ? api.planDeployment(project, request, signal) : undefined),
    [project, JSON.stringify(request), revision],
  )
}

/**
 * What a deployment would change of the running one that it replaces: a sentence, and each change with its reason. On a cluster also the
 * YAML of each object, and what the deployment needs. Shows nothing on this machine when nothing is replaced.
 */
export function PlannedChanges({
  plan: { data: plan, problem, loading, reload },
}: {
  plan: Loaded<DeploymentPlan>
}) {
  if (problem) return <ProblemNote problem={problem} retry={reload} />
  if (!plan) return loading ? <Waiting what="Comparing with what is deployed" /> : null
  const { changes, needs } = plan
  if (!replaces(changes) && needs.length === 0) return null
  const missing = needs.filter(({ level }) => level === 'error').length
  return (
    <details className="min-w-0 text-sm" data-testid="planned-changes">
      <summary className="cursor-pointer">
        {summariseChanges(changes)}
        {missing > 0 && <span className="text-danger"> {format.count(missing, 'thing')} missing.</span>}
      </summary>
      <Scroll
        className={`mt-1 text-[13px] ${needs.length > 0 ? '' : 'max-h-52 overflow-auto'}`}
        label="Changes of the deployment"
      >
        {needs.length > 0 && (
          <div className="py-1" data-testid="planned-needs">
            <h3 className="mb-1 font-medium">What it needs</h3>
            <Findings findings={needs} label="What it needs" />
          </div>
        )}
        <ul>
          {changes.map(({ kind, name, action, why, objects = [] }) => (
            <li key={`${kind} ${name} ${action}`} className="border-t border-line py-1">
              <div className="flex flex-wrap items-baseline gap-x-2">
                <Badge tone={actionTone[action]}>{actionLabel[action]}</Badge>
                <span className="font-medium break-all">{name}</span>
                <span className="text-xs text-muted">{resourceLabel[kind]}</span>
                <span className="min-w-0 break-words">{why}</span>
              </div>
              {objects.length > 0 && (
                <div className="mt-1 flex flex-col pl-3">
                  {objects.map((object) => (
                    <ObjectDiff key={`${object.kind} ${object.name}`} object={object} />
                  ))}
                </div>
              )}
            </li>
          ))}
        </ul>
      </Scroll>
    </details>
  )
}
