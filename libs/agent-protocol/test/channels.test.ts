import { type ChildProcess, spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import mqtt from 'mqtt'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Desired, type Down, encode, SessionReset, topicOf, type Up } from '../src/index.ts'
import { DeviceChannel, type DeviceChannelOptions, ServiceChannel } from '../src/node/index.ts'
import { brokers, FLEET, passwordOf, type TestBroker, until } from './brokers.ts'

const deviceProgram = fileURLToPath(new URL('./device.ts', import.meta.url))
const up = (seq: number): Up => ({
  t: 'item',
  run: 'r',
  lane: 'd1',
  task: 'cam',
  seq,
  generation: 1,
  ref: null,
  at: seq,
})
const down = (seq: number): Down => ({
  t: 'item',
  run: 'r',
  lane: 'd1',
  task: 'plan',
  child: 'cam',
  seq,
  ref: null,
})
const seqs = (messages: (Up | Down)[]): number[] =>
  messages.map((each) => (each.t === 'item' ? each.seq : -1))
const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index)

describe.each(brokers)('over %s', (_, startTestBroker) => {
  let broker: TestBroker
  const open: { close(): Promise<void> }[] = []
  const children: ChildProcess[] = []

  beforeEach(async () => {
    broker = await startTestBroker()
  })
  afterEach(async () => {
    for (const child of children.splice(0)) child.kill('SIGKILL')
    await Promise.all(open.splice(0).map((each) => each.close()))
    await broker.stop()
  })

  function service(boot = 's1', whenTaken: () => Promise<void> | undefined = () => undefined) {
    const seen = {
      up: [] as Up[],
      presence: [] as string[],
      hellos: [] as string[],
      sessions: [] as string[],
      beats: 0,
      log: [] as string[],
    }
    const channel = new ServiceChannel({
      openLink: broker.openLink(`service-${boot}`),
      fleet: FLEET,
      boot,
      onMessage: (_device, message) => {
        seen.up.push(message)
        return whenTaken()
      },
      onPresence: (device, online) => seen.presence.push(`${device} ${online ? 'online' : 'gone'}`),
      onHello: (device, hello) => seen.hellos.push(`${device} ${hello.boot}`),
      onSession: (device, peer, previous) => seen.sessions.push(`${device} ${previous || '-'} > ${peer}`),
      onBeat: () => {
        seen.beats += 1
      },
      log: (_level, line) => seen.log.push(line),
    })
    open.push(channel)
    return { channel, seen }
  }

  function device(boot: string, options: Partial<DeviceChannelOptions> = {}) {
    const seen = {
      down: [] as Down[],
      desired: [] as Desired[],
      connection: [] as string[],
      sessions: [] as string[],
      log: [] as string[],
      displaced: false,
    }
    const channel = new DeviceChannel({
      url: broker.url,
      fleet: FLEET,
      device: 'd1',
      password: passwordOf(options.device ?? 'd1'),
      boot,
      hello: () => ({ class: 'drone', version: '1', runtimes: ['node'], cores: 1, memoryMB: 100 }),
      onDesired: (desired) => seen.desired.push(desired),
      onMessage: (message) => void seen.down.push(message),
      onConnection: (connected, reason) => seen.connection.push(connected ? 'connected' : reason),
      onSession: (peer, previous) => seen.sessions.push(`${previous || '-'} > ${peer}`),
      onDisplaced: () => {
        seen.displaced = true
      },
      log: (_level, line) => seen.log.push(line),
      ...options,
    })
    open.push(channel)
    return { channel, seen }
  }

  test('10,000 messages arrive in order, both ways at once', async () => {
    const s = service()
    const d = device('b1')
    const sent = upTo(10_000).flatMap((seq) => [d.channel.send(up(seq)), s.channel.send('d1', down(seq))])
    await Promise.all(sent)
    expect(seqs(s.seen.up)).toEqual(upTo(10_000))
    expect(seqs(d.seen.down)).toEqual(upTo(10_000))
    expect(s.seen.log).toEqual([])
  })

  test('a broker that restarts in the midst of a stream loses and repeats nothing', async ({ skip }) => {
    const { restart } = broker
    if (!restart) return skip()
    const s = service()
    const d = device('b1')
    s.channel.setDesired('d1', { revision: 1, deployments: [], dataUrl: '' })
    await until(() => s.seen.sessions.length > 0, 'a session')
    const sends: Promise<void>[] = []
    for (const seq of upTo(400)) {
      sends.push(d.channel.send(up(seq)), s.channel.send('d1', down(seq)))
      if (seq === 100) await restart()
      if (seq % 10 === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    }
    await Promise.all(sends)
    expect(seqs(s.seen.up)).toEqual(upTo(400))
    expect(seqs(d.seen.down)).toEqual(upTo(400))
    expect(s.seen.sessions).toEqual(['d1 - > b1'])
    // the desired state is there again, for this device and for those that come later
    const later = device('c1', { device: 'd2' })
    s.channel.setDesired('d2', { revision: 7, deployments: [], dataUrl: '' })
    await until(() => later.seen.desired.some(({ revision }) => revision === 7), 'the desired state')
    expect(d.seen.desired.at(-1)?.revision).toBe(1)
  })

  test('the last will of a device that was killed arrives; its next start is a new session', async () => {
    const s = service()
    const start = (boot: string): ChildProcess => {
      const child = spawn(process.execPath, [deviceProgram, broker.url, 'd1', passwordOf('d1'), boot], {
        stdio: ['ignore', 'inherit', 'inherit'],
      })
      children.push(child)
      return child
    }
    const first = start('b1')
    await until(() => s.seen.sessions.length === 1 && s.seen.beats > 0, 'the device is there')
    first.kill('SIGSTOP')
    const lost = s.channel.send('d1', down(1))
    lost.catch(() => {})
    first.kill('SIGKILL')
    await until(() => s.seen.presence.at(-1) === 'd1 gone', 'its last will')
    start('b2')
    await until(() => s.seen.sessions.length === 2, 'a new session')
    await expect(lost).rejects.toBeInstanceOf(SessionReset)
    expect(s.seen.sessions).toEqual(['d1 - > b1', 'd1 b1 > b2'])
    expect(s.seen.hellos).toContain('d1 b2')
    await s.channel.send('d1', down(2))
    expect(s.seen.presence.at(-1)).toBe('d1 online')
  })

  test('of two agents with one device id the newer one stays, and both sides say so', async () => {
    const s = service()
    const older = device('b1')
    await until(() => s.seen.sessions.length === 1, 'the first agent')
    const newer = device('b2')
    await until(() => older.seen.displaced, 'the older one gives way')
    expect(older.seen.log.join()).toContain(
      "Another agent uses the device id 'd1'. This agent gives way to it.",
    )
    await expect(older.channel.send(up(1))).rejects.toBeInstanceOf(SessionReset)
    await until(() => s.channel.bootOf('d1') === 'b2', 'a session with the newer one')
    await s.channel.send('d1', down(5))
    expect(seqs(newer.seen.down)).toEqual([5])
    expect(newer.seen.displaced).toBe(false)
  })

  test('a wrong password is refused, and both sides say why', async () => {
    const d = device('b1', { password: 'wrong' })
    await until(() => d.seen.connection.length > 0, 'an answer')
    expect(d.seen.connection[0]).toBe('the broker refused the user name or password')
    await until(
      () => /refused 'd1': wrong user name or password|not authorised/.test(broker.log.join()),
      'a line in the log',
    )
    expect(d.channel.connected).toBe(false)
  })

  test('a device can neither read nor write what belongs to others', async () => {
    const s = service()
    const other = device('c1', { device: 'd2' })
    await until(() => s.seen.sessions.length === 1, 'the other device')
    const client = await mqtt.connectAsync(broker.url, {
      clientId: 'intruder',
      username: 'd1',
      password: passwordOf('d1'),
      protocolVersion: 4,
      reconnectPeriod: 0,
    })
    const heard: string[] = []
    client.on('message', (topic) => heard.push(topic))
    const filters = [
      topicOf(FLEET, 'd2', 'down'),
      `hive/1/${FLEET}/+/desired`,
      '#',
      topicOf(FLEET, 'd1', 'down'),
    ]
    for (const filter of filters) await client.subscribeAsync(filter, { qos: 1 }).catch(() => {})
    s.channel.setDesired('d2', { revision: 3, deployments: [], dataUrl: '' })
    await s.channel.send('d2', down(1))
    expect(heard).toEqual([])
    // as if it were the other one: a frame of its boot, and a hello
    client.on('error', () => {})
    const frame = encode({ b: 'c1', p: 's1', n: 1, a: 0, m: [up(99)] })
    const closed = new Promise<void>((resolve) => client.once('close', () => resolve()))
    const published = client.publishAsync(topicOf(FLEET, 'd2', 'up'), frame as Buffer, { qos: 1 })
    await Promise.race([closed, published.catch(() => {})])
    await other.channel.send(up(1))
    expect(seqs(s.seen.up)).toEqual([1])
    client.end(true)
    if (broker.log.length > 0) expect(broker.log.join('\n')).toMatch(/may not publish to|Denied PUBLISH/)
  })

  test('a service that restarts meets its devices again, and tells them what to run', async () => {
    const first = service('s1')
    const d = device('b1')
    first.channel.setDesired('d1', { revision: 1, deployments: [], dataUrl: '' })
    await until(() => d.seen.sessions.length === 1, 'a session')
    await d.channel.send(up(0))
    await open.splice(0, 1)[0]?.close()
    const unheard = d.channel.send(up(1))
    const outcome = unheard.then(
      () => 'acknowledged',
      (error: Error) => error.name,
    )
    const second = service('s2')
    await until(() => d.seen.sessions.length === 2, 'a session with the new service')
    expect(d.seen.sessions).toEqual(['- > s1', 's1 > s2'])
    expect(await outcome).toBe('SessionReset')
    expect(second.seen.hellos).toContain('d1 b1')
    await d.channel.send(up(2))
    await second.channel.send('d1', down(2))
    expect(seqs(second.seen.up)).toEqual([2])
    expect(seqs(d.seen.down)).toEqual([2])
  })

  test('what a device makes without end waits for a service that does not keep up, and not for one that is gone', async () => {
    const taken: (() => void)[] = []
    const s = service('s1', () => new Promise((resolve) => taken.push(resolve)))
    const d = device('b1')
    await until(() => d.seen.sessions.length === 1, 'a session')
    for (const seq of upTo(300)) void d.channel.send(up(seq)).catch(() => {})
    const room = d.channel.whenRoom()
    expect(room).toBeInstanceOf(Promise)
    await until(() => taken.length === 300, 'all messages at the service')
    for (const take of taken) take()
    await room
    expect(d.channel.whenRoom()).toBe(undefined)
    for (const seq of upTo(300)) void d.channel.send(up(seq)).catch(() => {})
    const alone = d.channel.whenRoom()
    expect(alone).toBeInstanceOf(Promise)
    await s.channel.close()
    await alone
    expect(d.channel.waiting).toBe(300)
  })

  test('times of a device are mapped to those of the service, to within the uncertainty', async () => {
    const s = service()
    const shift = 1e6
    const d = device('b1', { now: () => performance.now() + shift })
    await until(
      () => (s.channel.clockOf('d1')?.uncertaintyMs ?? Number.POSITIVE_INFINITY) < 1e9,
      'a round trip',
    )
    const at = performance.now()
    const mapped = s.channel.toServiceTime('d1', at + shift) ?? Number.NaN
    const { uncertaintyMs = Number.NaN } = s.channel.clockOf('d1') ?? {}
    expect(Math.abs(mapped - (performance.timeOrigin + at))).toBeLessThanOrEqual(uncertaintyMs + 0.01)
    expect(d.channel.roundTripMs).toBeGreaterThan(0)
    expect(s.channel.toServiceTime('d2', 1)).toBeNull()
  })

  test('what is no message is counted, logged once and does no harm', async () => {
    const s = service()
    const d = device('b1')
    await until(() => s.seen.sessions.length === 1, 'a session')
    const link = broker.openLink('noise')([], {
      onConnect: () => {},
      onDisconnect: () => {},
      onMessage: () => {},
    })
    open.push(link)
    await until(async () => {
      link.publish(topicOf(FLEET, 'd1', 'up'), new Uint8Array([255, 1, 2]), { qos: 1 })
      link.publish(topicOf(FLEET, 'd1', 'down'), new Uint8Array([161, 1]), { qos: 1 })
      return s.channel.badMessagesOf('d1') >= 3 && d.channel.badMessages >= 3
    }, 'bad messages are counted')
    expect(s.seen.log.length).toBe(1)
    expect(s.seen.log[0]).toContain("Messages of device 'd1'")
    await d.channel.send(up(1))
    await s.channel.send('d1', down(1))
  })

  test('what the broker keeps about a forgotten device is removed', async () => {
    const s = service()
    s.channel.setDesired('d1', { revision: 4, deployments: [], dataUrl: '' })
    const d = device('b1')
    await until(() => d.seen.desired.length > 0 && s.seen.hellos.length > 0, 'the device')
    await open.splice(1, 1)[0]?.close()
    await until(() => s.seen.presence.at(-1) === 'd1 gone', 'it has gone')
    s.channel.forget('d1')
    const again = service('s2')
    await until(() => again.channel.connected, 'another service')
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(again.seen.hellos).toEqual([])
    expect(again.seen.presence).toEqual([])
  })
})
