import { expect, test } from 'vitest'
import { conditionOf, hopelessness, type KnativeObject, type Pod } from './readiness.ts'

const object = (status: KnativeObject['status']): KnativeObject => ({
  apiVersion: 'serving.knative.dev/v1',
  kind: 'Service',
  metadata: { name: 'f' },
  status,
})
const ready = (status: string, more: { reason?: string; message?: string } = {}) => ({
  observedGeneration: 2,
  conditions: [
    { type: 'RoutesReady', status: 'True' },
    { type: 'Ready', status, ...more },
  ],
})

test.each([
  ['nothing yet', undefined, undefined, 'waiting'],
  ['not decided', ready('Unknown'), 2, 'waiting'],
  ['ready', ready('True'), 2, 'ready'],
  ['ready, of a state before', ready('True'), 3, 'waiting'],
  ['failed, of a state before', ready('False'), 3, 'waiting'],
  ['failed', ready('False', { message: 'no image' }), undefined, 'failed'],
])('an object that is %s', (_, status, generation, state) => {
  expect(conditionOf(object(status), generation).state).toBe(state)
})

test('says why it failed, also when the cluster gives a reason alone', () => {
  expect(conditionOf(object(ready('False', { message: 'no image' }))).message).toBe('no image')
  expect(conditionOf(object(ready('False', { reason: 'Missing' }))).message).toBe('Missing.')
})

type ContainerStatus = NonNullable<NonNullable<Pod['status']>['containerStatuses']>[number]
const pod = (status: Partial<ContainerStatus>): Pod => ({
  metadata: { name: 'p' },
  status: { containerStatuses: [{ name: 'queue-proxy' }, { name: 'function', ...status }] },
})
const ended = (exitCode: number, restartCount: number) =>
  pod({ restartCount, lastState: { terminated: { exitCode, reason: 'Error' } } })

test.each([
  ['is being made', pod({ state: { waiting: { reason: 'ContainerCreating' } } }), undefined],
  [
    'has no image',
    pod({ state: { waiting: { reason: 'ErrImagePull', message: 'not found' } } }),
    'ErrImagePull: not found',
  ],
  ['cannot load its code', ended(3, 1), 'its container ended (Error, exit code 3).'],
  ['ended once', ended(137, 1), undefined],
  ['ends again and again', ended(137, 3), 'its container ended (Error, exit code 137).'],
])('a container that %s', (_, of, why) => {
  expect(hopelessness(of, 'function')).toBe(why)
})
