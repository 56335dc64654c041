import { expect, test, vi } from 'vitest'
import { LABELS } from './manifests.ts'
import type { Pod } from './readiness.ts'
import { type Trouble, Troubles, troubleOf } from './troubles.ts'

type Status = NonNullable<Pod['status']>
type Container = NonNullable<Status['containerStatuses']>[number]

const pod = (status: Status, name = 'p'): Pod => ({
  metadata: { name, labels: { [LABELS.revision]: 'r-1' } },
  spec: { containers: [{ name: 'function', resources: { limits: { memory: '256Mi' } } }] },
  status,
})
const container = (more: Partial<Container>, ready = 'False'): Pod =>
  pod({
    conditions: [{ type: 'Ready', status: ready }],
    containerStatuses: [{ name: 'queue-proxy' }, { name: 'function', restartCount: 1, ...more }],
  })
const unschedulable = pod({
  conditions: [
    { type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message: '1 Insufficient memory.' },
  ],
})
const outOfMemory = { lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }
const cannotLoad = {
  lastState: { terminated: { reason: 'Error', exitCode: 3, message: 'a\nThe code is not what it was.\n' } },
}

test.each<[string, Pod, Omit<Trouble, 'message'> | undefined, RegExp | undefined]>([
  ['is ready', container({}, 'True'), undefined, undefined],
  ['is being made', container({ state: { waiting: { reason: 'ContainerCreating' } } }), undefined, undefined],
  [
    'has ended as it was asked to',
    container({ state: { terminated: { exitCode: 0 } } }),
    undefined,
    undefined,
  ],
  [
    'has no room',
    unschedulable,
    { lasting: 'for now' },
    /no node .* has room for its container: 1 Insufficient/,
  ],
  [
    'was evicted',
    pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' }),
    {},
    /its node has put its container out: The node was low on resource: memory\.$/,
  ],
  ['was out of memory', container(outOfMemory, 'True'), { memory: true }, /more memory than 256Mi/],
  [
    'cannot start its code',
    container(cannotLoad),
    { lasting: 'hopeless' },
    /ended \(Error, exit code 3\)\. The code is not what it was\.$/,
  ],
  ['has started after all', container(cannotLoad, 'True'), {}, /exit code 3/],
])('a pod that %s', (_, of, kind, message) => {
  const trouble = troubleOf(of)
  expect(trouble?.message).toEqual(message === undefined ? undefined : expect.stringMatching(message))
  const { memory, lasting } = trouble ?? {}
  expect(trouble && { ...(memory && { memory }), ...(lasting && { lasting }) }).toEqual(kind)
})

test('each trouble is told once, and one that lasts until it is over', () => {
  const told = vi.fn()
  const troubles = new Troubles(told)
  for (let times = 0; times < 3; times += 1) troubles.changed(unschedulable, false)
  expect(told).toHaveBeenCalledOnce()
  expect(troubles.lasting('r-1')?.message).toMatch(/Insufficient memory/)
  expect(troubles.lasting('r-2')).toBeUndefined()
  troubles.changed(container({}, 'True'), false)
  expect(troubles.lasting('r-1')).toBeUndefined()
  for (const restartCount of [1, 1, 2])
    troubles.changed(container({ ...outOfMemory, restartCount }, 'True'), false)
  expect(told).toHaveBeenCalledTimes(3)
})

test('who waits for a container is told that none will come, at once where that is known', () => {
  const troubles = new Troubles(() => {})
  const told = vi.fn()
  const stop = troubles.whenHopeless('r-1', told)
  troubles.changed(unschedulable, false)
  expect(told).not.toHaveBeenCalled()
  troubles.changed(container(cannotLoad), false)
  expect(told).toHaveBeenCalledExactlyOnceWith(expect.objectContaining({ lasting: 'hopeless' }))
  stop()
  troubles.changed(container({ ...cannotLoad, restartCount: 2 }), false)
  expect(told).toHaveBeenCalledOnce()
  troubles.whenHopeless('r-1', told)()
  expect(told).toHaveBeenCalledTimes(2)
})

test('what broke off a call is what happened since it began, and may come a moment after it', async () => {
  const troubles = new Troubles(() => {})
  troubles.changed(container(outOfMemory, 'True'), false)
  const began = performance.now() + 1
  const asked = troubles.since('r-1', began)
  // another pod has no room meanwhile
  troubles.changed({ ...unschedulable, metadata: { ...unschedulable.metadata, name: 'q' } }, false)
  setTimeout(() => troubles.changed(container({ ...outOfMemory, restartCount: 2 }, 'True'), false), 50)
  expect(await asked).toMatchObject({ memory: true })
  const known = troubles.since('r-1', began)
  troubles.changed(container({}), true)
  expect(await known).toMatchObject({ memory: true })
})

test('a call that no container took failed for what keeps them from starting', async () => {
  const troubles = new Troubles(() => {})
  troubles.changed(unschedulable, false)
  expect(await troubles.since('r-1', performance.now(), 150)).toMatchObject({ lasting: 'for now' })
})

test('where nothing is the matter, nothing is said', async () => {
  expect(await new Troubles(() => {}).since('r-1', 0, 150)).toBeUndefined()
})
