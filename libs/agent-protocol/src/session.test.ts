import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Frame, Session, SessionFull, SessionReset } from './session.ts'

const WINDOW = 8

interface Sent {
  text: string
  /** Boots of the pair it was acknowledged in. */
  outcome?: 'acknowledged' | 'reset'
}

/** One side over all its restarts: what it sent, and what it received in each pair of boots. */
class Side {
  readonly name: string
  session!: Session<string>
  boots = 0
  readonly sent: Sent[] = []
  /** Messages delivered, by `my boot < peer boot`. */
  readonly received = new Map<string, string[]>()
  readonly outbox: Frame<string>[] = []
  readonly slow: (() => void)[] = []
  connected = true
  opened: string[] = []

  constructor(name: string) {
    this.name = name
    this.restart()
  }

  restart(): void {
    this.session?.close()
    this.boots += 1
    this.slow.length = 0
    const session = new Session<string>({
      boot: `${this.name}${this.boots}`,
      deliver: (message) => {
        const pair = `${session.boot} < ${session.peer}`
        this.received.set(pair, [...(this.received.get(pair) ?? []), message])
        // every third message takes its time
        if (message.endsWith('2')) return new Promise((resolve) => this.slow.push(resolve))
      },
      onOpen: (boot, previous) => this.opened.push(`${session.boot}: ${previous} > ${boot}`),
      wake: () => {},
      windowMessages: WINDOW,
      // of every other start: fewer than the window, and now and then others
      ...(this.boots % 2 === 0 && { takes: () => 1 + (this.received.size % WINDOW) }),
      frameMessages: 3,
      resendMs: 10,
      maxResendMs: 40,
    })
    this.session = session
    if (this.connected) session.connected()
  }

  send(): void {
    const entry: Sent = { text: `${this.session.boot}-${this.sent.length}` }
    this.sent.push(entry)
    this.session.send(entry.text).then(
      () => {
        entry.outcome = 'acknowledged'
      },
      (error) => {
        expect(error).toBeInstanceOf(SessionReset)
        entry.outcome = 'reset'
      },
    )
  }

  flush(): void {
    for (const frame of this.session.frames()) {
      expect(frame.m.length).toBeLessThanOrEqual(3)
      this.outbox.push(structuredClone(frame))
    }
  }

  finishSlow(): void {
    for (const resolve of this.slow.splice(0)) resolve()
  }
}

const step = fc.oneof(
  { weight: 18, arbitrary: fc.record({ do: fc.constant('send' as const), a: fc.boolean() }) },
  {
    weight: 40,
    arbitrary: fc.record({
      do: fc.constant('carry' as const),
      a: fc.boolean(),
      /** Which of the frames under way arrives: other than 0 is reordering. */
      pick: fc.nat(4),
      fate: fc.constantFrom('arrives', 'arrives', 'arrives', 'twice', 'lost'),
    }),
  },
  {
    weight: 9,
    arbitrary: fc.record({ do: fc.constantFrom<'tick' | 'finish'>('tick', 'finish'), a: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constantFrom<'restart' | 'reconnect'>('restart', 'reconnect'),
      a: fc.boolean(),
    }),
  },
)

