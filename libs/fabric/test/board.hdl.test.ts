/** The software stack against the simulated board: the Verilated fabric in a process of its own. Run by `npm run hdl:test`. */
import { spawn } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { withBuildId } from '../src/build.ts'
import {
  type Build,
  buildFabric,
  compileModel,
  FabricCache,
  type FabricEvent,
  generateFabric,
  loadOnServer,
  type Manifest,
  readFields,
  readRegisterMap,
  registersAt,
  SimulatedBoard,
  serveBoard,
  Toolchain,
  writeSettings,
} from '../src/index.ts'
import { fileHash } from '../src/tools.ts'

const isQuick = process.env.HIVEMIND_HDL_QUICK === '1'
const root = path.resolve(import.meta.dirname, '../../..')
const tools = new Toolchain()
const cache = new FabricCache()
const work = mkdtempSync(path.join(os.tmpdir(), 'hm-fabric-'))
/** Few sources and short numbers: a fabric that is built in a third of the time of the default. */
const SMALL = { sources: 16, integerBits: 24, fractionBits: 32 }
const REQUIRED = { ...SMALL, integerBits: 32, fractionBits: 64 }

async function toEnd<T>(events: AsyncGenerator<FabricEvent, T>, heard: FabricEvent[] = []): Promise<T> {
  for (;;) {
    const { done, value } = await events.next()
    if (done) return value
    if (value.kind !== 'log') heard.push(value)
  }
}

/** A build as the board sees it, without a bitstream: the simulated board takes its Verilog. */
function buildOf(name: string, generated: string, change: (verilog: string) => string, uuid?: string): Build {
  const id = Buffer.from(name.padEnd(32, ' ')).toString('hex')
  const folder = path.join(work, 'builds', id)
  mkdirSync(folder, { recursive: true })
  const verilog = readFileSync(path.join(generated, 'Ecpix5.v'), 'utf8')
  writeFileSync(path.join(folder, 'Ecpix5.v'), change(withBuildId(verilog, id)))
  copyFileSync(path.join(generated, 'registers.json'), path.join(folder, 'registers.json'))
  const map = JSON.parse(readFileSync(path.join(folder, 'registers.json'), 'utf8')) as { interface: string }
  const manifest = {
    format: 1,
    id,
    design: id,
    device: 'LFE5UM5G-85F-8BG554I',
    interface: uuid ?? map.interface,
    isTimingMet: true,
    files: { 'Ecpix5.v': fileHash(path.join(folder, 'Ecpix5.v')) },
  } as Partial<Manifest> as Manifest
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest))
  return { folder, manifest }
}

const board = path.join(work, 'board')
const stop = new AbortController()
let golden: Build
let served: Promise<void>
let ids: Record<'golden' | 'broken' | 'foreign' | 'other', string>

beforeAll(async () => {
  const { folder } = await toEnd(generateFabric(REQUIRED, { tools, cache }))
  const keep = (verilog: string): string => verilog
  golden = buildOf('golden', folder, keep)
  const other = buildOf('other', folder, keep)
  // summaries would begin with another byte than that of a CBOR double
  const broken = buildOf('broken', folder, (verilog) => verilog.replaceAll("8'hfb", "8'hfa"))
  expect(readFileSync(path.join(broken.folder, 'Ecpix5.v'), 'utf8')).toContain("8'hfa")
  const foreign = buildOf('foreign', folder, keep, '00000000-0000-3000-8000-000000000000')
  ids = Object.fromEntries(
    Object.entries({ golden, other, broken, foreign }).map(([name, build]) => [name, build.manifest.id]),
  ) as typeof ids
  mkdirSync(board)
  const simulated = new SimulatedBoard(board, (build) => toEnd(compileModel(build, { tools, cache })))
  await new Promise<void>((resolve, reject) => {
    const own = new FabricCache(work)
    served = serveBoard({
      board: simulated,
      folder: board,
      golden,
      cache: own,
      signal: stop.signal,
      ready: resolve,
    })
    served.catch(reject)
  })
}, 900_000)

