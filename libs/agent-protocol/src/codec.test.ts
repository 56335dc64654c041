import { encodeCbor } from '@hivemind/values'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  decodeBeat,
  decodeDesired,
  decodeDown,
  decodeHello,
  decodeUp,
  encode,
  MAX_PAYLOAD_BYTES,
  sizeOfMessage,
} from './codec.ts'
import type { Down, Hello, Up } from './messages.ts'
import { mayPublish, maySubscribe, parseTopic, topicOf } from './topics.ts'

const name = fc.string({ maxLength: 30 })
const seq = fc.nat()
const bytes = fc.uint8Array({ maxLength: 50 })
const ms = fc.double({ noNaN: true, noDefaultInfinity: true, min: 0, max: 1e12 })
const map = <T>(value: fc.Arbitrary<T>) =>
  fc.dictionary(
    fc.string({ minLength: 1, maxLength: 9 }).filter((key) => key !== '__proto__'),
    value,
    { maxKeys: 3, noNullPrototype: true },
  )
const ref = fc.oneof(
  fc.record({ kind: fc.constant('inline' as const), type: name, bytes }),
  fc.record({
    kind: fc.constant('stored' as const),
    pool: name,
    key: name,
    version: seq,
    size: seq,
    type: name,
  }),
)
const ranges = fc.array(
  fc
    .tuple(fc.nat(1000), fc.integer({ min: 1, max: 50 }))
    .map(([first, n]): [number, number] => [first, first + n]),
)
const span = fc.record(
  {
    worker: name,
    attempt: fc.integer({ min: 1, max: 9 }),
    queuedAt: ms,
    startedAt: ms,
    endedAt: ms,
    network: ms,
    management: ms,
    dataExchange: ms,
    execution: ms,
    bytesIn: seq,
    bytesOut: seq,
    items: seq,
    ok: fc.boolean(),
    error: name,
  },
  {
    requiredKeys: [
      'worker',
      'attempt',
      'queuedAt',
      'startedAt',
      'endedAt',
      'network',
      'management',
      'dataExchange',
      'execution',
      'bytesIn',
      'bytesOut',
      'items',
      'ok',
    ],
    noNullPrototype: true,
  },
)
const place = { run: name, lane: name, task: name, seq }

const downs: fc.Arbitrary<Down> = fc.oneof(
  fc.record({
    t: fc.constant('start' as const),
    run: name,
    deployment: name,
    lane: name,
    generation: seq,
    devices: fc.array(name),
    traceparent: name,
    inputs: map(ref),
    done: map(ranges),
    states: map(bytes),
    generators: map(fc.record({ first: seq, count: seq }, { requiredKeys: ['first'] })),
  }),
  fc.record({ t: fc.constant('item' as const), ...place, child: name, ref: fc.option(ref) }),
  fc.record({ t: fc.constant('ended' as const), run: name, lane: name, task: name, child: name }),
  fc.record({ t: fc.constant('stop' as const), run: name }),
)
const ups: fc.Arbitrary<Up> = fc.oneof(
  fc.record({
    t: fc.constant('item' as const),
    ...place,
    generation: seq,
    ref: fc.option(ref),
    at: ms,
    parts: map(ref),
  }),
  fc.record({ t: fc.constant('done' as const), ...place, generation: seq, items: seq, span, state: bytes }),
  fc.record({
    t: fc.constant('failed' as const),
    ...place,
    generation: seq,
    kind: fc.constantFrom('crash' as const, 'lost' as const),
    message: name,
    detail: name,
    items: seq,
    span,
    final: fc.boolean(),
  }),
  fc.record({
    t: fc.constant('log' as const),
    run: name,
    lines: fc.array(
      fc.record({
        at: ms,
        level: fc.constantFrom('info' as const, 'error' as const),
        source: name,
        text: name,
      }),
    ),
  }),
)
/** As plain data, for comparison: bytes become arrays. */
const plain = (value: unknown): unknown =>
  JSON.parse(
    JSON.stringify(value, (_, each) =>
      each instanceof Uint8Array || each?.type === 'Buffer' ? [...(each.data ?? each)] : each,
    ),
  )

