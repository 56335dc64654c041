/** Measures the exchange and its peers in turn, and prints the figures as JSON. Nodes and peers are processes of their own. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ExchangeClient } from '@hivemind/exchange'
import { Redis } from 'ioredis'
import { connectAsync, type MqttClient } from 'mqtt'
import { own } from './peers.ts'

const ROUNDS = 5
/** Rounds of a thousand messages before those that are measured, until V8 in nodes and clients compiles no more; the peers have as many. */
const WARM_UPS = 15
const BYTES = Buffer.alloc(64, 7)
const QUEUED = 10_000
const FETCHED = 100
const FETCHES = 200
const RECORD_BYTES = BYTES.length + 12

/** Does something so often. May give what each time took, in ms. */
type Run = (count: number) => Promise<number[] | unknown>

const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-bench-'))
const children: ChildProcess[] = []

/** Runs `hivemind exchange` and returns where it listens. */
async function startNode(...args: string[]): Promise<{ address: string; edge: string }> {
  const command = [own('../apps/cli/bin/hivemind.mjs'), 'exchange', ...args]
  const place = ['--folder', path.join(folder, String(children.length)), '--messages', '1000000', '--json']
  const child = spawn(process.execPath, [...command, ...place], { stdio: ['ignore', 'pipe', 'inherit'] })
  children.push(child)
  const [line] = await once(child.stdout, 'data')
  return JSON.parse(String(line))
}

async function startPeer(program: string, args: (port: number) => string[]): Promise<number> {
  const holder = net.createServer().listen(0, '127.0.0.1')
  await once(holder, 'listening')
  const { port } = holder.address() as net.AddressInfo
  await once(holder.close(), 'close')
  children.push(spawn(program, args(port), { stdio: 'ignore', cwd: folder }))
  for (;;) {
    const socket = net.connect(port, '127.0.0.1')
    const connected = await once(socket, 'connect').then(
      () => true,
      () => false,
    )
    if (connected) return port
    await sleep(50)
  }
}

/** A broker; with `hub`, one that passes everything on to that broker, and gets everything from there. */
function startMosquitto(hub?: number): Promise<number> {
  return startPeer('mosquitto', (port) => {
    const file = path.join(folder, `mosquitto-${port}.conf`)
    const bridge = [
      `connection bridge-${port}`,
      `address 127.0.0.1:${hub}`,
      'topic # both 0',
      'notifications false',
    ]
    const lines = [`listener ${port} 127.0.0.1`, 'allow_anonymous true', ...(hub ? bridge : [])]
    writeFileSync(file, `${lines.join('\n')}\n`)
    return ['-c', file]
  })
}

/** Publishes so many at a time, and waits until the subscriber has them. Gives what each wait took. */
function publishing(publish: () => unknown, window: number): { run: Run; arrived(count: number): void } {
  let missing = 0
  let done = () => {}
  return {
    arrived(count) {
      missing -= count
      if (missing === 0) done()
    },
    async run(count) {
      const waits: number[] = []
      for (let sent = 0; sent < count; sent += window) {
        const start = performance.now()
        missing = Math.min(window, count - sent)
        const received = new Promise<void>((resolve) => {
          done = resolve
        })
        for (let n = Math.min(window, count - sent); n > 0; n--) publish()
        await received
        waits.push((performance.now() - start) / Math.min(window, count - sent))
      }
      return waits
    },
  }
}

process.on('exit', () => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})
const { address: backend, edge: main } = await startNode('backend', '--edge', 'main')
const edges = [
  (await startNode('edge', 'a', '--backend', backend)).address,
  (await startNode('edge', 'b', '--backend', backend)).address,
] as [string, string]
const redisPort = await startPeer('redis-server', (port) => ['--port', String(port), '--save', ''])
const mosquittoPort = await startMosquitto()
const bridgedPorts = [await startMosquitto(mosquittoPort), await startMosquitto(mosquittoPort)] as const

const connect = (name: string, edge = edges[0]) => ExchangeClient.connect({ name, edges: [edge] })

async function exchangeRun(topic: string, [from, to]: [string, string], window: number): Promise<Run> {
  const publisher = await connect(`${topic}-publisher`, from)
  const subscriber = await connect(`${topic}-subscriber`, to)
  await subscriber.subscribe(topic)
  const { run, arrived } = publishing(() => publisher.publish(topic, BYTES), window)
  void (async () => {
    for await (const _ of subscriber.messages(topic)) arrived(1)
  })()
  return run
}

async function redisRun(topic: string, window: number): Promise<Run> {
  const publisher = new Redis(redisPort)
  const subscriber = new Redis(redisPort)
  await subscriber.subscribe(topic)
  const { run, arrived } = publishing(() => publisher.publish(topic, BYTES), window)
  subscriber.on('messageBuffer', () => arrived(1))
  return run
}

async function mosquittoRun(topic: string, [from, to]: readonly [number, number]): Promise<Run> {
  const [publisher, subscriber] = await Promise.all(
    [from, to].map((port) => connectAsync(`mqtt://127.0.0.1:${port}`)) as [
      Promise<MqttClient>,
      Promise<MqttClient>,
    ],
  )
  await subscriber.subscribeAsync(topic)
  const { run, arrived } = publishing(() => publisher.publish(topic, BYTES), 1)
  subscriber.on('message', () => arrived(1))
  return run
}

