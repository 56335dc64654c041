/** Why some placements are not among the candidates, in plain words. */

const explanations: Record<string, string> = {
  pin: 'a Place directive pins the task to another tier',
  pinned: 'a Place directive pins the task to another tier',
  sensor: 'a sensor task reads the physical world, so it cannot leave its device',
  actuator: 'an actuator task acts on the physical world, so it cannot leave its device',
  'sensor-on-edge': 'a sensor task reads the physical world, so it cannot leave its device',
  'actuator-on-edge': 'an actuator task acts on the physical world, so it cannot leave its device',
  fabric: 'only network functional units can run on the fabric',
  barrier: 'a task behind a barrier needs the data of all devices, so it cannot run on one of them',
  'swarm-wide': 'a task that runs once for the whole swarm cannot run on a single device',
  'ping-pong': 'the data would go to the cloud and come back for no gain',
  equivalent: 'it behaves exactly like a placement that is among the candidates',
  memory: 'the task needs more memory than the device has',
}

/** A rule by its name as a reason; an unknown name is spelt out as words. */
export function reasonOf(rule: string): string {
  const known = Object.hasOwn(explanations, rule) ? explanations[rule] : undefined
  return (
    known ??
    rule
      .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
      .replace(/[_-]+/g, ' ')
      .toLowerCase()
  )
}

/** The rules with how many placements each removed, most first. */
export const reasons = (
  byRule: Readonly<Record<string, number>>,
): { rule: string; reason: string; count: number }[] =>
  Object.entries(byRule)
    .map(([rule, count]) => ({ rule, reason: reasonOf(rule), count }))
    .sort((a, b) => b.count - a.count || a.rule.localeCompare(b.rule))
