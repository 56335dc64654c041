import { type ReactNode, useState } from 'react'
import type { NewDeployment } from '../../api/types.ts'
import { CountField, wholeNumber } from '../../ui/fields.tsx'

const MOST = 16

/**
 * The number of edge nodes for a deployment: `field` asks for it and says what is wrong with it, and `given` is what is sent.
 * `given` is `undefined` while the number is wrong; there is nothing to ask where the placement has no task on an edge node.
 */
export function useEdgeNodes(
  placement: NewDeployment['placement'],
  first = 1,
): { field: ReactNode; given: Pick<NewDeployment, 'edgeNodes'> | undefined } {
  const [text, setText] = useState(String(first))
  if (!Object.values(placement).includes('edge-node')) return { field: null, given: {} }
  const count = wholeNumber(text, 1, MOST)
  return {
    field: (
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
    ),
    given: count === undefined ? undefined : { edgeNodes: count },
  }
}
