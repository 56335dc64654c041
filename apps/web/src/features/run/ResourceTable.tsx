import { ScrollText } from 'lucide-react'
import { useState } from 'react'
import type { DeploymentRecord, DeploymentResource } from '../../api/types.ts'
import { Button } from '../../ui/Button.tsx'
import { Badge } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import { count } from '../reports/format.ts'
import { resourceLabel } from '../reports/plannedChanges.ts'
import { ResourceLogs } from './ResourceLogs.tsx'

/** Badge colour of each state of a deployment and of its resources. */
export const stateTone = {
  starting: 'accent',
  ready: 'ok',
  failed: 'danger',
  stopped: 'muted',
} as const satisfies Record<DeploymentRecord['state'], string>

const cell = 'py-1 pr-3'

/** What a resource runs as: a process of this machine, or containers of a cluster. */
function runsAs({ pid, containers }: DeploymentResource): string {
  if (containers) return count(containers.ready, 'container')
  return pid === undefined ? '–' : `process ${pid}`
}

function runsAsHint({ containers }: DeploymentResource): string | undefined {
  if (!containers) return undefined
  const { revision, ready, direct } = containers
  if (ready === 0) return `Revision ${revision}; it has gone to zero, and the next call starts it`
  return `Revision ${revision}; calls go past the ingress to ${direct} of ${ready}`
}

/** The cloud functions and edge agents of a deployment, each with its state and a button that opens its log lines. */
export function ResourceTable({ deployment }: { deployment: DeploymentRecord }) {
  const [opened, setOpened] = useState<DeploymentResource>()
  return (
    <>
      <Scroll className="mt-1 max-h-52 overflow-auto" label="Processes of the deployment">
        <table className="w-full border-collapse text-[13px]">
          <thead className="text-left text-xs text-muted">
            <tr>
              <th scope="col" className={`${cell} font-medium`}>
                Name
              </th>
              <th scope="col" className={`${cell} font-medium`}>
                Kind
              </th>
              <th scope="col" className={`${cell} font-medium`}>
                State
              </th>
              <th scope="col" className={`${cell} text-right font-medium`}>
                Runs as
              </th>
              <th scope="col" className="py-1">
                <span className="sr-only">Logs</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {deployment.resources.map((resource) => (
              <tr key={`${resource.kind} ${resource.name}`} className="border-t border-line align-top">
                <th scope="row" className={`${cell} text-left font-normal break-all`}>
                  {resource.name}
                </th>
                <td className={`${cell} whitespace-nowrap`}>{resourceLabel[resource.kind]}</td>
                <td className={cell}>
                  <Badge tone={stateTone[resource.state]}>{resource.state}</Badge>
                  {resource.message && <p className="text-xs text-muted">{resource.message}</p>}
                </td>
                <td className={`${cell} text-right tabular-nums`} title={runsAsHint(resource)}>
                  {runsAs(resource)}
                </td>
                <td className="py-0.5 text-right">
                  <Button
                    className="!h-6 px-2! text-xs!"
                    aria-label={`Logs of ${resource.name}`}
                    data-testid={`logs-${resource.kind}-${resource.name}`}
                    onClick={() => setOpened(resource)}
                  >
                    <ScrollText className="size-3.5" aria-hidden="true" />
                    Logs
                  </Button>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {opened && (
        <ResourceLogs
          deployment={deployment}
          resource={{ kind: opened.kind, name: opened.name }}
          onClose={() => setOpened(undefined)}
        />
      )}
    </>
  )
}
