/** Barriers and collectors: the items of every device in one list. */
import { instanceOf, loss, type Step } from './context.ts'
import type { Part } from './events.ts'
import type { CoreEdge, CoreTask } from './plan.ts'
import { ready } from './schedule.ts'
import type { Collector } from './state.ts'

export function collect(
  step: Step,
  edge: CoreEdge,
  child: CoreTask,
  target: number,
  { device, seq, part }: { device: number; seq: number; part: Part },
): void {
  const collector = instanceOf(step, target).collector as Collector
  if (collector.opened) {
    collector.late += 1
    return
  }
  collector.items[edge.slot]?.push({
    device: step.s.plan.devices[device]?.name ?? '*',
    seq,
    ref: part === null || part.kind === 'many' ? null : part.kind === 'parted' ? part.whole : part,
  })
  collector.count += 1
  const wanted = wantedBy(child)
  if (wanted !== null && collector.count >= wanted) open(step, child, collector, target)
}

/** Items after which a barrier opens; `null` when it waits for all, or where there is none. */
function wantedBy({ plan: { barrier } }: CoreTask): number | null {
  if (!barrier || barrier.kind === 'all') return null
  return barrier.kind === 'any' ? 1 : barrier.count
}

/** The barrier opens with what has come. */
function open(step: Step, child: CoreTask, collector: Collector, target: number): void {
  collector.opened = true
  ready(
    step,
    target,
    0,
    child.parents.map(
      ({ slot }): Part => ({ kind: 'many', items: sorted(step, collector.items[slot] ?? []) }),
    ),
  )
  collector.items = child.parents.map(() => [])
}

function sorted<Item extends { device: string; seq: number }>({ s }: Step, items: Item[]): Item[] {
  const rank = ({ device }: Item): number => s.plan.deviceByName.get(device) ?? -1
  return [...items].sort((a, b) => rank(a) - rank(b) || a.seq - b.seq)
}

/** No more comes for a barrier: it opens with what has come, and says how many it lacks. */
export function openShort(step: Step, child: CoreTask, target: number): void {
  const { collector } = instanceOf(step, target)
  if (!collector || collector.opened || !child.plan.barrier) return
  const short = (wantedBy(child) ?? 0) - collector.count
  if (short > 0)
    loss(
      step,
      `The barrier of '${child.plan.name}' ran ${short} ${short === 1 ? 'instance' : 'instances'} short: no more came.`,
    )
  open(step, child, collector, target)
}

/** One parent instance of a collector emits nothing more. Returns the whole list when it was the last one. */
export function endOfList(step: Step, edge: CoreEdge, child: CoreTask, target: number): Part | undefined {
  const { collector } = instanceOf(step, target)
  if (edge.mode !== 'collect' || !collector || child.plan.barrier) return undefined
  const left = (collector.open[edge.slot] ?? 0) - 1
  collector.open[edge.slot] = left
  if (left > 0) return undefined
  return { kind: 'many', items: sorted(step, collector.items[edge.slot] ?? []) }
}
