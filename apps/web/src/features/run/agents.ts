/** The devices of a deployment, as text. */
import type { NewDeployment } from '../../api/types.ts'
import * as format from '../reports/format.ts'

/**
 * `2 edge agents`, the number of each device class when the deployment names classes, and the names of the devices of other
 * machines.
 */
export function agentsText({
  agents,
  classes,
  devices = [],
}: Pick<NewDeployment, 'agents' | 'classes' | 'devices'>): string {
  const ofClasses = Object.entries(classes ?? {}).map(([name, count]) => `${format.whole(count)} ${name}`)
  return [
    ...devices,
    ...(ofClasses.length > 0 ? [`edge agents: ${ofClasses.join(', ')}`] : []),
    ...(ofClasses.length + devices.length === 0 ? [format.count(agents ?? 2, 'edge agent')] : []),
  ].join(', ')
}
