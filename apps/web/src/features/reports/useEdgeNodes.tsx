import { type ReactNode, useState } from 'react'
import type { NewDeployment } from '../../api/types.ts'
import { CountField, wholeNumber } from '../../ui/fields.tsx'
import { DeviceChoice } from './EnrolledDevices.tsx'

const MOST = 16

type Given = Pick<NewDeployment, 'edgeNodes' | 'edgeMachines'>

/**
 * The edge nodes for a deployment: how many this machine plays, or which enrolled devices they are. `field` asks for the number and says
 * what is wrong with it, `machines` for the devices, and `given` is what is sent. `given` is `undefined` while the number is wrong; there
 * is nothing to ask where the placement has no task on an edge node.
 * @param devices enrolled devices that the deployment has otherwise
 */
export function useEdgeNodes(
  placement: NewDeployment['placement'],
  devices: readonly string[],
  first: Given = {},
): { field: ReactNode; machines: ReactNode; given: Given | undefined } {
  const [text, setText] = useState(String(first.edgeNodes ?? 1))
  const [chosen, setChosen] = useState<readonly string[]>(first.edgeMachines ?? [])
  if (!Object.values(placement).includes('edge-node')) return { field: null, machines: null, given: {} }
  const machines = chosen.filter((id) => !devices.includes(id))
  const count = wholeNumber(text, 1, MOST)
  const field = (
    <div
      className="flex flex-wrap items-center gap-2 text-sm text-muted"
      title="This machine plays them. On a cluster, each is the nodes with its label."
    >
      <CountField
        label="Number of edge nodes"
        before="and"
        unit={count === 1 ? 'edge node' : 'edge nodes'}
        value={text}
        onChange={setText}
        max={MOST}
        testId="deploy-edge-nodes"
      />
      {count === undefined && (
        <span className="text-xs text-danger">Enter a whole number of edge nodes from 1 to {MOST}.</span>
      )}
    </div>
  )
  const own = count === undefined ? undefined : { edgeNodes: count }
  return {
    field: machines.length > 0 ? null : field,
    machines: (
      <DeviceChoice
        legend="Enrolled devices that are the edge nodes, instead of this machine"
        lead={machines.length > 0 ? 'with edge nodes' : 'or with edge nodes'}
        chosen={machines}
        taken={devices}
        onChoose={setChosen}
        testId="edge-machines"
      />
    ),
    given: machines.length > 0 ? { edgeMachines: [...machines] } : own,
  }
}
