import { expect, test } from 'vitest'
import { patternOf } from './filters.ts'
import { RetainedMessages } from './retained.ts'
import { Subscriptions } from './subscriptions.ts'

const ones = (filter: string, topics: string[]) => topics.filter((topic) => patternOf(filter).test(topic))

test('a filter names the topics that MQTT says', () => {
  const topics = ['a', 'a/b', 'a/b/c', 'a//c', 'aXb', '$SYS/b', 'a.b/c']
  expect(ones('a/+', topics)).toEqual(['a/b'])
  expect(ones('a/+/c', topics)).toEqual(['a/b/c', 'a//c'])
  expect(ones('a/#', topics)).toEqual(['a', 'a/b', 'a/b/c', 'a//c'])
  expect(ones('#', topics)).toEqual(topics.filter((topic) => !topic.startsWith('$')))
  expect(ones('+/b', topics)).toEqual(['a/b'])
  expect(ones('$SYS/+', topics)).toEqual(['$SYS/b'])
  expect(ones('a.b/+', topics)).toEqual(['a.b/c'])
})

test('a message goes to each that has subscribed to its topic, and is done when all have it', () => {
  const subscriptions = new Subscriptions<{ topic: string }>()
  const log: string[] = []
  const waiting: (() => void)[] = []
  const on = (filter: string, name: string) => {
    const deliver = (packet: { topic: string }, done: () => void) => {
      log.push(`${name} ${packet.topic}`)
      waiting.push(done)
    }
    subscriptions.on(filter, deliver)
    return deliver
  }
  const first = on('f/1/down', 'one')
  on('f/1/down', 'two')
  on('f/+/down', 'all')
  on('f/2/down', 'other')
  const end = () => log.push('done')
  subscriptions.emit({ topic: 'f/1/down' }, end)
  expect(log.splice(0)).toEqual(['one f/1/down', 'two f/1/down', 'all f/1/down'])
  waiting.shift()?.()
  waiting.shift()?.()
  expect(log).toEqual([])
  waiting.shift()?.()
  expect(log.splice(0)).toEqual(['done'])
  subscriptions.emit({ topic: 'g' }, end)
  expect(log.splice(0)).toEqual(['done'])
  subscriptions.removeListener('f/1/down', first)
  subscriptions.emit({ topic: 'f/1/down' }, end)
  expect(log).toEqual(['two f/1/down', 'all f/1/down'])
})

test('the last message of a topic is kept until an empty one comes, without the buffer it was read into', async () => {
  const retained = new RetainedMessages()
  const read = Buffer.alloc(1_000_000, 'x')
  await retained.storeRetained({ topic: 'f/1/state', payload: Buffer.from('old') })
  await retained.storeRetained({ topic: 'f/1/state', payload: read.subarray(0, 3) })
  await retained.storeRetained({ topic: 'f/2/state', payload: Buffer.from('two') })
  const kept = (...filters: string[]) =>
    retained.matching(filters).map(({ topic, payload }) => `${topic} ${payload}`)
  expect(kept('f/1/state')).toEqual(['f/1/state xxx'])
  expect(retained.matching(['f/1/state'])[0]?.payload.buffer).not.toBe(read.buffer)
  expect(kept('f/+/state')).toEqual(['f/1/state xxx', 'f/2/state two'])
  await retained.storeRetained({ topic: 'f/1/state', payload: Buffer.alloc(0) })
  expect(kept('f/1/state', 'f/2/state')).toEqual(['f/2/state two'])
})
