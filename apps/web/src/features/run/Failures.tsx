import type { Workflow } from '@hivemind/workflow'
import { Route } from 'lucide-react'
import type { RunOutput } from '../../api/types.ts'
import { Scroll } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import type { Failure } from './failures.ts'
import { OpenCode } from './OpenCode.tsx'
import { RunFromButton } from './RunFromButton.tsx'
import { Values } from './trace/SpanDetails.tsx'
import type { SpanKey } from './trace/trace.ts'
import type { RunFrom } from './useRunFrom.ts'

/** The failures of a run: what was said, where in the code, and for which item. */
export function Failures({
  failures,
  project,
  workflow,
  inputs,
  run,
  runFrom,
  onTrace,
}: {
  failures: readonly Failure[]
  project: string
  workflow: Workflow | null
  /** The kept values that an invocation took in; `undefined` when it is not known. */
  inputs: (item: SpanKey) => readonly RunOutput[] | undefined
  run: string
  runFrom: RunFrom
  onTrace: (item: SpanKey) => void
}) {
  if (failures.length === 0) return null
  return (
    <section aria-label="Failed tasks" className="flex flex-col gap-2" data-testid="run-failures">
      {failures.map((kind) => (
        <details
          key={`${kind.task} ${kind.message}`}
          open={failures.length === 1}
          className="rounded-md border border-danger bg-danger-soft px-3 py-2 text-sm"
        >
          <summary className="cursor-pointer">{kind.message}</summary>
          <div className="mt-2 flex flex-col items-start gap-2">
            <p className="text-muted">
              {format.count(kind.count, 'failure')} of <span className="font-medium">{kind.task}</span> on{' '}
              {kind.devices.map(nameOf).join(', ')}; the first was item {kind.first.seq}
              {kind.devices.length > 1 && ` of ${nameOf(kind.first.device)}`}.
            </p>
            <FirstInput kind={kind} workflow={workflow} values={inputs({ task: kind.task, ...kind.first })} />
            {kind.stack && (
              <Scroll label={`Stack of ${kind.task}`} className="max-h-60 max-w-full overflow-auto">
                <pre className="font-mono text-xs whitespace-pre-wrap">{kind.stack}</pre>
              </Scroll>
            )}
            <span className="flex flex-wrap items-center gap-4">
              <OpenCode task={kind.task} places={kind.places} project={project} workflow={workflow} />
              <button
                type="button"
                className="inline-flex items-center gap-1.5 font-medium underline"
                data-testid={`failure-trace-${kind.task}`}
                onClick={() => onTrace({ task: kind.task, ...kind.first })}
              >
                <Route className="size-4" aria-hidden="true" />
                Trace this item
              </button>
              {reads(workflow, kind.task) && (
                <RunFromButton
                  runFrom={runFrom}
                  from={{
                    run,
                    task: kind.task,
                    ...(kind.first.device !== '*' && {
                      item: { device: kind.first.device, seq: kind.first.seq },
                    }),
                  }}
                  testId={`run-again-${kind.task}`}
                />
              )}
            </span>
          </div>
        </details>
      ))}
    </section>
  )
}

/** What the item held that failed first. */
function FirstInput({
  kind: { task },
  workflow,
  values,
}: {
  kind: Failure
  workflow: Workflow | null
  values: readonly RunOutput[] | undefined
}) {
  const parents = workflow?.tasks.find(({ name }) => name === task)?.parents ?? []
  if (!values || parents.length === 0) return null
  return (
    <div className="max-w-full min-w-0 text-xs" data-testid={`failure-input-${task}`}>
      <Values
        title="Its input"
        values={values}
        none={`Not kept. Put ${parents.join(', ')} under Persist to see what ${task} was given.`}
      />
    </div>
  )
}

/** Whether a task reads data: only then there is something to run it with again. */
const reads = (workflow: Workflow | null, task: string): boolean =>
  (workflow?.tasks.find(({ name }) => name === task)?.dataIn.length ?? 0) > 0

const nameOf = (device: string): string => (device === '*' ? 'the whole swarm' : device)
