/** How cloud functions hand data over: which ways a fleet knows, and the fleet with another one. */
import type { Fleet, HandOverKind } from './fleet.ts'

/** The ways that a fleet knows, its own first. */
export function handOversOf({ cloud }: Fleet): HandOverKind[] {
  return [cloud.handOver.kind ?? 'store', ...(cloud.otherHandOvers ?? []).map(({ kind }) => kind)]
}

/**
 * The fleet whose cloud functions hand data over in this way.
 * @throws RangeError when the fleet does not know it, naming those it knows
 */
export function withHandOver(fleet: Fleet, kind: string): Fleet {
  const { cloud } = fleet
  if ((cloud.handOver.kind ?? 'store') === kind) return fleet
  const other = cloud.otherHandOvers?.find((each) => each.kind === kind)
  if (!other)
    throw new RangeError(
      `Fleet '${fleet.name}' knows no hand-over '${kind}'; it knows ${handOversOf(fleet).join(', ')}.`,
    )
  const { fixedMs, bandwidthMBps } = other
  return { ...fleet, cloud: { ...cloud, handOver: { kind: other.kind, fixedMs, bandwidthMBps } } }
}

/** Whether there is a target that hands data over so: the local one does through its gateway, a third party as a store is. */
export function isDeployable(kind: HandOverKind): boolean {
  return kind === 'store'
}
