import { Play, Square } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { DeploymentRecord, RunRecord } from '../../api/types.ts'
import { useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { Field, inputClass, NumberField, wholeNumber } from '../../ui/fields.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { parseInputs } from './outputs.ts'

/** Starting a run of the deployment, and cancelling the one that goes on. */
export function RunForm({
  deployment,
  inputs,
  running,
  onStarted,
  onChanged,
}: {
  deployment: DeploymentRecord
  /** Names of the workflow's inputs. */
  inputs: readonly string[]
  running: RunRecord | undefined
  onStarted: (run: RunRecord) => void
  onChanged: (run: RunRecord) => void
}) {
  const [items, setItems] = useState('')
  const [text, setText] = useState('')
  const parsed = parseInputs(text)
  const error = 'error' in parsed ? parsed.error : undefined
  const itemsPerDevice = wholeNumber(items, 1, 100_000)
  const valid = error === undefined && (items.trim() === '' || itemsPerDevice !== undefined)
  const ready = deployment.state === 'ready'

  const start = useAction(async () => {
    if (!('value' in parsed)) return
    onStarted(
      await api.startRun(deployment.id, {
        inputs: parsed.value,
        ...(itemsPerDevice === undefined ? {} : { itemsPerDevice }),
      }),
    )
  })
  const cancel = useAction(async () => {
    if (running) onChanged(await api.cancelRun(running.id))
  })

  return (
    <Panel title="Run it">
      <form
        className="flex flex-col gap-3"
        onSubmit={(event) => {
          event.preventDefault()
          if (valid && ready && !running) void start.run()
        }}
      >
        <div className="grid grid-cols-[9rem_minmax(0,1fr)] items-start gap-3">
          <NumberField
            label="Items per device"
            hint="For each sensor. Empty: all there are"
            placeholder="all"
            value={items}
            onChange={setItems}
            min={1}
            max={100_000}
          />
          <Field
            label="Inputs (JSON)"
            error={error}
            hint={
              inputs.length > 0
                ? `The workflow reads ${inputs.join(', ')}. Empty: the values of inputs.json in the project.`
                : 'This workflow reads no inputs.'
            }
          >
            {(control) => (
              <textarea
                {...control}
                className={`${inputClass} h-auto! min-h-8 resize-y py-1 font-mono text-xs`}
                rows={text.includes('\n') ? 4 : 1}
                spellCheck={false}
                value={text}
                placeholder={inputs.length > 0 ? `{"${inputs[0]}": …}` : '{}'}
                onChange={(event) => setText(event.target.value)}
              />
            )}
          </Field>
        </div>
        <div className="flex flex-wrap items-center gap-2">
          <Button
            type="submit"
            look="primary"
            data-testid="run-start"
            busy={start.busy}
            disabled={!valid || !ready || running !== undefined}
          >
            {!start.busy && <Play className="size-4" aria-hidden="true" />}
            Start run
          </Button>
          <Button
            data-testid="run-cancel"
            busy={cancel.busy}
            disabled={!running}
            onClick={() => void cancel.run()}
          >
            <Square className="size-3.5" aria-hidden="true" />
            Cancel run
          </Button>
          {!ready && (
            <span className="text-xs text-muted">
              {deployment.state === 'starting'
                ? 'The deployment is starting; a run can begin when it is ready.'
                : 'This deployment is down. Deploy it again to run it.'}
            </span>
          )}
        </div>
        <ProblemNote problem={start.problem ?? cancel.problem} />
      </form>
    </Panel>
  )
}
