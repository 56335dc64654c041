import { connect } from 'node:net'
import mqtt from 'mqtt'
import { expect, test } from 'vitest'
import { type Broker, type Link, type LinkHandler, startBroker } from '../src/node/index.ts'

const FLEET = 'swarm'
const MESSAGES = 6_000
const topic = (device: string, channel: string) => `hive/1/${FLEET}/${device}/${channel}`

const start = () => startBroker({ authenticate: () => ({ role: 'service', fleet: FLEET }) })
const connectTo = ({ url }: Broker) => mqtt.connectAsync(url, { username: 'd', password: 'd' })

/** A link of the service's own process that reads the channel `up` of all devices. */
async function openLink(broker: Broker, onMessage: LinkHandler['onMessage']): Promise<Link> {
  const { promise: connected, resolve: onConnect } = Promise.withResolvers<void>()
  const handler: LinkHandler = { onConnect, onDisconnect: () => {}, onMessage }
  const link = broker.openLink([[{ topic: topic('+', 'up'), qos: 0 }]], handler)
  await connected
  return link
}

test('a burst that queues in the broker arrives whole and in order, beside messages that nobody reads', async () => {
  const broker = await start()
  const device = await connectTo(broker)
  await device.subscribeAsync(topic('d', 'down'), { qos: 0 })
  const arrived: number[] = []
  const link = await openLink(broker, (_topic, payload) => {
    arrived.push(Number(new TextDecoder().decode(payload)))
  })
  try {
    for (let n = 0; n < 200; n += 1) link.publish(topic('d', 'down'), Buffer.from('x'))
    for (let n = 0; n < MESSAGES; n += 1) link.publish(topic('e', 'echo'), Buffer.from('x'))
    for (let n = 0; n < MESSAGES; n += 1) link.publish(topic('d', 'up'), Buffer.from(String(n)))
    await expect.poll(() => arrived.length, { timeout: 20_000 }).toBe(MESSAGES)
    expect(arrived.every((n, index) => n === index)).toBe(true)
  } finally {
    await link.close()
    await device.endAsync(true)
    await broker.close()
  }
}, 40_000)

test('a device that does not read what comes holds up no other one', async () => {
  const broker = await start()
  const stalled = connect(broker.port, '127.0.0.1')
  const other = await connectTo(broker)
  await other.subscribeAsync(topic('other', 'down'), { qos: 0 })
  const answered = new Promise<void>((resolve) => other.once('message', () => resolve()))
  const link = await openLink(broker, () => {})
  try {
    const text = (value: string) => [0, value.length, ...Buffer.from(value)]
    const packet = (type: number, body: number[]) => stalled.write(Buffer.from([type, body.length, ...body]))
    // CONNECT with a clean session, user name and password; then SUBSCRIBE; then it reads no more.
    packet(0x10, [...text('MQTT'), 4, 0xc2, 0, 0, ...text('stalled'), ...text('d'), ...text('d')])
    packet(0x82, [0, 1, ...text(topic('stalled', 'down')), 0])
    await new Promise<void>((resolve) => {
      let answer = ''
      stalled.on('data', (data) => {
        answer += data.toString('hex')
        if (answer.endsWith('9003000100')) resolve()
      })
    })
    stalled.removeAllListeners('data').pause()
    for (let n = 0; n < 300; n += 1) link.publish(topic('stalled', 'down'), Buffer.alloc(200_000))
    await new Promise((resolve) => setTimeout(resolve, 200))
    link.publish(topic('other', 'down'), Buffer.from('x'))
    await answered
  } finally {
    stalled.destroy()
    await link.close()
    await other.endAsync(true)
    await broker.close()
  }
}, 20_000)
