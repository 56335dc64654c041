import { Play, Rocket, Square } from 'lucide-react'
import { useState } from 'react'
import { api } from '../../api/client.ts'
import type { DeploymentRecord, NewRun, RunRecord, UnsavedFiles } from '../../api/types.ts'
import { type Loaded, useAction } from '../../api/useLoad.ts'
import { Button } from '../../ui/Button.tsx'
import { ProblemNote } from '../../ui/feedback.tsx'
import { Field, inputClass, NumberField, wholeNumber } from '../../ui/fields.tsx'
import { Panel } from '../../ui/Panel.tsx'
import { parseInputs } from './outputs.ts'
import { staleness } from './staleness.ts'
import type { Redeploy } from './useRedeploy.ts'

/**
 * Starts a run of the deployment, and cancels the one under way. When the project is newer than what is deployed, it says
 * so and offers to deploy the project first.
 */
export function RunForm({
  project,
  deployment,
  inputs,
  running,
  trying,
  newest,
  redeploy,
  onStarted,
  onChanged,
}: {
  project: string
  deployment: DeploymentRecord
  /** Names of the workflow's inputs. */
  inputs: readonly string[]
  running: RunRecord | undefined
  /** A newer version is being tried on the runs of this deployment. */
  trying: boolean
  /** The newest version, and file changes that are in no version. Loaded again before each start. */
  newest: Loaded<UnsavedFiles>
  redeploy: Redeploy
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
  const startable = valid && ready && !running && !redeploy.busy

  const stalenessOf = (latest: UnsavedFiles | undefined): string | undefined =>
    latest && !trying ? staleness(deployment, latest) : undefined
  const stale = stalenessOf(newest.data)
  const request: NewRun | undefined =
    'value' in parsed
      ? { inputs: parsed.value, ...(itemsPerDevice === undefined ? {} : { itemsPerDevice }) }
      : undefined
  const start = useAction(async () => {
    if (!request) return
    const latest = await api.unsavedFiles(project)
    newest.set(latest)
    // Something changed since the screen was drawn: show that instead of running the old version.
    if (stalenessOf(latest) === stale) onStarted(await api.startRun(deployment.id, request))
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
          if (!startable) return
          if (stale && request) redeploy.start(request)
          else void start.run()
        }}
      >
        <div className="grid grid-cols-1 md:grid-cols-[9rem_minmax(0,1fr)] items-start gap-3">
          <NumberField
            label="Readings per device"
            term="readings"
            hint="For each sensor. Empty: all of them"
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
        {stale && (
          <p
            role="status"
            data-testid="run-stale"
            className="rounded-md border border-line-strong bg-warn-soft px-3 py-2 text-sm break-words text-warn"
          >
            {stale}
          </p>
        )}
        <div className="flex flex-wrap items-center gap-2">
          {stale && (
            <Button
              type="submit"
              look="primary"
              data-testid="redeploy-and-run"
              busy={redeploy.busy}
              disabled={!startable}
            >
              {!redeploy.busy && <Rocket className="size-4" aria-hidden="true" />}
              Redeploy and run
            </Button>
          )}
          <Button
            type={stale ? 'button' : 'submit'}
            look={stale ? 'plain' : 'primary'}
            data-testid="run-start"
            busy={start.busy}
            disabled={!startable}
            onClick={stale ? () => void start.run() : undefined}
          >
            {!start.busy && <Play className="size-4" aria-hidden="true" />}
            {stale ? `Run version ${deployment.request.version}` : 'Start run'}
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
        <ProblemNote problem={start.problem ?? redeploy.problem ?? cancel.problem} />
      </form>
    </Panel>
  )
}
