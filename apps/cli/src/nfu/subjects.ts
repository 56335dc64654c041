/** Where the readings of a field are sent: a server on Node.js or in C, or the fabric of a simulated board. */
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import {
  CYCLE_NS,
  configureDistil,
  DistilUnit,
  datagramFrame,
  datagramOf,
  FabricCache,
  FabricError,
  type FrameTime,
  FrameTimes,
  framesAt,
  registersAt,
} from '@hivemind/fabric'
import { parseNfu } from '@hivemind/nfu'
import { COAP_PORT, type Hop, NativeServer, NfuServer } from '@hivemind/nfu/node'
import { usageFault } from '../failure.ts'

/** Something that a field's readings go through. */
export interface Subject {
  name: string
  /** Sends a message of a sensor, from an address of its own. */
  send(sensor: number, message: Buffer): void
  /** What is called with each message that comes out. */
  heard: (message: Buffer) => void
  /** Times of the hardware itself, where the clock of this machine says nothing of it. */
  hardware?: { times: FrameTime[]; nsOf: (cycles: number) => number }
  close(): Promise<void>
}

const RECEIVE_BUFFER = 4 * 2 ** 20

/** An IPv4 address of each sensor, from 127.1.0.0 or 10.1.0.0 on: no two sensors share one, or a place in a table of the fabric. */
const hostOf = (net: number, sensor: number): string => `${net}.1.${sensor >> 8}.${sensor & 255}`

async function socketAt(host: string): Promise<Socket> {
  const socket = createSocket({ type: 'udp4', recvBufferSize: RECEIVE_BUFFER })
  socket.bind(0, host)
  await once(socket, 'listening')
  return socket
}

/** A server that takes calls of the sensors on this machine, each from a loopback address of its own. */
async function overUdp(
  name: string,
  sensors: number,
  start: (next: Hop) => Promise<{ address: Hop; close(): void | Promise<void> }>,
): Promise<Subject> {
  const collector = await socketAt('127.0.0.1')
  const next = { host: '127.0.0.1', port: collector.address().port }
  const server = await start(next)
  const sockets: Socket[] = []
  for (let sensor = 0; sensor < sensors; sensor++) {
    const socket = await socketAt(hostOf(127, sensor))
    socket.connect(server.address.port, server.address.host)
    await once(socket, 'connect')
    sockets.push(socket)
  }
  const subject: Subject = {
    name,
    send: (sensor, message) => sockets[sensor]?.send(message),
    heard: () => {},
    close: async () => {
      for (const socket of [...sockets, collector]) socket.close()
      await server.close()
    },
  }
  collector.on('message', (message) => subject.heard(message))
  return subject
}

/** The server on Node.js, in this process. */
export const onNode = (code: string, sensors: number): Promise<Subject> =>
  overUdp('edge, Node.js', sensors, (next) => NfuServer.start({ code, port: 0, next, keyed: true }))

/** The server in C, in a process of its own. */
export const inC = (code: string, sensors: number, program: string): Promise<Subject> =>
  overUdp('edge, C', sensors, (next) => NativeServer.start(program, { code, port: 0, next, keyed: true }))

/** The engine distil of a simulated board that another process runs in a folder; its settings are afterwards as they were. */
export async function onBoard(code: string, sensors: number, folder: string): Promise<Subject> {
  const restore = await configure(folder, code, sensors)
  const line = framesAt(folder)
  const times: FrameTime[] = []
  const clock = new FrameTimes(folder, (time) => times.push(time))
  const peer = (host: string, port: number) => ({
    mac: '020000000001',
    address: host.split('.').reduce((sum, part) => sum * 256 + Number(part), 0),
    port,
  })
  const to = { ...peer('10.0.0.254', COAP_PORT), mac: '020000000002' }
  const subject: Subject = {
    name: 'fabric, simulated',
    send: (sensor, message) => line.send(datagramFrame(peer(hostOf(10, sensor), 40_000), to, message)),
    heard: () => {},
    hardware: { times, nsOf: (cycles) => cycles * CYCLE_NS },
    close: async () => {
      clock.close()
      line.close()
      await restore()
    },
  }
  void (async () => {
    try {
      for (;;) {
        const payload = datagramOf(await line.next())?.payload
        if (payload) subject.heard(payload)
      }
    } catch {
      // closed
    }
  })()
  return subject
}

/** Makes the engine distil of a board a function with empty windows. Returns how its settings are made what they were. */
async function configure(folder: string, code: string, sensors: number): Promise<() => Promise<void>> {
  const { op, window, count, above, below } = parseNfu(code)
  const { figures, map } = await DistilUnit.check(folder, new FabricCache()).catch((error: unknown) => {
    throw error instanceof FabricError && error.code === 'bad-parameters' ? usageFault(error.message) : error
  })
  if (figures.places < sensors)
    throw usageFault(
      `The fabric of the board in '${folder}' has places for ${figures.places} sensors, not for ${sensors}: use fewer, or a build with more (--set distil.sources=...).`,
    )
  const bus = registersAt(folder)
  try {
    const wanted = { op, window: op === 'counter' ? count : window, above, below }
    const restore = await configureDistil(bus, map, wanted)
    return async () => {
      const again = registersAt(folder)
      await restore(again).finally(() => again.close())
    }
  } finally {
    bus.close()
  }
}
