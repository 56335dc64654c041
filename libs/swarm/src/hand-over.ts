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

/** Whether some target can deploy this kind of hand-over. The local target hands data over through the service, which acts as a store. */
export function isDeployable(kind: HandOverKind): boolean {
  return kind === 'store'
}
