/** Reasons why placements are not among the candidates. */

const explanations: Record<string, string> = {
  'sensor-not-in-cloud': 'a sensor task reads the physical world, which is only possible on the devices',
  'actuator-not-in-cloud': 'an actuator task moves the device it runs on, so it cannot run in the cloud',
  'data-stays-on-device': 'a task that works with data that stays on the device must run there',
  'swarm-barrier-not-on-edge': 'a task that runs once for the whole swarm cannot run on a single device',
  'edge-node-not-available': 'this fleet has no edge nodes',
  'edge-node-not-for-devices': 'a sensor or an actuator works on its device, and not on an edge node',
  'edge-node-serves-others': 'a task runs for devices that no edge node serves',
  'fabric-needs-nfu': 'only a network function (nfu:…) can run on the fabric',
  'fabric-not-available': 'this fleet has no fabric',
  'fabric-not-for-devices': 'a sensor or an actuator works on its device, and not on the fabric',
  'fabric-needs-window': 'the fabric gives one summary for each window, of 1 to 65,535 readings',
  'fabric-has-too-few-boards':
    'a board of the fabric runs one network function, and there are more functions than boards',
  'fabric-has-too-few-places': 'there are more devices than a board keeps windows for',
  'search-limit': 'there are too many placements to list; the search kept those that can be on the front',
  cancelled: 'the exploration was cancelled before they were simulated',
  pin: 'a Place directive pins the task to another tier',
}

/** The reason for a rule's name. An unknown name is split into words. */
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

/** The rules with the number of placements that each removed, largest first. */
export const reasons = (
  byRule: Readonly<Record<string, number>>,
): { rule: string; reason: string; count: number }[] =>
  Object.entries(byRule)
    .map(([rule, count]) => ({ rule, reason: reasonOf(rule), count }))
    .sort((a, b) => b.count - a.count || a.rule.localeCompare(b.rule))
