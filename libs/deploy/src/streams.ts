/** When the items of sensors come on the local target, as the spans of real runs show it. */
import type { Span } from '@hivemind/orchestrator'
import type { Task } from '@hivemind/workflow'
import { medianOf } from './median.ts'

/** What the cores of this machine did in a run. */
export interface Cores {
  cores: number
  elapsedMs: number
  /** Jobs of others, on average. */
  others: number
  /** Work of all processes of the deployment, in ms. */
  workMs: number
  /** Of the time in which the processes that handle calls (agents, and the one that deploys) had work, the share with a core. */
  onCore: number
}

/** A run whose calls are to be known. */
export interface Shown {
  spans: readonly Span[]
  cores: Cores
}

/** When the items of a sensor come, in ms: medians over devices and runs. */
export interface Stream {
  /** After the input of the sensor. */
  begin: { afterMs: number; spreadMs: number }
  gapMs: number
  /** From the last item to the end of the stream, of which its code is asked when the next item is due. */
  endMs: number
}

/** The streams of a sensor in these runs, as a task that reads them on its device sees them; null when none had two items. */
export function streamOf({ name, children }: Task, runs: readonly Shown[], devices: number): Stream | null {
  const streams = runs.flatMap(({ spans }) => {
    const reader = children.find((child) => spans.some(({ task }) => task === child))
    return spans
      .filter(({ task }) => task === name)
      .map((sensor) => ({
        sensor,
        at: spans
          .filter(({ task, device, attempt }) => task === reader && device === sensor.device && attempt === 1)
          .map(({ queuedAt }) => queuedAt)
          .sort((a, b) => a - b),
      }))
      .filter(({ at }) => at.length > 1)
  })
  if (streams.length === 0) return null
  const median = (of: (stream: (typeof streams)[number], first: number, last: number) => number): number =>
    medianOf(streams.map((stream) => Math.max(0, of(stream, stream.at[0] ?? 0, stream.at.at(-1) ?? 0))))
  return {
    begin: {
      afterMs: median(({ sensor }, first) => first - sensor.queuedAt),
      spreadMs: spreadMsOf(children, runs, devices),
    },
    gapMs: median(({ at }, first, last) => (last - first) / (at.length - 1)),
    endMs: median(({ sensor }, _, last) => sensor.endedAt - last),
  }
}

/**
 * Over how many ms the devices are spread on which a sensor emits its items of one number: of n, the first and the last are
 * (n - 1) / (n + 1) of it apart on average. The median over items and runs. In the simulation the inputs of all come at about the
 * same time.
 */
function spreadMsOf(children: readonly string[], runs: readonly Shown[], devices: number): number {
  if (devices < 2) return 0
  const apart = runs.flatMap(({ spans }) => {
    const reader = children.find((child) => spans.some(({ task }) => task === child))
    const times = new Map<number, number[]>()
    for (const { task, seq, queuedAt } of spans)
      if (task === reader) times.set(seq, [...(times.get(seq) ?? []), queuedAt])
    const all = [...times.values()].filter(({ length }) => length === devices)
    return all.map((each) => Math.max(...each) - Math.min(...each))
  })
  return apart.length > 0 ? (medianOf(apart) * (devices + 1)) / (devices - 1) : 0
}
