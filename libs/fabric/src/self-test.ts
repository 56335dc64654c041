import type { Board } from './board.ts'
import type { Build } from './cache.ts'
import { datagramFrame, datagramOf, FABRIC_PORTS, type UdpPeer } from './datagrams.ts'
import { decodeMessage, encodeMessage, MessageKind, writePeer, writeWorkers } from './dispatch.ts'
import { FabricError } from './error.ts'
import { type FrameLine, readingFrame } from './frames.ts'
import { idWord } from './manifest.ts'
import { type Register, type RegisterBus, readInterfaces, readRegisterMap, registerOf } from './registers.ts'
import {
  decodeResponse,
  encodeRequest,
  insertObject,
  type RmemRequest,
  RmemStatus,
  removeObject,
} from './rmem.ts'
import { connectPeer, encodeLine, LINE_BYTES, placeRing, ringDoorbell, ringIndex } from './rpc.ts'
import { writeSettings } from './settings.ts'

/** What a test of an engine has at hand. */
interface Bench {
  build: Build
  line: FrameLine
  bus: RegisterBus
  map: Register[]
}

/** The test of each engine; each leaves its engine as after a reset, but for counters and the indices of rings. */
const ENGINE_TESTS: Record<string, (bench: Bench) => Promise<void>> = {
  distil: checkDistil,
  dispatch: checkDispatch,
  rmem: checkRmem,
  rpc: checkRpc,
}

/** Writes a build and holds it against its identity and self-test. Throws `self-test-failed`, `board`. */
export async function writeAndTest(board: Board, build: Build): Promise<void> {
  await board.write(build)
  const bus = board.registers()
  const map = readRegisterMap(build.folder)
  const line = board.frames()
  try {
    await checkIdentity(bus, map, build)
    await checkPassing(line)
    for (const engine of build.manifest.engines) await ENGINE_TESTS[engine]?.({ build, line, bus, map })
  } finally {
    line.close()
    bus.close()
  }
}

const failed = (message: string): FabricError => new FabricError('self-test-failed', message)

/** The interface and the build of each block, and that its registers hold what is written. */
async function checkIdentity(bus: RegisterBus, map: Register[], { folder, manifest }: Build): Promise<void> {
  const interfaces = readInterfaces(folder)
  // what the manifest says of the whole is what its shell must say
  interfaces.set('shell', manifest.interface)
  for (const [engine, expected] of interfaces) {
    const word = async (name: string): Promise<string> =>
      (await bus.read(registerOf(map, engine, name).address)).toString(16).padStart(8, '0')
    const words = await Promise.all([0, 1, 2, 3].map((n) => word(`INTERFACE_${n}`)))
    const uuid = words.join('').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5')
    if (uuid !== expected)
      throw failed(`The board reports the interface ${uuid} of ${engine}, not ${expected}.`)
    const build = await word('BUILD')
    if (Number.parseInt(build, 16) !== idWord(manifest.design))
      throw failed(`The board reports build ${build}, not ${manifest.id.slice(0, 8)}.`)
    await checkScratch(bus, registerOf(map, engine, 'SCRATCH'))
  }
}

async function checkScratch(bus: RegisterBus, { engine, address }: Register): Promise<void> {
  for (const pattern of [0xffffffff, 0x55555555, 0xaaaaaaaa, 0]) {
    await bus.write(address, pattern)
    const read = await bus.read(address)
    if (read !== pattern)
      throw failed(
        `SCRATCH of ${engine} holds ${read.toString(16)} after ${pattern.toString(16)} was written.`,
      )
  }
}

/** A frame that is for no engine must pass. */
async function checkPassing(line: FrameLine): Promise<void> {
  const other = Buffer.from(Array.from({ length: 100 }, (_, n) => (n * 37) & 0xff))
  line.send(other)
  if (!(await line.receive()).equals(other))
    throw failed('A frame that must pass unchanged came out changed.')
}

