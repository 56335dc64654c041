/** Data hand-over between cloud functions: the kinds a fleet has, and the fleet with another one. */
import type { Fleet, HandOverKind } from './fleet.ts'

/** The kinds of hand-over that a fleet has, the current one first. */
export function handOversOf({ cloud }: Fleet): HandOverKind[] {
  return [cloud.handOver.kind ?? 'store', ...(cloud.otherHandOvers ?? []).map(({ kind }) => kind)]
}

/**
 * The fleet with another kind of hand-over between cloud functions.
 * @throws RangeError when the fleet does not have this kind; the message lists those it has
 */
export function withHandOver(fleet: Fleet, kind: string): Fleet {
  const { cloud } = fleet
  if ((cloud.handOver.kind ?? 'store') === kind) return fleet
  const other = cloud.otherHandOvers?.find((each) => each.kind === kind)
  if (!other)
    throw new RangeError(
      `Fleet '${fleet.name}' knows no hand-over '${kind}'; it knows ${handOversOf(fleet).join(', ')}.`,
    )
  const { sources, ...handOver } = other
  return { ...fleet, cloud: { ...cloud, handOver } }
}

/** The kinds that targets deploy: through the service, which acts as a store, or within a container where two functions allow it. */
export const DEPLOYABLE_HAND_OVERS = ['store', 'co-placed'] as const satisfies HandOverKind[]

/** A kind of hand-over that can be deployed. */
export type DeployableHandOver = (typeof DEPLOYABLE_HAND_OVERS)[number]

/** Whether targets can deploy this kind of hand-over. */
export function isDeployable(kind: HandOverKind): kind is DeployableHandOver {
  return DEPLOYABLE_HAND_OVERS.some((each) => each === kind)
}
