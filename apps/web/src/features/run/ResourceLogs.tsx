import { Check, Copy, RefreshCw } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { ApiProblem } from '../../api/problem.ts'
import type { DeploymentRecord, DeploymentResource } from '../../api/types.ts'
import { useAction, useLoad } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog } from '../../ui/Dialog.tsx'
import { Nothing, ProblemNote, Waiting } from '../../ui/feedback.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { resourceLabel } from '../reports/plannedChanges.ts'

/** Why a resource has no log lines to show. */
const emptyText: Record<DeploymentRecord['state'], string> = {
  starting: 'What it prints while it starts appears here.',
  ready: 'What its task code prints appears here.',
  failed: 'It wrote nothing, or the service was restarted since.',
  stopped: 'The lines of a deployment go when it is stopped.',
}

/** Dialog with the newest log lines of a cloud function or an edge agent. */
export function ResourceLogs({
  deployment,
  resource: { kind, name },
  onClose,
}: {
  deployment: DeploymentRecord
  resource: Pick<DeploymentResource, 'kind' | 'name'>
  onClose: () => void
}) {
  const { state } = deployment
  // A deployment that becomes ready or ends while the dialog is open changes what can be read.
  const logs = useLoad(
    (signal) => api.deploymentLogs(deployment.id, { kind, name }, signal),
    [deployment.id, kind, name, state],
  )
  const lines = logs.data
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (lines && box.current) box.current.scrollTop = box.current.scrollHeight
  }, [lines])
  const [copiedLines, setCopiedLines] = useState<readonly string[]>()
  const copied = lines !== undefined && copiedLines === lines
  const copy = useAction(async () => {
    try {
      await navigator.clipboard.writeText((lines ?? []).join('\n'))
    } catch {
      throw new ApiProblem(-1, 'The browser did not allow copying', 'Select the lines and copy them.')
    }
    setCopiedLines(lines)
  })
  return (
    <Dialog title={`Logs of ${name}`} onClose={onClose} wide>
      <div className="flex flex-col gap-3" data-testid="resource-logs">
        <div className="flex flex-wrap items-center gap-2 text-sm text-muted">
          <span className="flex-1">
            {resourceLabel[kind]}
            {lines && lines.length > 0 ? `, newest ${format.count(lines.length, 'line')}` : ''}
          </span>
          <Button busy={logs.loading} onClick={logs.reload}>
            {!logs.loading && <RefreshCw className="size-4" aria-hidden="true" />}
            Refresh
          </Button>
          <Button disabled={!lines || lines.length === 0} onClick={() => void copy.run()}>
            {copied ? (
              <Check className="size-4" aria-hidden="true" />
            ) : (
              <Copy className="size-4" aria-hidden="true" />
            )}
            {copied ? 'Copied' : 'Copy'}
          </Button>
          <span role="status" className="sr-only">
            {copied ? 'The lines are on the clipboard.' : ''}
          </span>
        </div>
        <ProblemNote problem={logs.problem} />
        <ProblemNote problem={copy.problem} />
        {!lines && logs.loading && <Waiting what="Loading the log lines" />}
        {lines?.length === 0 && (
          <Nothing title={state === 'ready' ? 'It has not written anything.' : 'No lines to show'}>
            {emptyText[state]}
          </Nothing>
        )}
        {lines && lines.length > 0 && (
          <Scroll
            ref={box}
            label={`Log lines of ${name}`}
            className="max-h-[56vh] overflow-auto rounded-md border border-line bg-sunken p-2"
          >
            <pre className="font-mono text-xs leading-5 break-words whitespace-pre-wrap">
              {lines.join('\n')}
            </pre>
          </Scroll>
        )}
      </div>
    </Dialog>
  )
}
