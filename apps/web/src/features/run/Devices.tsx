import { useMemo } from 'react'
import { Badge } from '../../ui/feedback.tsx'
import { useFirst } from '../../ui/useFirst.tsx'
import * as format from '../reports/format.ts'
import { devicesAt } from './devices.ts'
import type { RunView } from './runState.ts'
import type { SpanKey } from './trace/trace.ts'

const tone = { up: 'ok', lost: 'danger', respawned: 'warn' } as const
const MAX_ROWS = 24

/** The devices of a run: what each has done so far and whether it is lost; below, what happened to them. */
export function Devices({
  view,
  at,
  onTrace,
}: {
  view: RunView
  /** As it was then, in ms since 1970. */
  at: number | undefined
  onTrace: (item: SpanKey) => void
}) {
  const devices = useMemo(() => devicesAt(view, at), [view, at])
  const { first, more } = useFirst(devices, MAX_ROWS)
  return (
    <>
      {devices.length === 0 && <p className="text-sm text-muted">No device has done anything yet.</p>}
      <ul
        className="grid grid-cols-[repeat(auto-fill,minmax(13rem,1fr))] gap-2 text-sm"
        data-testid="devices"
      >
        {first.map(({ device, state, done, running, last }) => (
          <li key={device} className="flex min-w-0 flex-col gap-1 rounded-md border border-line px-3 py-2">
            <span className="flex items-center gap-2">
              <span className="min-w-0 truncate font-medium" title={device}>
                {device}
              </span>
              <Badge tone={tone[state]}>{state}</Badge>
            </span>
            <span className="text-xs text-muted" data-testid={`device-work-${device}`}>
              {running.length > 0 ? `runs ${running.join(', ')}` : 'idle'}; {format.count(done, 'invocation')}{' '}
              done
            </span>
            {last && (
              <button
                type="button"
                className="self-start text-xs font-medium underline"
                data-testid={`device-trace-${device}`}
                onClick={() => onTrace(last)}
              >
                Trace its last item
              </button>
            )}
          </li>
        ))}
      </ul>
      {more}
      {view.devices.length === 0 ? (
        <p className="text-sm text-muted">No device was lost or came back during this run.</p>
      ) : (
        <ol className="flex flex-col gap-1 text-sm">
          {view.devices.map((event) => (
            <li
              key={`${event.at} ${event.device} ${event.state}`}
              className="flex flex-wrap items-baseline gap-2"
            >
              <span className="w-20 text-xs text-muted tabular-nums">
                {view.startedAt > 0 ? `+${format.time(Math.max(0, event.at - view.startedAt))}` : ''}
              </span>
              <span className="font-medium">{event.device}</span>
              <Badge tone={tone[event.state]}>{event.state}</Badge>
              <span>{event.message}</span>
            </li>
          ))}
        </ol>
      )}
    </>
  )
}