test('under loss, repetition, reordering and restarts each message is delivered once and in order, and every send settles', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 250, size: 'max' }), async (steps) => {
      const sides = { a: new Side('a'), b: new Side('b') }
      let now = 0
      const tick = (ms: number): number => {
        now += ms
        return now
      }
      for (const each of steps) {
        const [from, to] = each.a ? [sides.a, sides.b] : [sides.b, sides.a]
        if (each.do === 'send') from.send()
        else if (each.do === 'tick') from.session.tick(tick(15))
        else if (each.do === 'finish') from.finishSlow()
        else if (each.do === 'restart') from.restart()
        else if (each.do === 'reconnect') {
          from.session.disconnected()
          expect(from.session.frames()).toEqual([])
          from.session.connected()
        } else if (each.do === 'carry') {
          const at = Math.min(each.pick, from.outbox.length - 1)
          const frame = from.outbox[at]
          if (!frame) continue
          if (each.fate !== 'twice') from.outbox.splice(at, 1)
          if (each.fate !== 'lost') to.session.receive(structuredClone(frame))
        }
        await Promise.resolve()
        from.flush()
        to.flush()
      }
      // the network heals; what is under way arrives late
      for (let round = 0; round < 60; round += 1) {
        for (const [from, to] of [
          [sides.a, sides.b],
          [sides.b, sides.a],
        ] as const) {
          from.finishSlow()
          from.session.tick(tick(50))
          from.flush()
          for (const frame of from.outbox.splice(0)) to.session.receive(frame)
          await Promise.resolve()
          await Promise.resolve()
        }
      }
      expect(sides.a.session.peer).toBe(sides.b.session.boot)
      expect(sides.b.session.peer).toBe(sides.a.session.boot)
      for (const [from, to] of [
        [sides.a, sides.b],
        [sides.b, sides.a],
      ] as const) {
        expect(from.session.waiting).toBe(0)
        const all = [...to.received.values()].flat()
        expect(new Set(all).size).toBe(all.length)
        for (const messages of to.received.values()) {
          const numbers = messages.map((text) => Number(text.split('-')[1]))
          expect(numbers).toEqual([...numbers].sort((x, y) => x - y))
        }
        for (const { text, outcome } of from.sent) {
          expect(outcome).toBeDefined()
          if (outcome === 'acknowledged') expect(all).toContain(text)
        }
        // within a pair nothing is missing between the first and the last that was delivered
        for (const [pair, messages] of to.received) {
          const boot = pair.split(' < ')[1]
          const ofBoot = from.sent.filter((each) => each.text.startsWith(`${boot}-`)).map((each) => each.text)
          const start = ofBoot.indexOf(messages[0] ?? '')
          expect(messages).toEqual(ofBoot.slice(start, start + messages.length))
        }
      }
    }),
    { numRuns: process.env.HIVEMIND_SOAK === '1' ? 20_000 : 300 },
  )
}, 120_000)

function pair(options: { windowMessages?: number; windowBytes?: number; maxMessages?: number } = {}) {
  const delivered: string[] = []
  const make = (boot: string) =>
    new Session<string>({
      boot,
      deliver: (m) => void delivered.push(m),
      wake: () => {},
      sizeOf: (m) => m.length,
      ...options,
    })
  const a = make('a')
  const b = make('b')
  a.connected()
  b.connected()
  const exchange = () => {
    for (let round = 0; round < 6; round += 1) {
      for (const frame of a.frames()) b.receive(frame)
      for (const frame of b.frames()) a.receive(frame)
    }
  }
  return { a, b, delivered, exchange }
}

test('the window bounds what is under way, in messages and in bytes', () => {
  const { a, b, exchange } = pair({ windowMessages: 5, windowBytes: 40 })
  exchange()
  for (let index = 0; index < 20; index += 1) void a.send('12345678')
  const count = () => a.frames().reduce((sum, frame) => sum + frame.m.length, 0)
  expect(count()).toBe(5)
  expect(count()).toBe(0)
  a.connected()
  for (const frame of a.frames()) b.receive(frame)
  for (const frame of b.frames()) a.receive(frame)
  expect(a.waiting).toBe(15)
  void a.send('x'.repeat(500))
  exchange()
  expect(a.waiting).toBe(0)
})

test('a side that takes fewer messages is sent no more, and more when it takes more', () => {
  const { a, b, delivered } = pair()
  let takes = 3
  const careful = new Session<string>({
    boot: 'b',
    deliver: (m) => void delivered.push(m),
    wake: () => {},
    takes: () => takes,
  })
  b.close()
  careful.connected()
  const turn = (): number => {
    for (const frame of careful.frames()) a.receive(frame)
    const frames = a.frames()
    for (const frame of frames) careful.receive(frame)
    return frames.reduce((sum, frame) => sum + frame.m.length, 0)
  }
  for (let index = 0; index < 6; index += 1) turn()
  for (let index = 0; index < 20; index += 1) void a.send(String(index))
  expect(turn()).toBe(3)
  expect(turn()).toBe(3)
  takes = 10
  expect(turn()).toBe(10)
  takes = 1
  for (let index = 0; index < 6; index += 1) turn()
  expect(delivered).toEqual(Array.from({ length: 20 }, (_, index) => String(index)))
})

test('a full session refuses; a closed one rejects what waits', async () => {
  const { a } = pair({ maxMessages: 1 })
  const first = a.send('1')
  await expect(a.send('2')).rejects.toBeInstanceOf(SessionFull)
  a.close()
  await expect(first).rejects.toBeInstanceOf(SessionReset)
  await expect(a.send('3')).rejects.toThrow('The session is closed.')
})

