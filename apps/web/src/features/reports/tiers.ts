/** How the tiers look: labels, letters and colours of the table in `@hivemind/swarm`. */
import { TIERS, type TierRow } from '@hivemind/swarm'
import type { Tier } from '../../api/types.ts'

/** The CSS colour that a tier's colour token stands for; `styles.css` defines it. */
export const colourOf = (row: Pick<TierRow, 'colour'>): string => `var(--color-${row.colour})`

/** One value for each tier, by its id. */
const byTier = <T>(of: (row: TierRow) => T): Readonly<Record<Tier, T>> =>
  Object.fromEntries(TIERS.map((row) => [row.id, of(row)])) as Record<Tier, T>

/** Label of each tier. */
export const tierLabel = byTier((row) => row.label)
/** Letter of each tier, where a placement is a row of letters. */
export const tierLetter = byTier((row) => row.letter)
/** CSS colour of each tier. */
export const tierColour = byTier(colourOf)
/** Position of each tier in charts, from the devices upwards. */
export const tierOrder = byTier((row) => row.chartOrder)

/** What the letters stand for: `C cloud, E edge, F fabric`. */
export const letterKey: string = TIERS.map((row) => `${row.letter} ${row.label.toLowerCase()}`).join(', ')
