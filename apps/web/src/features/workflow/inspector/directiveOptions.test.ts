import { check } from '@hivemind/dsl'
import { expect, test } from 'vitest'
import type { FleetSummary } from '../../../api/types.ts'
import { graphBuilder } from '../canvas/graph.ts'
import { deviceGroups, edgeNodeNames } from './directiveOptions.ts'

const fleet = (name: string, classes: string[], edgeNodes?: string): FleetSummary => ({
  name,
  label: name,
  devices: 2,
  classes,
  ...(edgeNodes === undefined ? {} : { edgeNodes }),
  handOvers: [],
  own: true,
})
const fleets = [
  fleet('air', ['drone']),
  fleet('field', ['sensor'], 'gateway'),
  fleet('hill', ['sensor'], 'gateway'),
]

test('the edge nodes of fleets can be chosen by name, but not for what works on devices only', () => {
  expect(edgeNodeNames(fleets)).toEqual(['gateway'])
  expect(deviceGroups(fleets)[0]).toEqual({
    heading: 'Edge nodes',
    options: [['Edge:gateway', 'Edge node: gateway']],
  })
  expect(deviceGroups(fleets, true).map(({ heading }) => heading)).not.toContain('Edge nodes')
  expect(deviceGroups([fleet('air', ['drone'])]).map(({ heading }) => heading)).not.toContain('Edge nodes')
})

test('the canvas shows a task that is pinned to edge nodes as one of theirs', () => {
  const { workflow } = check(
    "TaskGraph(list=['a', 'b'])\nTask(a, None, x, 'a.py', childTask=['b'])\nTask(b, x, y, 'b.py', parentTask=['a'])\nPlace(b, 'Edge:gateway')\n",
  )
  if (!workflow) throw new Error('the text has no workflow')
  const pinOf = (names: string[]) => graphBuilder().dataOf(workflow, [], {}, names).get('b')?.pin
  expect(pinOf(['gateway'])).toEqual({ tier: 'edge-node', label: 'gateway' })
  expect(pinOf([])).toEqual({ tier: 'edge', label: 'gateway' })
})
