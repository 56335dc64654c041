import { expect, test } from 'vitest'
import { onEdgeNode } from './edge-nodes.ts'

// as Knative 1.15 and Kubernetes say it: `edge-nodes.slow.cluster.test.ts` has them from a cluster
test.each([
  [
    'The cluster refused to write Service: must not set the field(s): spec.template.spec.nodeSelector',
    /set kubernetes\.podspec-nodeselector to 'enabled' in ConfigMap config-features/,
  ],
  [
    "The function 'a@gate-2' does not get ready: 0/1 nodes are available: 1 node(s) didn't match Pod's node affinity/selector.",
    /only on nodes that are edge node 'gate-2'.* label the one that is to be \(kubectl label node NODE edge-node\.hivemind\.dev\/gate-2=true\), or deploy with fewer/,
  ],
])('%s', (said, mended) => {
  const error = onEdgeNode(new Error(said), 'gate-2')
  expect(error.message.split('\n')[0]).toBe(said)
  expect(error.message).toMatch(mended)
})

test('what has nothing to do with edge nodes stays as it is', () => {
  const error = new Error('The cluster did not answer.')
  expect(onEdgeNode(error, 'gate-2')).toBe(error)
})
