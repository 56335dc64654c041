/** Calls that a container goes on with: when the run takes what they gave, and when it calls the task itself. */
import type { CloudWork } from '@hivemind/orchestrator'
import type { FunctionStats } from '@hivemind/task-runner'
import { encodeValue, type ValueRef } from '@hivemind/values'
import { expect, test } from 'vitest'
import { NotContinued } from './client.ts'
import { HandOvers } from './hand-over.ts'

const refOf = (value: unknown): ValueRef => ({ kind: 'inline', ...encodeValue(value) }) as unknown as ValueRef

const work = (task: string, ref: ValueRef, more: Partial<CloudWork> = {}): CloudWork =>
  ({
    ...{
      id: `r/${task}`,
      run: 'r',
      task: { name: task },
      device: 'd',
      deviceIndex: 0,
      devices: ['d'],
      seq: 3,
    },
    ...{
      attempt: 1,
      inputs: { x: { kind: 'one', ref } },
      state: null,
      firstItem: 0,
      maxItems: 1,
      scatterTo: null,
    },
    ...{ traceparent: '', ...more },
  }) as CloudWork

const end = (task: string) => ({ t: 'end' as const, task, stats: { items: 1 } as FunctionStats })
const item = (task: string, value: unknown) => ({
  t: 'item' as const,
  task,
  index: 0,
  item: { value: encodeValue(value) },
})

/** A call of `a`, whose container goes on with `b` and, behind that, with `c`; its item has come. */
function begun() {
  let clock = 100
  const handOvers = new HandOvers(() => clock++)
  const chain = handOvers.begin({ device: 'd', seq: 3 }, [
    { task: 'b', after: ['a'] },
    { task: 'c', after: ['b'] },
  ])
  const ref = refOf(1)
  chain.arrived('a')
  chain.emitted('a', ref)
  return { handOvers, chain, ref }
}

/** What a call gave, and how it went. */
async function answerOf(call: ReturnType<HandOvers['take']>, signal?: AbortSignal) {
  const items: unknown[] = []
  const stats = await call?.answer({
    onItem: ({ value }) => void items.push(value),
    ...(signal && { signal }),
  })
  return { items, stats }
}

test('what a container told before or after the run asks is what the run gets', async () => {
  const { handOvers, chain, ref } = begun()
  chain.step(item('b', 'from b'))
  const b = handOvers.take(work('b', ref))
  expect(b?.handedAt).toBe(100)
  const answered = answerOf(b)
  chain.step(end('b'))
  expect(await answered).toEqual({ items: [encodeValue('from b')], stats: { items: 1 } })
  // once
  expect(handOvers.take(work('b', ref))).toBeUndefined()
})

test.each([
  ['another try', { attempt: 2 }],
  ['with state', { state: new Uint8Array(1) }],
  ['with another item', { inputs: { x: { kind: 'one' as const, ref: refOf(1) } } }],
  [
    'with more than the item',
    { inputs: { x: { kind: 'one' as const, ref: refOf(1) }, y: { kind: 'none' as const } } },
  ],
  ['of another device', { device: 'e' }],
  ['of another item', { seq: 4 }],
])('a call %s is not what the container has made', (_, more) => {
  const { handOvers, chain, ref } = begun()
  chain.step(item('b', 'from b'))
  expect(handOvers.take(work('b', ref, more))).toBeUndefined()
})

test('what the container did not go on with is to be called', async () => {
  const { handOvers, chain, ref } = begun()
  const asked = answerOf(handOvers.take(work('b', ref)))
  chain.answered()
  chain.ended()
  await expect(asked).rejects.toThrow(NotContinued)
  expect(handOvers.take(work('c', refOf(2)))).toBeUndefined()
})

test('a container that is gone fails what it had not ended, and nothing else', async () => {
  const { handOvers, chain, ref } = begun()
  chain.step(item('b', 'from b'))
  chain.step(end('b'))
  const given = refOf('from b')
  chain.emitted('b', given)
  chain.ended(new Error('the connection broke'))
  expect((await answerOf(handOvers.take(work('b', ref)))).items).toEqual([encodeValue('from b')])
  await expect(answerOf(handOvers.take(work('c', given)))).rejects.toThrow(/'c'.*the connection broke/)
})

test('a failure is that of its task', async () => {
  const { handOvers, chain, ref } = begun()
  chain.step({
    t: 'failed',
    task: 'b',
    problem: { kind: 'exception', message: 'no such thing', detail: 'at b.mjs' },
  })
  await expect(answerOf(handOvers.take(work('b', ref)))).rejects.toMatchObject({
    ...{ kind: 'exception', message: 'no such thing', detail: 'at b.mjs' },
  })
})

test('the connection ends when nobody waits for the rest, and not before its own call has ended', async () => {
  const { handOvers, chain, ref } = begun()
  const gone = new AbortController()
  const asked = answerOf(handOvers.take(work('b', ref)), gone.signal)
  gone.abort()
  await expect(asked).rejects.toMatchObject({ kind: 'cancelled' })
  expect(chain.signal.aborted).toBe(false)
  chain.answered()
  expect(chain.signal.aborted).toBe(true)

  const other = begun()
  other.chain.answered()
  expect(other.chain.signal.aborted).toBe(false)
  other.handOvers.close()
  expect(other.chain.signal.aborted).toBe(true)
})

test('a task that reads two items is the one that was called with both', async () => {
  const handOvers = new HandOvers(() => 1)
  const chain = handOvers.begin({ device: 'd', seq: 3 }, [
    { task: 'b', after: ['a'] },
    { task: 'c', after: ['a', 'b'] },
  ])
  const [a, b] = [refOf('a'), refOf('b')]
  chain.arrived('a')
  chain.emitted('a', a)
  chain.step(item('b', 'b'))
  chain.emitted('b', b)
  chain.step(item('c', 'from both'))
  chain.step(end('c'))
  const both = { x: { kind: 'one' as const, ref: a }, y: { kind: 'one' as const, ref: b } }
  expect((await answerOf(handOvers.take(work('c', a, { inputs: both })))).items).toEqual([
    encodeValue('from both'),
  ])
  expect(handOvers.take(work('c', a, { inputs: both }))).toBeUndefined()
})
