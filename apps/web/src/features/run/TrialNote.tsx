import { api } from '../../api/client.ts'
import type { DeploymentRecord } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'

/** How far the trial of a newer version is, or why it was reverted. */
export function TrialNote({
  trial,
  onChanged,
}: {
  trial: DeploymentRecord
  onChanged: (deployment: DeploymentRecord) => void
}) {
  const cancel = useAction(async () => onChanged(await api.undeploy(trial.id)))
  const failed = trial.state === 'failed'
  return (
    <div
      role="status"
      data-testid="trial"
      className={`flex flex-wrap items-start justify-between gap-2 rounded-md border px-3 py-2 text-sm ${failed ? 'border-danger bg-danger-soft' : 'border-line bg-sunken'}`}
    >
      <p className="min-w-0 flex-1 break-words">
        <span className="font-medium">Version {trial.request.version}.</span> {trial.message}
      </p>
      {!failed && (
        <Button data-testid="cancel-trial" busy={cancel.busy} onClick={() => void cancel.run()}>
          Cancel the trial
        </Button>
      )}
      <ProblemNote problem={cancel.problem} />
    </div>
  )
}