async function fetching(): Promise<{ ours: Run; theirs: Run }> {
  const publisher = await connect('filler')
  const reader = await connect('reader')
  await reader.subscribe('full')
  const total = FETCHED * FETCHES * ROUNDS * 2
  for (let n = 0; n < total; n += 10_000)
    await Promise.all(Array.from({ length: 10_000 }, () => publisher.publish('full', BYTES)))
  const redis = new Redis(redisPort)
  for (let n = 0; n < FETCHED; n++) await redis.xadd('full', '*', 'b', BYTES)
  return {
    async ours(count) {
      for (let n = 0; n < count; n++) {
        const { length } = await reader.getMessages('full', { max: FETCHED })
        if (length !== FETCHED) throw new Error(`${length} messages instead of ${FETCHED}.`)
      }
    },
    async theirs(count) {
      for (let n = 0; n < count; n++) await redis.xreadBuffer('COUNT', FETCHED, 'STREAMS', 'full', '0')
    },
  }
}

async function migrating(): Promise<{ ours: Run; theirs: Run }> {
  const publisher = await connect('queue-filler')
  const mover = await connect('mover')
  await mover.subscribe('queue')
  await Promise.all(Array.from({ length: QUEUED }, () => publisher.publish('queue', BYTES)))
  let moves = 0
  const sink = net.createServer((socket) => {
    let received = 0
    socket.on('data', ({ length }) => {
      received += length
      if (received % (QUEUED * RECORD_BYTES) === 0) socket.write('.')
    })
  })
  await once(sink.listen(0, '127.0.0.1'), 'listening')
  const socket = net.connect((sink.address() as net.AddressInfo).port, '127.0.0.1')
  return {
    async ours(count) {
      for (let n = 0; n < count; n++) await mover.migrate(edges[++moves % 2] as string)
    },
    async theirs(count) {
      for (let n = 0; n < count; n++) {
        const answered = once(socket, 'data')
        socket.write(Buffer.alloc(QUEUED * RECORD_BYTES))
        await answered
      }
    },
  }
}

const median = (values: number[]): number => values.toSorted((a, b) => a - b)[values.length >> 1] as number

/** Time of one operation in us: of those that the run has timed, the median. */
async function timeOf(run: Run, count: number): Promise<number> {
  const start = performance.now()
  const times = await run(count)
  return Array.isArray(times) ? median(times) * 1_000 : ((performance.now() - start) * 1_000) / count
}

const measured: object[] = []
async function measure(row: object, count: number, ours: Run, theirs: Run, warmUps = ROUNDS): Promise<void> {
  for (let round = 0; round < warmUps; round++) {
    await ours(count)
    await theirs(count)
  }
  const times = { ours: [] as number[], theirs: [] as number[] }
  for (let round = 0; round < ROUNDS; round++) {
    times.ours.push(await timeOf(ours, count))
    times.theirs.push(await timeOf(theirs, count))
  }
  const ratio = median(times.ours.map((time, at) => time / (times.theirs[at] as number)))
  measured.push({ ...row, ratio, oursUs: median(times.ours), theirsUs: median(times.theirs) })
}

const here = await exchangeRun('here', [main, main], 1)
const redisOne = await redisRun('one', 1)
await measure(
  { name: 'publish -> subscriber, one process', peer: 'Redis PUBLISH', goal: 1 },
  1_000,
  here,
  redisOne,
  WARM_UPS,
)
await measure(
  { name: 'publish -> subscriber, one process', peer: 'Mosquitto, QoS 0', goal: 1 },
  1_000,
  here,
  await mosquittoRun('one', [mosquittoPort, mosquittoPort]),
  WARM_UPS,
)
await measure(
  { name: 'publish -> subscriber, one edge node and a backend', peer: 'Redis PUBLISH, one process' },
  1_000,
  await exchangeRun('one', [edges[0], edges[0]], 1),
  redisOne,
  WARM_UPS,
)
const two = await exchangeRun('two', edges, 1)
await measure(
  { name: 'publish -> subscriber, two edge nodes and a backend', peer: 'Redis PUBLISH, one process' },
  1_000,
  two,
  redisOne,
  WARM_UPS,
)
await measure(
  {
    name: 'publish -> subscriber, two edge nodes and a backend',
    peer: 'Mosquitto, two brokers bridged over a third',
    goal: 1,
  },
  1_000,
  two,
  await mosquittoRun('two', bridgedPorts),
  WARM_UPS,
)
await measure(
  { name: 'publish -> subscriber, 1,000 at a time', peer: 'Redis PUBLISH', goal: 1 },
  20_000,
  await exchangeRun('many', [edges[0], edges[0]], 1_000),
  await redisRun('many', 1_000),
)
const fetch = await fetching()
await measure(
  { name: `getMessages of ${FETCHED}`, peer: `XREAD COUNT ${FETCHED}`, goal: 0.5 },
  FETCHES,
  fetch.ours,
  fetch.theirs,
)
const migrate = await migrating()
await measure(
  { name: 'migration of 10,000 queued messages', peer: 'their bytes over a socket', goalUs: 22_000 },
  10,
  migrate.ours,
  migrate.theirs,
)
console.log(JSON.stringify(measured))
process.exit(0)
