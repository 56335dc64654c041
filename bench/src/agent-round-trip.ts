/** A message from a device to the service and its answer: our session, bare MQTT over the same broker, and bare TCP. */
import { type AddressInfo, connect, createServer } from 'node:net'
import type { Up } from '@hivemind/agent-protocol'
import {
  DeviceChannel,
  deviceAuthenticator,
  devicePassword,
  ServiceChannel,
  startBroker,
} from '@hivemind/agent-protocol/node'
import mqtt from 'mqtt'
import type { Bench, Row } from './table.ts'

const ROUND_TRIPS = 2_000
const WARM_UP = 200
const SIZES = [64, 60_000]
const fleet = 'bench'
const secret = 'of the bench'

/** Sends something and resolves when its answer is there. */
type RoundTrip = () => Promise<void>

/** Sums up round trips one after the other; both ends are in this process. */
async function measure(name: string, bytes: number, roundTrip: RoundTrip): Promise<Row> {
  for (let index = 0; index < WARM_UP; index += 1) await roundTrip()
  const cpu = process.cpuUsage()
  const from = performance.now()
  for (let index = 0; index < ROUND_TRIPS; index += 1) await roundTrip()
  const ms = performance.now() - from
  const { user, system } = process.cpuUsage(cpu)
  return {
    name: `${name}, ${bytes} B`,
    cpuS: (user + system) / 1e6,
    figures: { 'us a round trip': ((ms * 1000) / ROUND_TRIPS).toFixed(0) },
  }
}

async function overSession(bytes: Uint8Array): Promise<Row> {
  const broker = await startBroker({ authenticate: deviceAuthenticator({ fleet, secret }) })
  let answered = (): void => {}
  const answer = { t: 'stop' as const, run: 'r' }
  const service = new ServiceChannel({
    openLink: broker.openLink,
    fleet,
    boot: 's',
    onMessage: (id) => {
      // the last answers may not be acknowledged when the bench ends
      service.send(id, answer).catch(() => {})
    },
  })
  const device = new DeviceChannel({
    url: broker.url,
    fleet,
    device: 'd',
    password: devicePassword(secret, 'd'),
    boot: 'd',
    hello: () => ({ class: 'c', version: '1', runtimes: [], cores: 1, memoryMB: 1 }),
    onDesired: () => {},
    onMessage: () => answered(),
  })
  const message: Up = {
    ...{ t: 'item', run: 'r', lane: 'd', task: 't', seq: 0, generation: 1, at: 0 },
    ref: { kind: 'inline', type: 'application/octet-stream', bytes },
  }
  try {
    return await measure('HiveMind session', bytes.length, async () => {
      const done = new Promise<void>((resolve) => {
        answered = resolve
      })
      device.send(message).catch(() => {})
      await done
    })
  } finally {
    await device.close()
    await service.close()
    await broker.close()
  }
}

async function overMqtt(bytes: Uint8Array): Promise<Row> {
  const broker = await startBroker({ authenticate: () => ({ role: 'service', fleet }) })
  const options = { username: 'x', password: 'x', protocolVersion: 4 as const }
  const [device, service] = await Promise.all([
    mqtt.connectAsync(broker.url, { ...options, clientId: 'device' }),
    mqtt.connectAsync(broker.url, { ...options, clientId: 'service' }),
  ])
  for (const { stream } of [device, service])
    (stream as unknown as { setNoDelay(on: boolean): void }).setNoDelay(true)
  const [up, down] = [`hive/1/${fleet}/d/up`, `hive/1/${fleet}/d/down`]
  let answered = (): void => {}
  service.on('message', () => void service.publish(down, 'x', { qos: 1 }))
  device.on('message', () => answered())
  await service.subscribeAsync(up, { qos: 1 })
  await device.subscribeAsync(down, { qos: 1 })
  try {
    return await measure(`mqtt.js 5, QoS 1`, bytes.length, async () => {
      const done = new Promise<void>((resolve) => {
        answered = resolve
      })
      device.publish(up, bytes as Buffer, { qos: 1 })
      await done
    })
  } finally {
    await Promise.all([device.endAsync(), service.endAsync()])
    await broker.close()
  }
}

async function overTcp(bytes: Uint8Array): Promise<Row> {
  const server = createServer({ noDelay: true }, (socket) => {
    let received = 0
    socket.on('data', (chunk) => {
      received += chunk.length
      if (received < bytes.length) return
      received -= bytes.length
      socket.write('x')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const socket = connect({ port, host: '127.0.0.1', noDelay: true })
  let answered = (): void => {}
  socket.on('data', () => answered())
  try {
    return await measure('TCP', bytes.length, async () => {
      const done = new Promise<void>((resolve) => {
        answered = resolve
      })
      socket.write(bytes)
      await done
    })
  } finally {
    socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
}

export const agentRoundTrip: Bench = {
  name: 'agent-round-trip',
  title: `${ROUND_TRIPS} messages of a device and their answers, one after the other; both ends and the broker in one process`,
  async run() {
    const rows: Row[] = []
    for (const size of SIZES) {
      const bytes = new Uint8Array(size)
      const ours = await overSession(bytes)
      for (const row of [ours, await overMqtt(bytes), await overTcp(bytes)])
        rows.push({ ...row, oursS: ours.cpuS })
    }
    return rows
  },
}
