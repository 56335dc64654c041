/** The edge agents of a deployment, as text. */
import type { NewDeployment } from '../../api/types.ts'
import * as format from '../reports/format.ts'

/** `2 edge agents`, or the number of each device class when the deployment names classes. */
export const agentsText = ({ agents, classes }: Pick<NewDeployment, 'agents' | 'classes'>): string =>
  classes
    ? `edge agents: ${Object.entries(classes)
        .map(([name, count]) => `${format.whole(count)} ${name}`)
        .join(', ')}`
    : format.count(agents ?? 2, 'edge agent')