/** Two readings must give their mean. */
async function checkDistil({ line, bus, map }: Bench): Promise<void> {
  await writeSettings(bus, map, { 'distil.enabled': 1, 'distil.op': 2, 'distil.window': 2 })
  line.send(readingFrame(1.5))
  line.send(readingFrame(4))
  const summary = await line.receive()
  const expected = readingFrame(2.75)
  if (!summary.equals(expected))
    throw failed(
      `The summary of 1.5 and 4 came out as ${summary.toString('hex')}, not ${expected.toString('hex')}.`,
    )
  await writeSettings(bus, map, { 'distil.enabled': 0, 'distil.op': 0, 'distil.window': 1 })
}

/** Addresses of the test alone: of the documentation's network (RFC 5737). */
const FABRIC: UdpPeer = { mac: '02484d000001', address: 0xc0000201, port: 0 }
const TESTER: UdpPeer = { mac: '02484d000002', address: 0xc0000202, port: 49_152 }
const at = (port: number): UdpPeer => ({ ...FABRIC, port })

/** How often is looked whether a line is in a ring; each look is thousands of cycles. */
const RING_TRIES = 20

/** The address in the rule of a class without members. */
const NOBODY = 0xffff_ffff

/** Does something while the fabric has an address. */
async function addressed(bus: RegisterBus, map: Register[], work: () => Promise<void>): Promise<void> {
  const write = (name: string, value: number) => bus.write(registerOf(map, 'shell', name).address, value)
  await write('MAC_0', Number.parseInt(FABRIC.mac.slice(4), 16))
  await write('MAC_1', Number.parseInt(FABRIC.mac.slice(0, 4), 16))
  await write('ADDRESS', FABRIC.address)
  try {
    await work()
  } finally {
    for (const name of ['ADDRESS', 'MAC_0', 'MAC_1']) await write(name, 0)
  }
}

/** Sends a datagram to a port of the fabric, and gives what comes back from `back`. */
async function exchange(line: FrameLine, port: number, payload: Uint8Array, back = port): Promise<Buffer> {
  line.send(datagramFrame(TESTER, at(port), payload))
  const frame = await line.receive()
  const answer = datagramOf(frame)
  if (answer?.to.address !== TESTER.address || answer.to.port !== TESTER.port || answer.from.port !== back)
    throw failed(`What came back from port ${port} is no answer: ${frame.toString('hex')}.`)
  return answer.payload
}

/** What is written to an object must be read again, and an object that is not there be refused. */
async function checkRmem({ line, bus, map }: Bench): Promise<void> {
  const name = 0x5e1f_7e57n
  const data = Buffer.from(Array.from({ length: 100 }, (_, n) => (n * 91 + 7) & 0xff))
  const rule = registerOf(map, 'shell', 'CLASS_0_ADDRESS').address
  await addressed(bus, map, async () => {
    await bus.write(rule, TESTER.address)
    await insertObject(bus, map, { name, base: 0, size: 256, readers: 1, writers: 1 })
    const ask = async (request: Parameters<typeof encodeRequest>[0]) =>
      decodeResponse(await exchange(line, FABRIC_PORTS.rmem, encodeRequest(request)))
    const written = await ask({ name, offset: 33n, data })
    if (written.status !== RmemStatus.OK)
      throw failed(`Writing to remote memory ended with ${written.status}.`)
    const read = await ask({ name, offset: 33n, length: data.length })
    if (read.status !== RmemStatus.OK || !read.data.equals(data))
      throw failed(`Remote memory gave ${read.data.toString('hex')}, not what was written.`)
    await removeObject(bus, map, name)
    const gone = await ask({ name, offset: 0n, length: 1 })
    if (gone.status !== RmemStatus.UNKNOWN_NAME)
      throw failed(`Reading an object that is not there ended with ${gone.status}.`)
    await bus.write(rule, NOBODY)
  })
}

