import type { Plan, PlanTask } from '@hivemind/synthesis'
import { expect, test } from 'vitest'
import { anyDevices } from '../index.ts'
import { coresOfDevice, MachineCores, recordOf } from './cores.ts'

const planOf = (tasks: Record<string, 'edge' | 'cloud'>, isolated: string[]): Plan =>
  ({
    tasks: Object.entries(tasks).map(
      ([name, tier]) => ({ name, tier, isolate: isolated.includes(name) }) as unknown as PlanTask,
    ),
  }) as unknown as Plan
const plan = planOf({ look: 'edge', find: 'edge', count: 'cloud' }, ['find', 'count'])

test('isolated tasks of several agents and functions of one machine never share a core', () => {
  const cores = new MachineCores([0, 1, 2, 3, 4, 5, 6, 7])
  const assignment = cores.assign('a', ['count'], plan, anyDevices(2))
  expect(assignment.isolated.get('count')).toBe(7)
  expect(coresOfDevice(assignment, plan, 'device-1').cores?.isolated).toEqual({ find: 6 })
  expect(coresOfDevice(assignment, plan, 'device-2').cores?.isolated).toEqual({ find: 5 })
  expect(assignment.shared).toEqual([0, 1, 2, 3, 4])
})

test('a deployment beside another gets none of its cores, and they are free when it has ended', () => {
  const cores = new MachineCores([0, 1, 2, 3, 4, 5])
  cores.assign('a', ['count'], plan, anyDevices(2))
  const small = planOf({ find: 'edge' }, ['find'])
  const second = cores.assign('b', [], small, anyDevices(2))
  expect([...second.isolated.values(), ...second.shared].sort()).toEqual([0, 1, 2])
  expect(second.isolated.size).toBe(2)
  expect(cores.assign('c', [], small, anyDevices(1))).toEqual({ isolated: new Map(), shared: [0] })
  cores.release('a')
  expect([...cores.assign('c', [], small, anyDevices(1)).isolated.values()]).toEqual([5])
})

test('what follows a deployment keeps the cores of its group', () => {
  const cores = new MachineCores([0, 1, 2])
  const before = cores.assign('a', ['count'], plan, anyDevices(1))
  expect(before.isolated.size).toBe(2)
  expect(cores.assign('a', ['count'], plan, anyDevices(1))).toEqual(before)
  cores.assign('a', [], planOf({ find: 'edge' }, ['find']), anyDevices(1))
  cores.restore('a', before)
  expect(cores.assign('b', ['count'], plan, anyDevices(1))).toEqual({ isolated: new Map(), shared: [0] })
})

test('after a restart each deployment has the cores it had, in whatever order they are attached', () => {
  const before = new MachineCores([0, 1, 2, 3, 4, 5])
  const small = planOf({ find: 'edge' }, ['find'])
  const first = before.assign('a', [], small, anyDevices(1))
  const second = before.assign('b', [], small, anyDevices(2))
  const kept = JSON.parse(JSON.stringify({ a: recordOf(first), b: recordOf(second) }))

  const after = new MachineCores([0, 1, 2, 3, 4, 5])
  expect(after.attach('b', kept.b)).toEqual(second)
  expect(after.attach('a', kept.a)).toEqual(first)
  expect([...after.assign('c', [], small, anyDevices(1)).isolated.values()]).toEqual([2])
})

test('cores that the machine does not have any more, or that another deployment has, are not taken again', () => {
  const kept = recordOf(new MachineCores([0, 1, 2, 3]).assign('a', ['count'], plan, anyDevices(1)))
  expect(kept.isolated).toEqual({ count: 3, 'device-1/find': 2 })
  expect(new MachineCores([0, 1]).attach('a', kept)).toBeUndefined()
  const cores = new MachineCores([0, 1, 2, 3])
  cores.assign('b', [], planOf({ find: 'edge' }, ['find']), anyDevices(1))
  expect(cores.attach('a', kept)).toBeUndefined()
  expect(cores.attach('a', undefined)).toBeUndefined()
})

test('with too few cores for all of them nobody has one, and agents are told so', () => {
  const assignment = new MachineCores([0, 1]).assign('a', ['count'], plan, anyDevices(2))
  expect(coresOfDevice(assignment, plan, 'device-2')).toEqual({ cores: { isolated: {}, shared: [0, 1] } })
  expect(coresOfDevice(assignment, planOf({ look: 'edge' }, []), 'device-2')).toEqual({})
})
