import type { Placement } from '@hivemind/swarm'
import type { Task, Workflow } from '@hivemind/workflow'
import { describe, expect, it } from 'vitest'
import { filesOf, task, workflowOf } from '../test/fixtures.ts'
import { containersOf, followersOf } from './co-placement.ts'
import { synthesise } from './synthesise.ts'

/** A sensor, and behind it a chain of three and a branch; `change` is laid over single tasks. */
function chain(change: Record<string, Partial<Task>> = {}, more: Partial<Workflow> = {}): Workflow {
  const tasks = [
    task('sense', {
      dataOut: 'frame',
      children: ['detect', ...(change.crop?.parents?.includes('sense') ? ['crop'] : [])],
    }),
    task('detect', { dataIn: ['frame'], dataOut: 'boxes', parents: ['sense'], children: ['crop', 'count'] }),
    task('crop', { dataIn: ['boxes'], dataOut: 'faces', parents: ['detect'], children: ['name'] }),
    task('count', { dataIn: ['boxes'], dataOut: 'number', parents: ['detect'] }),
    task('name', { dataIn: ['faces'], dataOut: 'names', parents: ['crop'] }),
  ].map((each) => ({ ...each, ...change[each.name] }))
  const workflow = workflowOf(tasks)
  const data = workflow.data.map((each) =>
    each.name === 'frame' ? { ...each, declared: true, kind: 'stream' as const } : each,
  )
  return { ...workflow, data, ...more }
}

const inCloud: Placement = { sense: 'edge', detect: 'cloud', crop: 'cloud', count: 'cloud', name: 'cloud' }

const planOf = (workflow: Workflow, placement: Placement, handOver?: 'co-placed' | 'store') =>
  synthesise({ name: 'faces', workflow, placement, files: filesOf(workflow), ...(handOver && { handOver }) })
    .plan

const containers = (workflow: Workflow, placement = inCloud) =>
  containersOf(planOf(workflow, placement, 'co-placed')).map((tasks) => tasks.map(({ name }) => name))

describe('co-placed tasks', () => {
  it('share a container with the only parent they read', () => {
    expect(containers(chain())).toEqual([['detect', 'crop', 'count', 'name']])
    const plan = planOf(chain(), inCloud, 'co-placed')
    expect(followersOf(plan, 'detect').map(({ name }) => name)).toEqual(['crop', 'count', 'name'])
    expect(followersOf(plan, 'crop').map(({ name }) => name)).toEqual(['name'])
    expect(followersOf(plan, 'name')).toEqual([])
  })

  it('have a container each where data goes through a store', () => {
    for (const handOver of [undefined, 'store'] as const)
      expect(containersOf(planOf(chain(), inCloud, handOver)).map((tasks) => tasks.length)).toEqual([
        1, 1, 1, 1,
      ])
  })

  it('are asked for by no plan whose functions are on other tiers', () => {
    expect(containers(chain(), { ...inCloud, detect: 'edge' })).toEqual([['crop', 'name'], ['count']])
    expect(containers(chain(), { ...inCloud, crop: 'edge-node' })).toEqual([
      ['detect', 'count'],
      ['crop'],
      ['name'],
    ])
  })

  it('share one where what they read is of several tasks in it', () => {
    const join: Partial<Task> = { dataIn: ['boxes', 'faces'], parents: ['detect', 'crop'] }
    const change = { detect: { children: ['crop', 'count', 'name'] }, name: join }
    expect(containers(chain(change))).toEqual([['detect', 'crop', 'count', 'name']])
    const plan = planOf(chain(change), inCloud, 'co-placed')
    expect(followersOf(plan, 'detect').map(({ name }) => name)).toEqual(['crop', 'count', 'name'])
    // called by itself, a task has but one of the two
    expect(followersOf(plan, 'crop')).toEqual([])
    // two that are apart have no container in common
    expect(containers(chain(change), { ...inCloud, detect: 'edge' })).toEqual([['crop'], ['count'], ['name']])
  })

  const apart: [string, Partial<Task>, Partial<Workflow>?][] = [
    ['wait for all devices', { directives: { synchronize: { kind: 'all' } } }],
    ['keep state', { args: { state: 'device' } }],
    ['have a core of their own', { directives: { isolate: true } }],
    ['go before others', { directives: { schedule: { priority: 5 } } }],
    [
      'are dropped when late',
      {
        directives: { schedule: { deadline: { value: 5, dimension: 'time', text: '5ms' }, onMiss: 'drop' } },
      },
    ],
    ['learn', { directives: { learn: 'Global' } }],
    ['read another parent as well', { dataIn: ['boxes', 'frame'], parents: ['detect', 'sense'] }],
    ['read an input of the run as well', { dataIn: ['boxes', 'settings'] }],
    ['start behind their parent and read nothing of it', { dataIn: [] }],
    ['may not overlap with another', {}, { relations: [{ kind: 'serial', a: 'count', b: 'crop' }] }],
  ]
  it.each(apart)('are apart where they %s', (_, change, more) => {
    const found = containers(chain({ crop: change }, more))
    expect(found.find((tasks) => tasks.includes('detect'))).not.toContain('crop')
    // what follows it still may
    expect(found.flat().toSorted()).toEqual(['count', 'crop', 'detect', 'name'])
  })

  it('do not follow a parent that emits many items for a call', () => {
    const found = containers(chain(), { ...inCloud, sense: 'cloud' })
    expect(found).toEqual([['sense'], ['detect', 'crop', 'count', 'name']])
  })
})
