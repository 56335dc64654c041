/** Which invocations of a run can be traced. Pure. */
import type { Span } from '../../../api/types.ts'
import type { SpanKey } from './trace.ts'

/** Item numbers of the invocations, in order, by task and device. */
export type Invocations = ReadonlyMap<string, ReadonlyMap<string, readonly number[]>>

/** The invocations that there are spans of. */
export function invocationsOf(spans: readonly Span[]): Invocations {
  const found = new Map<string, Map<string, Set<number>>>()
  for (const { task, device, seq } of spans) {
    const own = found.get(task) ?? new Map<string, Set<number>>()
    found.set(task, own.set(device, (own.get(device) ?? new Set()).add(seq)))
  }
  const inOrder = (devices: Map<string, Set<number>>) =>
    new Map(
      [...devices]
        .sort(([a], [b]) => a.localeCompare(b, 'en', { numeric: true }))
        .map(([device, seqs]) => [device, [...seqs].sort((a, b) => a - b)] as const),
    )
  return new Map([...found].map(([task, devices]) => [task, inOrder(devices)]))
}

/** The wanted invocation, else the one of its task that is most like it: of the same device, else of the same item. */
export function nearest(all: Invocations, { task, device, seq }: SpanKey): SpanKey {
  const devices = all.get(task)
  const place = devices?.has(device) ? device : ([...(devices?.keys() ?? [])][0] ?? device)
  const seqs = devices?.get(place) ?? []
  return { task, device: place, seq: seqs.includes(seq) ? seq : (seqs[0] ?? seq) }
}
