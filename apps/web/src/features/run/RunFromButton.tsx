import { StepForward } from 'lucide-react'
import type { NewRun } from '../../api/types.ts'
import { Button } from '../../ui/Button.tsx'
import type { RunFrom } from './useRunFrom.ts'

/** Starts a run from a task on, or of one item of it. */
export function RunFromButton({
  runFrom,
  from,
  testId,
}: {
  runFrom: RunFrom
  from: NonNullable<NewRun['from']>
  testId: string
}) {
  const { hindrance, redeploys, busy, start } = runFrom
  const what = from.item ? 'run this item again' : 'run from here'
  return (
    <Button
      data-testid={testId}
      busy={busy}
      disabled={hindrance !== undefined}
      title={
        hindrance ??
        `${from.task} and what follows it, with the inputs that this run has kept${redeploys ? ', after the newest version is deployed' : ''}`
      }
      onClick={() => start(from)}
    >
      <StepForward className="size-4" aria-hidden="true" />
      {redeploys ? `Redeploy and ${what}` : what.charAt(0).toUpperCase() + what.slice(1)}
    </Button>
  )
}
