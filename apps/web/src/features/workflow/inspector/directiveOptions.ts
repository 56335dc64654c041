/** What can be chosen for the directives of tasks. */
import type { FleetSummary } from '../../../api/types.ts'

export const restores = [
  ['', 'Respawn (default)'],
  ['respawn', 'Respawn'],
  ['repartition', 'Repartition to other devices'],
  ['checkpoint', 'From the last checkpoint'],
  ['ignore', 'Continue without the lost work'],
] as const
export const learns = [
  ['', 'Not set'],
  ['Global', "Global: the swarm's decisions"],
  ['Device', "Device: the device's own"],
  ['Off', 'Off'],
] as const
/** Tiers for `Place`; `fixed` tasks, such as sensors, run on devices only. */
export const tiersFor = (fixed: boolean) =>
  [
    ['', fixed ? 'Anywhere on the edge' : 'Anywhere'],
    ...(fixed ? [] : [['Cloud', 'Cloud'] as const]),
    ['Edge:all', 'Edge: all devices'],
  ] as const

/** Most devices that are offered by name. The text accepts others too. */
const MAX_DEVICES = 64

/** The edge nodes of all fleets, by their names. */
export const edgeNodeNames = (fleets: readonly Pick<FleetSummary, 'edgeNodes'>[]): string[] => [
  ...new Set(fleets.flatMap(({ edgeNodes }) => edgeNodes ?? [])),
]

/**
 * Parts of the edge that `Place` can name: edge nodes, unless the task is `fixed` to devices, the classes of all fleets, and devices by
 * number as fleets count them.
 */
export function deviceGroups(fleets: readonly FleetSummary[], fixed = false) {
  const nodes = fixed ? [] : edgeNodeNames(fleets)
  const classes = [...new Set(fleets.flatMap((fleet) => fleet.classes))]
  const count = Math.min(MAX_DEVICES, Math.max(0, ...fleets.map(({ devices }) => devices)))
  return [
    ...(nodes.length > 0
      ? [
          {
            heading: 'Edge nodes',
            options: nodes.map((name) => [`Edge:${name}`, `Edge node: ${name}`] as const),
          },
        ]
      : []),
    {
      heading: 'Edge: devices of one class',
      options: classes.map((name) => [`Edge:${name}`, `Edge: ${name}`] as const),
    },
    {
      heading: 'Edge: a single device',
      options: Array.from({ length: count }, (_, index) => {
        const name = `device-${index + 1}`
        const within = fleets.filter(({ devices }) => devices > index).map((fleet) => fleet.name)
        const where = within.length === fleets.length ? '' : ` (${within.join(', ')})`
        return [`Edge:${name}`, `Edge: ${name}${where}`] as const
      }),
    },
  ]
}
