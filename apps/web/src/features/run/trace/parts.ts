/** The parts of one invocation in the order in which they happened, with the queue apart. Pure. */
import { tierRow } from '@hivemind/swarm'
import type { Breakdown, Span } from '../../../api/types.ts'
import { parts as breakdownParts } from '../../reports/BreakdownBars.tsx'

export type PartKey = 'queue' | 'pace' | keyof Breakdown | 'other'

/** How each part is called and drawn. Waiting is a thin line, so that work stands out. */
export const partLooks: Record<PartKey, { label: string; colour: string; meaning: string }> = {
  queue: {
    label: 'Queue',
    colour: 'var(--color-line-strong)',
    meaning: 'Ready to run, and waiting for a free process or for earlier items',
  },
  pace: {
    label: 'Pace',
    colour: 'var(--color-line-strong)',
    meaning: 'A stream: waiting to run and between its items, which are not measured apart',
  },
  ...(Object.fromEntries(
    breakdownParts.map(({ key, label, colour }) => [
      key,
      {
        label,
        colour,
        meaning: {
          network: 'On the network',
          management: 'Starting and directing the work, without the queue',
          dataExchange: 'Handing values over between the runtime and the code',
          execution: 'The task’s own code',
        }[key],
      },
    ]),
  ) as Record<keyof Breakdown, { label: string; colour: string; meaning: string }>),
  other: { label: 'Other', colour: 'var(--color-sunken)', meaning: 'Not measured as one of the parts' },
}

/** Parts in the order of legends and tables. */
export const partKeys: readonly PartKey[] = [
  'queue',
  'pace',
  'network',
  'management',
  'dataExchange',
  'execution',
  'other',
]

/**
 * Time of each part of an invocation, in ms. The time before the start is taken out of `management`, which records it: as the
 * queue or, of an invocation that emits a stream at its own pace, as that pace.
 */
export function partsOf({ queuedAt, startedAt, endedAt, breakdown, items }: Span): Record<PartKey, number> {
  const before = Math.min(Math.max(0, startedAt - queuedAt), Math.max(0, breakdown.management))
  const [queue, pace] = items > 1 ? [0, before] : [before, 0]
  const parts = { ...breakdown, management: Math.max(0, breakdown.management - before), queue, pace }
  const known = before + parts.network + parts.management + parts.dataExchange + parts.execution
  return { ...parts, other: Math.max(0, endedAt - queuedAt - known) }
}

/** Whether a part is waiting, not work. */
export const isWaiting = (part: PartKey): boolean => part === 'queue' || part === 'pace'

/** A part as a piece of a bar; times in ms on the clock of the spans. */
export interface Piece {
  part: PartKey
  from: number
  to: number
}

/** On a device the result travels after the work; a function is called before it. */
const ORDERS = {
  device: ['queue', 'pace', 'management', 'dataExchange', 'execution', 'other', 'network'],
  called: ['queue', 'pace', 'network', 'management', 'dataExchange', 'execution', 'other'],
} as const satisfies Record<string, readonly PartKey[]>

/**
 * The bar of an invocation, from ready to run to its end. Parts that overlap in time (a stream that is sent while the code
 * goes on) are drawn shorter, in proportion, so that the bar is as long as the invocation took.
 */
export function piecesOf(span: Span): Piece[] {
  const parts = partsOf(span)
  const order = tierRow(span.tier).perDevice ? ORDERS.device : ORDERS.called
  const sum = order.reduce((all, part) => all + parts[part], 0)
  const scale = sum > 0 ? (span.endedAt - span.queuedAt) / sum : 0
  let from = span.queuedAt
  return order.flatMap((part): Piece[] => {
    const to = from + parts[part] * scale
    const piece = { part, from, to }
    from = to
    return to > piece.from ? [piece] : []
  })
}
