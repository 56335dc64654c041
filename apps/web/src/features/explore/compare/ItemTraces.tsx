import { useState } from 'react'
import { InlineSelect } from '../../../ui/fields.tsx'
import { useFirst } from '../../../ui/useFirst.tsx'
import { parts } from '../../reports/BreakdownBars.tsx'
import * as format from '../../reports/format.ts'
import { TierChip } from '../../reports/TierChip.tsx'
import { Figure } from '../charts/Figure.tsx'
import type { Distribution } from '../whatif/detail.ts'
import { spanOf, type Traced, tracedOptions, traceOf, tracesData } from './itemTraces.ts'
import { looks } from './overTime.ts'

const MAX_ROWS = 25

type Trace = Distribution['traces'][number]

/** Trace of one item in each run: every invocation that processed it, as bars on a common time line. */
export function ItemTraces({ runs }: { runs: readonly Distribution[] }) {
  const [quantile, setQuantile] = useState<Traced>('0.99')
  const selectedTraces = runs.flatMap((run, n) => {
    const trace = traceOf(run, quantile)
    return trace ? [{ id: run.id, letter: looks[n]?.letter ?? '', trace }] : []
  })
  const span = spanOf(selectedTraces.map(({ trace }) => trace))
  return (
    <Figure
      title="Trace of one item"
      data={tracesData(runs)}
      note="Each bar begins when the task's last input was produced, and ends with the task. Its parts are always drawn in the order of the legend. Time is counted from the capture of the item."
    >
      <InlineSelect
        label="Item at"
        testId="traced-item"
        className="max-w-56"
        value={quantile}
        options={tracedOptions}
        onChange={setQuantile}
      />
      <div className="grid grid-cols-1 md:grid-cols-2 gap-4" data-testid="item-traces">
        {selectedTraces.map(({ id, letter, trace }) => (
          <TraceBars key={id} letter={letter} trace={trace} span={span} />
        ))}
      </div>
    </Figure>
  )
}

function TraceBars({
  letter,
  trace: { device, capturedAtMs, latencyMs, spans },
  span: { from, to },
}: {
  letter: string
  trace: Trace
  span: { from: number; to: number }
}) {
  const share = (ms: number) => `${(100 * ms) / (to - from)}%`
  const { first, more } = useFirst(spans, MAX_ROWS)
  return (
    <div className="flex min-w-0 flex-col gap-1 text-xs">
      <p>
        <span className="font-medium">{letter}</span>: {format.time(latencyMs)}, captured by device-{device}{' '}
        at {format.time(capturedAtMs)}
      </p>
      <ul className="flex flex-col gap-1">
        {first.map((each, n) => (
          <li key={`${each.task} ${n}`} className="grid grid-cols-[9rem_1fr_4.5rem] items-center gap-2">
            <span className="flex min-w-0 items-center gap-1">
              <TierChip tier={each.tier} />
              <span className="truncate" title={each.task}>
                {each.task}
              </span>
            </span>
            <span className="flex h-2.5 bg-sunken" aria-hidden="true">
              <span style={{ width: share(each.fromMs - from) }} />
              {parts.map((part) => (
                <span
                  key={part.key}
                  title={`${part.label}: ${format.time(each[part.key])}`}
                  style={{ width: share(each[part.key]), background: part.colour }}
                />
              ))}
            </span>
            <span className="text-right tabular-nums">{format.time(each.toMs - each.fromMs)}</span>
            <span className="sr-only">
              from {format.time(each.fromMs)} to {format.time(each.toMs)};{' '}
              {parts.map((part) => `${part.label.toLowerCase()} ${format.time(each[part.key])}`).join(', ')}
            </span>
          </li>
        ))}
      </ul>
      {more}
    </div>
  )
}
