import { Download, Route } from 'lucide-react'
import { useMemo, useState } from 'react'
import { outputUrl } from '../../api/client.ts'
import type { RunOutput } from '../../api/types.ts'
import { Button } from '../../ui/Button.tsx'
import { InlineSelect } from '../../ui/fields.tsx'
import { Scroll } from '../../ui/Panel.tsx'
import * as format from '../reports/format.ts'
import { JsonView } from '../reports/JsonView.tsx'
import { type Headline, headlines } from './outputs.ts'

const PAGE = 12

/** The main results of a run, in large type. */
export function Headlines({ outputs, sinks }: { outputs: readonly RunOutput[]; sinks: readonly string[] }) {
  const items: Headline[] = useMemo(() => headlines(outputs, sinks), [outputs, sinks])
  if (items.length === 0) return null
  return (
    <ul className="flex flex-wrap gap-3">
      {items.map((one, n) => (
        <li key={one.task} className="min-w-36 rounded-md border border-line bg-raised px-4 py-2">
          <p className="text-xs text-muted">{one.label}</p>
          <p
            className={`font-semibold tabular-nums ${one.value.length > 14 ? 'text-lg' : 'text-4xl'}`}
            data-testid={n === 0 ? 'headline-value' : `headline-value-${one.task}`}
          >
            {one.value}
          </p>
          <p className="text-xs text-muted">
            {one.data} of {one.task}
          </p>
        </li>
      ))}
    </ul>
  )
}

/** All outputs by task, sinks first. */
export function Outputs({
  run,
  outputs,
  count,
  sinks,
  over,
  chosen,
  onChoose,
  onTrace,
}: {
  run: string
  /** The newest outputs. */
  outputs: readonly RunOutput[]
  count: number
  sinks: readonly string[]
  /** Whether the run has ended, so that no more outputs will come. */
  over: boolean
  /** The task whose outputs are shown; the first with outputs when it has none. */
  chosen: string | undefined
  onChoose: (task: string) => void
  onTrace: (output: RunOutput) => void
}) {
  const tasks = useMemo(() => {
    const all = [...new Set(outputs.map((output) => output.task))]
    return [...sinks.filter((task) => all.includes(task)), ...all.filter((task) => !sinks.includes(task))]
  }, [outputs, sinks])
  const [page, setPage] = useState(PAGE)
  const task = chosen !== undefined && tasks.includes(chosen) ? chosen : tasks[0]
  const first = count - outputs.length
  const own = outputs.flatMap((output, at) => (output.task === task ? [{ output, index: first + at }] : []))
  if (task === undefined)
    return <p className="text-sm text-muted">{over ? 'This run gave no output.' : 'No output yet.'}</p>
  return (
    <>
      {tasks.length > 1 && (
        <span className="flex items-center gap-2 text-xs text-muted">
          <InlineSelect
            label="Task"
            className="w-auto!"
            value={task}
            options={tasks.map((one) => ({ value: one, label: one }))}
            onChange={(next) => {
              onChoose(next)
              setPage(PAGE)
            }}
          />
          {format.count(own.length, 'output')}
        </span>
      )}
      <Scroll className="flex max-h-64 flex-col gap-2 overflow-auto text-[13px]" label="Output values">
        {first > 0 && (
          <p className="font-sans text-xs text-muted">
            The newest {outputs.length.toLocaleString('en-GB')} of {format.count(count, 'output')} are shown.
          </p>
        )}
        {own.slice(0, page).map(({ output, index }) => (
          <div key={index} className="rounded-md border border-line p-2 font-mono text-xs">
            <p className="mb-1 flex flex-wrap items-baseline gap-2 font-sans text-xs text-muted">
              <span>
                {output.data}
                {output.device === '*' ? ', whole swarm' : `, ${output.device}`}, item {output.seq}
              </span>
              <button
                type="button"
                className="inline-flex items-center gap-1 underline"
                data-testid={`output-trace-${output.task}`}
                onClick={() => onTrace(output)}
              >
                <Route className="size-3.5" aria-hidden="true" />
                Trace
              </button>
              {output.persisted && (
                <a
                  className="inline-flex items-center gap-1 underline"
                  href={outputUrl(run, index)}
                  download
                  data-testid="output-download"
                >
                  <Download className="size-3.5" aria-hidden="true" />
                  Download
                  {output.bytes === undefined ? '' : ` (${format.bytes(output.bytes)})`}
                </a>
              )}
            </p>
            <JsonView value={output.value} name={output.data} />
          </div>
        ))}
        {own.length > page && (
          <Button className="self-start" onClick={() => setPage((old) => old + 4 * PAGE)}>
            Show more ({(own.length - page).toLocaleString('en-GB')} left)
          </Button>
        )}
      </Scroll>
    </>
  )
}
