import type { Placement, Tier } from '../../api/types.ts'
import { tierColour, tierLabel, tierLetter } from './tiers.ts'

/** Label of a tier in the tier's colour. */
export function TierChip({ tier }: { tier: Tier }) {
  return (
    <span
      className="inline-block rounded px-1.5 text-xs font-medium text-on-tier"
      style={{ background: tierColour[tier] }}
    >
      {tierLabel[tier]}
    </span>
  )
}

/** Most tasks whose placement is shown as one square each. With more, each tier shows its number of tasks. */
export const MAX_SQUARES = 48

/** Number of tasks on each tier, in the order in which the tiers first occur. */
export function countTiers(placement: Placement, names: readonly string[]): [Tier, number][] {
  const counts = new Map<Tier, number>()
  for (const task of names) {
    const tier = placement[task] ?? 'cloud'
    counts.set(tier, (counts.get(tier) ?? 0) + 1)
  }
  return [...counts]
}

function TierCounts({ placement, names }: { placement: Placement; names: readonly string[] }) {
  return (
    <span className="inline-flex shrink-0 gap-0.5 align-middle tabular-nums">
      {countTiers(placement, names).map(([tier, count]) => (
        <span
          key={tier}
          className="rounded-xs px-1 text-[11px] leading-4 font-semibold text-on-tier"
          style={{ background: tierColour[tier] }}
        >
          {tierLabel[tier]} {count.toLocaleString('en-GB')}
        </span>
      ))}
    </span>
  )
}

/** A placement as one small square per task, in the order of `tasks`; the tooltip names task and tier. */
export function PlacementChips({ placement, tasks }: { placement: Placement; tasks: readonly string[] }) {
  const known = tasks.filter((task) => placement[task] !== undefined)
  const names = known.length > 0 ? known : Object.keys(placement)
  if (names.length > MAX_SQUARES) return <TierCounts placement={placement} names={names} />
  const description = names.map((task) => `${task}: ${tierLabel[placement[task] ?? 'cloud']}`).join(', ')
  return (
    <span
      className={`inline-flex gap-0.5 align-middle ${names.length > 16 ? 'w-56 flex-wrap' : 'shrink-0'}`}
      title={description.replaceAll(', ', '\n')}
    >
      <span className="sr-only">{description}</span>
      {names.map((task) => {
        const tier = placement[task] ?? 'cloud'
        return (
          <span
            key={task}
            aria-hidden="true"
            className="inline-grid size-4 place-items-center rounded-xs text-[10px] leading-none font-semibold text-on-tier"
            style={{ background: tierColour[tier] }}
          >
            {tierLetter[tier]}
          </span>
        )
      })}
    </span>
  )
}