test('after a reconnection lost frames are sent again without waiting for a time-out', () => {
  const { a, b, delivered, exchange } = pair()
  exchange()
  void a.send('lost')
  a.frames()
  b.disconnected()
  b.connected()
  exchange()
  expect(delivered).toEqual(['lost'])
})

test('a frame of a boot that died long ago does not end the session of the living one', () => {
  const { a, b, exchange } = pair()
  exchange()
  const dead = new Session<string>({ boot: 'dead', deliver: () => {}, wake: () => {} })
  dead.connected()
  const late = dead.frames()
  for (const frame of late) a.receive(frame)
  void a.send('still here')
  exchange()
  expect(a.peer).toBe('b')
  expect(a.waiting).toBe(0)
  expect(b.peer).toBe('a')
})

test('a message counts as handled only in the session it came in, and only when its handler has ended', async () => {
  const handlers: (() => void)[] = []
  const slow = new Session<string>({
    boot: 's',
    deliver: () => new Promise((resolve) => handlers.push(resolve)),
    wake: () => {},
  })
  const make = (boot: string) => new Session<string>({ boot, deliver: () => {}, wake: () => {} })
  const exchange = async (peer: Session<string>) => {
    for (let round = 0; round < 6; round += 1) {
      for (const frame of peer.frames()) slow.receive(frame)
      for (const frame of slow.frames()) peer.receive(frame)
      await Promise.resolve()
    }
  }
  slow.connected()
  const first = make('one')
  first.connected()
  void first.send('a').catch(() => {})
  await exchange(first)
  expect(handlers.length).toBe(1)
  const second = make('two')
  second.connected()
  void second.send('b')
  await exchange(second)
  expect(handlers.length).toBe(2)
  handlers[0]?.()
  await exchange(second)
  expect(second.waiting).toBe(1)
  handlers[1]?.()
  await exchange(second)
  expect(second.waiting).toBe(0)
})

test('two sides that each miss a frame fall silent until it is time to send again', () => {
  const sides = { a: new Side('a'), b: new Side('b') }
  const carry = (from: Side, to: Side): number => {
    from.flush()
    const frames = from.outbox.splice(0)
    for (const frame of frames) to.session.receive(frame)
    return frames.length
  }
  const exchange = (rounds: number): number => {
    let carried = 0
    for (let round = 0; round < rounds; round++) carried += carry(sides.a, sides.b) + carry(sides.b, sides.a)
    return carried
  }
  exchange(10)
  expect(sides.a.session.peer).toBe('b1')
  for (const side of [sides.a, sides.b]) {
    side.send()
    side.flush()
    side.outbox.length = 0
  }
  // What comes behind the gap is acknowledged once.
  sides.a.send()
  sides.b.send()
  exchange(3)
  expect(exchange(10)).toBe(0)
  for (const side of [sides.a, sides.b]) {
    side.session.tick(0)
    side.session.tick(20)
  }
  exchange(10)
  expect([...sides.b.received.values()].flat()).toEqual(['a1-0', 'a1-1'])
  expect([...sides.a.received.values()].flat()).toEqual(['b1-0', 'b1-1'])
})

test('an acknowledgement is urgent after four frames, and a message always', async () => {
  const woken: boolean[] = []
  const wake = (urgent: boolean): void => {
    woken.push(urgent)
  }
  const one = new Session<string>({ boot: 'one', deliver: () => {}, wake: () => {}, frameMessages: 1 })
  const two = new Session<string>({ boot: 'two', deliver: () => {}, wake })
  const exchange = (): void => {
    for (const frame of one.frames()) two.receive(frame)
    for (const frame of two.frames()) one.receive(frame)
  }
  one.connected()
  two.connected()
  for (let round = 0; round < 6; round += 1) exchange()
  expect(two.peer).toBe('one')
  woken.length = 0
  for (let n = 0; n < 5; n += 1) void one.send(String(n))
  const frames = one.frames()
  expect(frames).toHaveLength(5)
  for (const frame of frames) two.receive(frame)
  expect(woken).toEqual([false, false, false, true, true])
  exchange()
  expect(one.waiting).toBe(0)
  woken.length = 0
  void two.send('answer')
  expect(woken).toEqual([true])
})
