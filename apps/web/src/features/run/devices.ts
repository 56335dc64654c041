/** What the devices of a run have done, from its spans and events. Pure. */
import type { DeviceEvent, Span } from '../../api/types.ts'
import { isFinal, type RunView } from './runState.ts'

/** A device, as far as the run is known. */
export interface DeviceWork {
  device: string
  state: DeviceEvent['state']
  /** Invocations that have ended well. */
  done: number
  /** Tasks that it works on; known where the run is looked at in hindsight only. */
  running: string[]
  /** Its newest invocation. */
  last: Span | undefined
}

/** Every device with work of its own, by name; at `at` (ms since 1970) only what had begun by then. */
export function devicesAt(
  { spans, devices, state }: Pick<RunView, 'spans' | 'devices' | 'state'>,
  at = Number.POSITIVE_INFINITY,
): DeviceWork[] {
  const found = new Map<string, DeviceWork>()
  const of = (device: string): DeviceWork => {
    const known = found.get(device) ?? { device, state: 'up', done: 0, running: [], last: undefined }
    found.set(device, known)
    return known
  }
  for (const span of spans) {
    if (span.device === '*' || span.startedAt > at) continue
    const own = of(span.device)
    if (span.endedAt > at) {
      if (!own.running.includes(span.task)) own.running.push(span.task)
    } else if (span.status === 'ok') own.done++
    if (!own.last || span.endedAt > own.last.endedAt) own.last = span
  }
  for (const event of devices) if (event.at <= at) of(event.device).state = event.state
  if (isFinal(state) && !Number.isFinite(at)) for (const own of found.values()) own.running = []
  return [...found.values()].sort((a, b) => a.device.localeCompare(b.device, 'en', { numeric: true }))
}
