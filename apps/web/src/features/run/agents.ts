/** The devices of a deployment, as text. */
import type { NewDeployment } from '../../api/types.ts'
import * as format from '../reports/format.ts'

/**
 * `2 edge agents`, the number of each device class when the deployment names classes, and the names of the devices of other
 * machines; with the number of edge nodes, or their names, where a task of the `placement` is on one.
 */
export function agentsText({
  agents,
  classes,
  devices = [],
  placement = {},
  edgeNodes,
  edgeMachines,
}: Partial<
  Pick<NewDeployment, 'agents' | 'classes' | 'devices' | 'placement' | 'edgeNodes' | 'edgeMachines'>
>): string {
  const nodes = edgeMachines
    ? `edge nodes ${edgeMachines.join(', ')}`
    : format.count(edgeNodes ?? 1, 'edge node')
  const ofClasses = Object.entries(classes ?? {}).map(([name, count]) => `${format.whole(count)} ${name}`)
  return [
    ...devices,
    ...(ofClasses.length > 0 ? [`edge agents: ${ofClasses.join(', ')}`] : []),
    ...(ofClasses.length + devices.length === 0 ? [format.count(agents ?? 2, 'edge agent')] : []),
    ...(Object.values(placement).includes('edge-node') ? [nodes] : []),
  ].join(', ')
}