test('frames survive the wire', () => {
  fc.assert(
    fc.property(fc.array(downs), fc.array(ups), seq, (m, u, q) => {
      const head = { b: 'b', p: 'p', n: 1, a: 0 }
      expect(plain(decodeDown(encode({ ...head, m, q, s: true })))).toEqual(plain({ ...head, m, q, s: true }))
      expect(plain(decodeUp(encode({ ...head, m: u, r: q })))).toEqual(plain({ ...head, m: u, r: q }))
    }),
  )
})

test('what is not as it must be is refused by name, and never crashes', () => {
  const frame = (m: unknown[]) => encodeCbor({ b: 'b', p: '', n: 1, a: 0, m })
  expect(() => decodeDown(frame([{ t: 'dance' }]))).toThrow('m[0].t must be one of start, item, ended, stop.')
  expect(() =>
    decodeDown(frame([{ t: 'item', run: 'r', lane: 'l', task: 't', seq: -1, ref: null }])),
  ).toThrow('m[0].seq must be a whole number')
  expect(() =>
    decodeDown(
      frame([
        {
          t: 'item',
          run: 'r',
          lane: 'l',
          task: 't',
          seq: 1,
          ref: { kind: 'inline', type: 'x', bytes: 'no' },
        },
      ]),
    ),
  ).toThrow('m[0].ref.bytes must be bytes.')
  expect(() => decodeDown(encodeCbor({ b: '', p: '', n: 1, a: 0, m: [] }))).toThrow('b must not be empty.')
  expect(() => decodeUp(frame([{ t: 'constructor' }]))).toThrow('m[0].t must be one of')
  expect(() => decodeBeat(encodeCbor([1]))).toThrow('must be an object')
  expect(() => decodeDesired(encodeCbor({ revision: 1.5 }))).toThrow('revision must be a whole number')
  expect(() => decodeHello(new Uint8Array(MAX_PAYLOAD_BYTES + 1))).toThrow('longer than')
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      for (const decode of [decodeDown, decodeUp, decodeHello, decodeDesired])
        try {
          decode(noise)
        } catch (error) {
          expect((error as Error).name).toBe('ProtocolError')
        }
    }),
  )
})

test('fields of later versions are left out, optional ones may be null', () => {
  const hello: Hello = {
    device: 'd',
    class: 'c',
    version: '1',
    boot: 'b',
    runtimes: ['node'],
    cores: 2,
    memoryMB: 100,
  }
  expect(decodeHello(encodeCbor({ ...hello, pid: null, later: 1 }))).toEqual(hello)
})

test('a message is about as large as estimated', () => {
  fc.assert(
    fc.property(fc.oneof(downs, ups), (message) => {
      const bytes = encode({ b: 'b', p: 'p', n: 1, a: 0, m: [message] as Down[] }).length
      expect(bytes).toBeLessThan(sizeOfMessage(message) * 3 + 2_000)
    }),
  )
})

test('a device may use its own topics only', () => {
  expect(topicOf('f', 'd', 'up')).toBe('hive/1/f/d/up')
  expect(parseTopic('hive/1/f/d/up')).toEqual({ fleet: 'f', device: 'd', channel: 'up' })
  for (const topic of [
    'hive/2/f/d/up',
    'hive/1/f/d/other',
    'hive/1/f/d/up/x',
    'hive/1/f//up',
    'hive/1/f/+/up',
    'a/b',
  ])
    expect(parseTopic(topic)).toBeNull()
  expect(mayPublish('f', 'd', 'hive/1/f/d/up')).toBe(true)
  for (const topic of ['hive/1/f/d/down', 'hive/1/f/e/up', 'hive/1/g/d/up'])
    expect(mayPublish('f', 'd', topic)).toBe(false)
  expect(maySubscribe('f', 'd', 'hive/1/f/d/down')).toBe(true)
  for (const filter of ['hive/1/f/+/down', '#', 'hive/1/f/d/#', 'hive/1/f/e/down', 'hive/1/f/d/up'])
    expect(maySubscribe('f', 'd', filter)).toBe(false)
})