/** A request must come into its ring, and a response that is put into the other one leave as it is. The rings are read by rmem. */
async function checkRpc({ line, bus, map }: Bench): Promise<void> {
  const name = 0x5e1f_7e58n
  const [flow, connection, lines] = [0, 0, 2]
  const size = lines * LINE_BYTES
  const rule = registerOf(map, 'shell', 'CLASS_0_ADDRESS').address
  const active = registerOf(map, 'rpc', 'ACTIVE').address
  await addressed(bus, map, async () => {
    await bus.write(rule, TESTER.address)
    await insertObject(bus, map, { name, base: 0, size: 2 * size, readers: 1, writers: 1 })
    const memory = async (request: RmemRequest) => {
      const answer = decodeResponse(await exchange(line, FABRIC_PORTS.rmem, encodeRequest(request)))
      if (answer.status !== RmemStatus.OK) throw failed(`The memory of a ring answered ${answer.status}.`)
      return answer.data
    }
    await connectPeer(bus, map, { number: connection, flow }, TESTER)
    await placeRing(bus, map, { flow, way: 'RX' }, { base: 0, lines })
    await placeRing(bus, map, { flow, way: 'TX' }, { base: size, lines })
    await bus.write(active, 1 << flow)
    const payload = Buffer.from(Array.from({ length: 48 }, (_, n) => (n * 53 + 11) & 0xff))
    const request = encodeLine({ kind: 'request', connection, id: 77, payload })
    const from = await ringIndex(bus, map, { flow, way: 'RX' })
    line.send(datagramFrame(TESTER, at(FABRIC_PORTS.rpc), request))
    for (let tries = 0; (await ringIndex(bus, map, { flow, way: 'RX' })) === from; tries++)
      if (tries === RING_TRIES) throw failed('A request did not come into its ring.')
    const came = await memory({ name, offset: BigInt((from % lines) * LINE_BYTES), length: LINE_BYTES })
    if (!came.equals(request)) throw failed(`A request came into its ring as ${came.toString('hex')}.`)
    await ringDoorbell(bus, map, { flow, way: 'RX' }, from + 1)
    const response = encodeLine({ kind: 'response', connection, id: 77, payload })
    const produced = await ringIndex(bus, map, { flow, way: 'TX' })
    await memory({ name, offset: BigInt(size + (produced % lines) * LINE_BYTES), data: response })
    await ringDoorbell(bus, map, { flow, way: 'TX' }, produced + 1)
    const left = datagramOf(await line.receive())
    if (
      left?.to.port !== TESTER.port ||
      left.from.port !== FABRIC_PORTS.rpc ||
      !left.payload.equals(response)
    )
      throw failed(`A response left as ${left?.payload.toString('hex') ?? 'no datagram'}.`)
    await bus.write(active, 0)
    await connectPeer(bus, map, { number: connection, flow }, undefined)
    await removeObject(bus, map, name)
    await bus.write(rule, NOBODY)
  })
}

/** A call must go to the worker of its function, and its result to who asked. */
async function checkDispatch({ build, line, bus, map }: Bench): Promise<void> {
  const [id, worker, asker] = [0x7e57, 1, 255]
  const functions = build.manifest.parameters['dispatch.functions'] ?? 0
  await addressed(bus, map, async () => {
    for (const number of [worker, asker]) await writePeer(bus, map, number, TESTER)
    await writeWorkers(bus, map, functions, id, [worker])
    await writeSettings(bus, map, { 'dispatch.enabled': 1 })
    const request = asker * 0x100_0000 + 42
    const call = encodeMessage({ kind: MessageKind.CALL, function: id, request })
    const { requests, completions } = FABRIC_PORTS
    const asked = decodeMessage(await exchange(line, requests, call, completions))
    if (asked.kind !== MessageKind.DISPATCH || asked.worker !== worker || asked.function !== id)
      throw failed(`A call was answered by ${JSON.stringify(asked)}, not sent to worker ${worker}.`)
    const done = encodeMessage({ kind: MessageKind.DONE, tag: asked.tag, payload: 77 })
    const result = decodeMessage(await exchange(line, completions, done))
    if (result.kind !== MessageKind.RESULT || result.request !== request || result.payload !== 77)
      throw failed(`The end of a call was answered by ${JSON.stringify(result)}, not by its result.`)
    await writeSettings(bus, map, { 'dispatch.enabled': 0 })
    await writeWorkers(bus, map, functions, id, [])
  })
}
