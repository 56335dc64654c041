import mqtt from 'mqtt'
import { expect, test } from 'vitest'
import { type LinkHandler, startBroker } from '../src/node/index.ts'

const FLEET = 'swarm'
const MESSAGES = 6_000

test('a burst that queues in the broker arrives whole and in order', async () => {
  const broker = await startBroker({ authenticate: () => ({ role: 'service', fleet: FLEET }) })
  const device = await mqtt.connectAsync(broker.url, { username: 'd', password: 'd' })
  await device.subscribeAsync(`hive/1/${FLEET}/d/down`, { qos: 0 })
  const arrived: number[] = []
  let connected = (): void => {}
  const ready = new Promise<void>((resolve) => {
    connected = resolve
  })
  const handler: LinkHandler = {
    onConnect: connected,
    onDisconnect: () => {},
    onMessage: (_topic, payload) => void arrived.push(Number(new TextDecoder().decode(payload))),
  }
  const link = broker.openLink([[{ topic: `hive/1/${FLEET}/+/up`, qos: 0 }]], handler)
  try {
    await ready
    // Messages to a client take a turn each, and all others wait behind the first hundred of them.
    for (let n = 0; n < 200; n += 1) link.publish(`hive/1/${FLEET}/d/down`, Buffer.from('x'))
    for (let n = 0; n < MESSAGES; n += 1) link.publish(`hive/1/${FLEET}/d/up`, Buffer.from(String(n)))
    await expect.poll(() => arrived.length, { timeout: 20_000 }).toBe(MESSAGES)
    expect(arrived.every((n, index) => n === index)).toBe(true)
  } finally {
    await link.close()
    await device.endAsync(true)
    await broker.close()
  }
}, 40_000)
