import { deviceCount, type Fleet, handOversOf, withDevices, withHandOver } from '@hivemind/swarm'
import { canonical } from '@hivemind/workflow'
import type { Exploration } from '../../api/types.ts'

/** What has become of the fleet of an exploration, as a sentence; `undefined` when it is as it was, or was not kept. */
export function fleetChange(
  { fleet: name, fleetUsed, devices, handOver }: Exploration['inputs'],
  now: Fleet | undefined,
): string | undefined {
  if (!fleetUsed) return undefined
  if (!now)
    return `The fleet '${name}' is no longer in this project. These figures are for the copy that this exploration keeps.`
  const sized = deviceCount(now) === devices ? now : withDevices(now, devices)
  const asExplored =
    handOver !== undefined && handOversOf(sized).includes(handOver) ? withHandOver(sized, handOver) : sized
  if (canonical(figuresOf(asExplored)) === canonical(figuresOf(fleetUsed))) return undefined
  return `The fleet '${name}' was changed since. These figures are for the fleet as it was: explore again to see those of now.`
}

/** Without descriptions and sources, which change no figure. */
const figuresOf = (fleet: Fleet): unknown =>
  JSON.parse(
    JSON.stringify(fleet, (key, each: unknown) => (key === 'sources' || key === 'label' ? undefined : each)),
  )
