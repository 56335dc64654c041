/**
 * A board that is attached, as its software sees it: a serial line and a network interface. Behind them is the simulated board; only
 * JTAG is left out. Run by `npm run hdl:test`.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  AttachedBoard,
  BoardControl,
  type Build,
  compileModel,
  FabricCache,
  FabricError,
  measureDistil,
  OpenFpgaLoader,
  type Programmer,
  SimulatedBoard,
  Toolchain,
} from '../src/index.ts'
import { keepBuilds, toEnd } from './kept-build.ts'

const tools = new Toolchain()
const work = mkdtempSync(path.join(os.tmpdir(), 'hm-fabric-'))
const [far, near] = [path.join(work, 'far'), path.join(work, 'near')]
const network = `hm${process.pid}`
const ipv6 = `/proc/sys/net/ipv6/conf/${network}/disable_ipv6`
const isIpv6Off = (): boolean => !existsSync(ipv6) || readFileSync(ipv6, 'utf8').trim() === '1'
let wasIpv6Off: boolean
const simulated = new SimulatedBoard(far, (build) =>
  toEnd(compileModel(build, { tools, cache: new FabricCache(work) })),
)
/** Stands for JTAG: the device behind the lines is the simulated one. */
const programmer: Programmer = { check: async () => {}, write: (build) => simulated.write(build) }
let builds: { golden: Build; other: Build; broken: Build }
let wire: ChildProcess
let serial: string
let board: AttachedBoard
let control: BoardControl

beforeAll(async () => {
  builds = await keepBuilds(work)
  for (const folder of [far, near]) mkdirSync(folder)
  await simulated.write(builds.golden)
  wire = spawn('python3', [path.join(import.meta.dirname, 'wire.py'), far, network], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  serial = String((await once(wire.stdout as NodeJS.ReadableStream, 'data'))[0]).trim()
  wasIpv6Off = isIpv6Off()
  board = new AttachedBoard({ folder: near, serial, network }, tools, programmer)
  control = new BoardControl(board, builds.golden)
}, 900_000)

afterAll(async () => {
  await control.close()
  wire.stdin?.end()
  await simulated.close()
  rmSync(work, { recursive: true, force: true })
})

test('it is written, says which build it has, and passes the self-test of every engine', {
  timeout: 300_000,
}, async () => {
  await control.start()
  const { 'shell.build': build } = await control.read()
  expect((build as number).toString(16)).toBe(builds.golden.manifest.design.slice(0, 8))
})

test('only its frames are on the interface: IPv6 is off while it is served, and as before afterwards', async () => {
  expect(isIpv6Off()).toBe(true)
  await board.close()
  expect(isIpv6Off()).toBe(wasIpv6Off)
  await board.write(builds.golden)
  expect(isIpv6Off()).toBe(true)
})

test('frames come and go as they are, with their VLAN tags', async () => {
  const line = board.frames()
  const plain = Buffer.from(Array.from({ length: 64 }, (_, n) => (n * 11 + 2) & 0xfe))
  const tagged = Buffer.concat([plain.subarray(0, 12), Buffer.from('8100a123', 'hex'), plain.subarray(12)])
  for (const frame of [plain, tagged, Buffer.alloc(1514, 0x5a)]) {
    line.send(frame)
    expect((await line.receive()).toString('hex')).toBe(frame.toString('hex'))
  }
  line.close()
})

test('whoever comes last has the line, also when the one before goes in that moment', async () => {
  const frame = Buffer.alloc(80, 0x33)
  for (let n = 0; n < 30; n++) {
    const before = board.frames()
    if (n % 2 === 0) await new Promise((resolve) => setTimeout(resolve, 2))
    const line = board.frames()
    before.close()
    line.send(frame)
    expect((await line.receive()).toString('hex')).toBe(frame.toString('hex'))
    line.close()
  }
})

test('it does not tell cycles, so no task is estimated by it', { timeout: 60_000 }, async () => {
  await expect(measureDistil(near, new FabricCache(work))).rejects.toThrow('does not tell cycles')
})

test('a build that fails its self-test is rolled back by itself', { timeout: 300_000 }, async () => {
  const { build, rolledBackFrom } = await control.load(builds.broken, false)
  expect(build.manifest.id).toBe(builds.golden.manifest.id)
  expect(rolledBackFrom?.reason).toContain('summary of 1.5 and 4')
})

test('a line that is not there, or not free, is named, and nothing is written', async () => {
  const written: string[] = []
  const counting: Programmer = { ...programmer, write: async () => void written.push('') }
  const write = (attachment: { serial?: string; network?: string }): Promise<void> => {
    const folder = mkdtempSync(path.join(work, 'x'))
    return new AttachedBoard({ folder, serial, network, ...attachment }, tools, counting).write(builds.golden)
  }
  await expect(write({ serial: '/dev/ttyNone' })).rejects.toThrow(
    "The serial line '/dev/ttyNone' cannot be opened: No such file or directory.",
  )
  await expect(write({ network: 'none0' })).rejects.toThrow("There is no network interface 'none0'")
  await expect(write({ network: 'lo' })).rejects.toThrow("'lo' has the address 127.0.0.1")
  expect(written).toEqual([])
})

test('the real openFPGALoader finds no board on USB, which is said with how to mend it', async () => {
  const problem = await new OpenFpgaLoader().check(builds.golden).catch((error) => error)
  // a machine with such a board has no problem
  if (problem === undefined) return
  expect(problem).toBeInstanceOf(FabricError)
  expect(problem.message).toMatch(/^No board answers on USB\. Attach an ECPIX-5, .* openFPGALoader says: \S/)
})

test('a line that is lost is said', { timeout: 300_000 }, async () => {
  wire.stdin?.end()
  await once(wire, 'exit')
  await expect
    .poll(() => board.problem, { timeout: 10_000 })
    .toContain('The program for the lines of the board ended')
  await expect(control.read()).rejects.toMatchObject({ code: 'board' })
})
