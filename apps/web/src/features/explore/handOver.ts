import type { HandOverKind } from '@hivemind/swarm'

/** Labels of the ways in which cloud functions hand data over. */
export const handOverLabels: Record<HandOverKind, string> = {
  store: 'Through a store',
  direct: 'By direct calls',
  'co-placed': 'In one container',
  'remote-memory': 'Remote memory',
}