afterAll(async () => {
  stop.abort()
  await served
  rmSync(work, { recursive: true, force: true })
})

test.skipIf(isQuick)('another build is loaded, and says which it is', { timeout: 300_000 }, async () => {
  expect(await loadOnServer(board, ids.other, false)).toEqual({ id: ids.other })
  const bus = registersAt(board)
  const { build } = await readFields(bus, readRegisterMap(golden.folder))
  bus.close()
  expect((build as number).toString(16)).toBe(ids.other.slice(0, 8))
  expect(await loadOnServer(board, ids.golden, false)).toEqual({ id: ids.golden })
})

test('a board that was quiet answers again', async () => {
  const bus = registersAt(board)
  await bus.read(0)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect((await bus.read(0)).toString(16)).toBe('4453544c')
  bus.close()
})

test('a build for another interface is refused before anything is written', async () => {
  await expect(loadOnServer(board, ids.foreign, false)).rejects.toMatchObject({
    code: 'interface-mismatch',
    message: expect.stringContaining('00000000-0000-3000-8000-000000000000'),
  })
})

test('a build that fails its self-test is rolled back by itself', { timeout: 300_000 }, async () => {
  const report = await loadOnServer(board, ids.broken, false)
  expect(report.id).toBe(ids.golden)
  expect(report.rolledBackFrom).toMatchObject({ id: ids.broken })
  expect(report.rolledBackFrom?.reason).toContain('summary of 1.5 and 4')
})

test('mixed frames of scapy: summaries equal the reference, all else passes byte for byte', {
  timeout: 900_000,
}, async () => {
  const frames = isQuick ? 3000 : 100_000
  const bus = registersAt(board)
  await writeSettings(bus, readRegisterMap(golden.folder), { enabled: 1, keyed: 1, op: 2, window: 5 })
  const before = await readFields(bus, readRegisterMap(golden.folder))
  const script = path.join(import.meta.dirname, 'traffic.py')
  const python = path.join(root, '.cache/python-scapy/bin/python')
  const child = spawn(python, [script, path.join(board, 'frames.sock'), String(frames), '5', '16', '1'])
  let output = ''
  let errors = ''
  child.stdout.on('data', (bytes) => (output += bytes))
  child.stderr.on('data', (bytes) => (errors += bytes))
  const code = await new Promise((resolve) => child.on('close', resolve))
  expect(code, errors).toBe(0)
  const counts = JSON.parse(output) as Record<string, number>
  console.log(`scapy: ${output.trim()}`)
  const counted = await readFields(bus, readRegisterMap(golden.folder))
  bus.close()
  const since = (name: string): number => (counted[name] as number) - (before[name] as number)
  expect(since('summaries')).toBe(counts.summaries)
  expect(since('absorbed') + since('summaries')).toBe(counts.readings)
  expect([counted.damaged, counted.overflowed]).toEqual([0, 0])
})

test.skipIf(isQuick)(
  'a second build gives the same bytes, and is read back',
  { timeout: 3_600_000 },
  async () => {
    const build = async (folder: string): Promise<Extract<FabricEvent, { kind: 'available' }>> => {
      const heard: FabricEvent[] = []
      await toEnd(buildFabric({ parameters: SMALL }, { tools, cache: new FabricCache(folder) }), heard)
      return heard.at(-1) as Extract<FabricEvent, { kind: 'available' }>
    }
    const first = await build(path.join(work, 'first'))
    const second = await build(path.join(work, 'second'))
    expect(second.isCached).toBe(false)
    expect(second.manifest).toEqual(first.manifest)
    for (const name of ['fabric.bit', 'fabric.svf', 'manifest.json'])
      expect(
        readFileSync(path.join(second.folder, name)).equals(readFileSync(path.join(first.folder, name))),
        name,
      ).toBe(true)
    expect(first.manifest.isTimingMet).toBe(true)
    expect((await build(path.join(work, 'first'))).isCached).toBe(true)
  },
)
