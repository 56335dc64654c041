/** The shapes with which plots draw the baselines of the tiers. */
import { estimatedTiers, TIERS, type TierRow } from '@hivemind/swarm'

/** SVG path data of each shape around the origin; `size` is half its width in px. */
export const markPaths: Record<TierRow['mark'], (size: number) => string> = {
  square: (size) => `M${1 - size} ${1 - size}h${2 * size - 2}v${2 * size - 2}h${2 - 2 * size}Z`,
  diamond: (size) => `M0 ${-size} L${size} 0 L0 ${size} L${-size} 0 Z`,
  hexagon: (size) =>
    `M${-size} 0 L${-size / 2} ${-size} L${size / 2} ${-size} L${size} 0 L${size / 2} ${size} L${-size / 2} ${size} Z`,
  triangle: (size) => `M0 ${-size} L${size} ${size} L${-size} ${size} Z`,
}

/** The shape of each baseline, by its name, such as `all-cloud`. */
export const baselineMark: ReadonlyMap<string, TierRow['mark']> = new Map(
  TIERS.map((row) => [`all-${row.id}`, row.mark]),
)

/** What the shapes stand for: `square: all-cloud; diamond: all-edge`. */
export const markKey: string = estimatedTiers()
  .map((row) => `${row.mark}: all-${row.id}`)
  .join('; ')
