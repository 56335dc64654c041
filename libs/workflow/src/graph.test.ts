import { expect, test } from 'vitest'
import {
  ancestorsOf,
  edgesOf,
  inputsOf,
  roleOf,
  sinksOf,
  swarmWideTasks,
  type Task,
  topologicalOrder,
  type Workflow,
} from './index.ts'

const task = (
  name: string,
  dataIn: string[],
  dataOut: string | null,
  parents: string[],
  children: string[],
  more: Partial<Task> = {},
): Task => ({
  name,
  dataIn,
  dataOut,
  code: `${name}.py`,
  parents,
  children,
  args: {},
  directives: {},
  ...more,
})

/** plan -> look -> { avoid, find -> merge -> show }, in an order that is none of the graph. */
const workflow: Workflow = {
  schema: 'hivemind.workflow/1',
  tasks: [
    task('merge', ['faces'], 'people', ['find'], ['show'], { directives: { synchronize: { kind: 'all' } } }),
    task('plan', ['map'], 'route', [], ['look']),
    task('look', [], 'frames', ['plan'], ['avoid', 'find']),
    task('avoid', ['frames'], null, ['look'], []),
    task('find', ['frames'], 'faces', ['look'], ['merge']),
    task('show', ['people', 'map'], null, ['merge'], []),
  ],
  data: [],
  relations: [],
  constraints: [],
}

test('edges carry what the child reads from the parent', () => {
  expect(edgesOf(workflow)).toEqual([
    { from: 'merge', to: 'show', data: ['people'] },
    { from: 'plan', to: 'look', data: [] },
    { from: 'look', to: 'avoid', data: ['frames'] },
    { from: 'look', to: 'find', data: ['frames'] },
    { from: 'find', to: 'merge', data: ['faces'] },
  ])
})

test('parents come before children', () => {
  const order = topologicalOrder(workflow).map(({ name }) => name)
  expect(order).toEqual(['plan', 'look', 'avoid', 'find', 'merge', 'show'])
})

test('a cycle is named, and long chains are no trouble', () => {
  const ring = { ...workflow, tasks: [task('a', [], null, ['b'], ['b']), task('b', [], null, ['a'], ['a'])] }
  expect(() => topologicalOrder(ring)).toThrow("cycle through task 'a'")
  const length = 20_000
  const chain = {
    ...workflow,
    tasks: Array.from({ length }, (_, at) =>
      task(`t${at}`, [], null, at > 0 ? [`t${at - 1}`] : [], at < length - 1 ? [`t${at + 1}`] : []),
    ),
  }
  expect(topologicalOrder(chain)).toHaveLength(length)
  expect(ancestorsOf(chain, `t${length - 1}`).size).toBe(length - 1)
})

test('ancestors, inputs and sinks', () => {
  expect([...ancestorsOf(workflow, 'merge')].sort()).toEqual(['find', 'look', 'plan'])
  expect(ancestorsOf(workflow, 'plan').size).toBe(0)
  expect(ancestorsOf(workflow, 'nobody').size).toBe(0)
  expect(inputsOf(workflow)).toEqual(['map'])
  expect(sinksOf(workflow).map(({ name }) => name)).toEqual(['avoid', 'show'])
})

test('roles', () => {
  const roles = Object.fromEntries(workflow.tasks.map((one) => [one.name, roleOf(one)]))
  expect(roles).toEqual({
    merge: 'compute',
    plan: 'compute',
    look: 'sensor',
    avoid: 'compute',
    find: 'compute',
    show: 'compute',
  })
  expect(roleOf(task('arm', ['route'], null, [], [], { args: { role: 'actuator' } }))).toBe('actuator')
  expect(roleOf(task('clock', [], 'time', [], [], { args: { role: 'compute' } }))).toBe('compute')
  expect(roleOf(task('odd', [], 'time', [], [], { args: { role: 'pilot' } }))).toBe('sensor')
})

test('what is behind a barrier runs once for the swarm', () => {
  expect([...swarmWideTasks(workflow)].sort()).toEqual(['merge', 'show'])
})
