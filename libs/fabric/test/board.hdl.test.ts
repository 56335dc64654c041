/** The software stack against the simulated board: the Verilated fabric in a process of its own. Run by `npm run hdl:test`. */
import { execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Build,
  buildFabric,
  compileModel,
  FabricCache,
  type FabricEvent,
  loadOnServer,
  readFields,
  readRegisterMap,
  registersAt,
  SimulatedBoard,
  serveBoard,
  Toolchain,
  writeSettings,
} from '../src/index.ts'
import { keepBuilds, SMALL, toEnd } from './kept-build.ts'

const isQuick = process.env.HIVEMIND_HDL_QUICK === '1'
const root = path.resolve(import.meta.dirname, '../../..')
const tools = new Toolchain()
const work = mkdtempSync(path.join(os.tmpdir(), 'hm-fabric-'))
const board = path.join(work, 'board')
const stop = new AbortController()
let golden: Build
let served: Promise<void>
let ids: Record<'golden' | 'broken' | 'foreign' | 'other', string>

beforeAll(async () => {
  const builds = await keepBuilds(work)
  golden = builds.golden
  expect(readFileSync(path.join(builds.broken.folder, 'Ecpix5.v'), 'utf8')).toContain("8'hfa")
  ids = Object.fromEntries(
    Object.entries(builds).map(([name, build]) => [name, build.manifest.id]),
  ) as typeof ids
  mkdirSync(board)
  const own = new FabricCache(work)
  const simulated = new SimulatedBoard(board, (build) => toEnd(compileModel(build, { tools, cache: own })))
  await new Promise<void>((resolve, reject) => {
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
  expect(await loadOnServer(board, { id: ids.other, allowUnmetTiming: false })).toEqual({ id: ids.other })
  const bus = registersAt(board)
  const { 'distil.build': build } = await readFields(bus, readRegisterMap(golden.folder))
  bus.close()
  expect((build as number).toString(16)).toBe(ids.other.slice(0, 8))
  expect(await loadOnServer(board, { id: ids.golden, allowUnmetTiming: false })).toEqual({ id: ids.golden })
})

test('a board that was quiet answers again', async () => {
  const bus = registersAt(board)
  await bus.read(0)
  await new Promise((resolve) => setTimeout(resolve, 1500))
  expect((await bus.read(0)).toString(16)).toBe('5348454c')
  bus.close()
})

test('a dry run only checks: what is loaded stays', async () => {
  const check = (id: string) => loadOnServer(board, { id, allowUnmetTiming: false, isDry: true })
  expect(await check(ids.other)).toEqual({ id: ids.golden })
  await expect(check(ids.foreign)).rejects.toMatchObject({ code: 'interface-mismatch' })
  const bus = registersAt(board)
  const { 'distil.build': build } = await readFields(bus, readRegisterMap(golden.folder))
  bus.close()
  expect((build as number).toString(16)).toBe(ids.golden.slice(0, 8))
})

test('a build for another interface is refused before anything is written', async () => {
  await expect(loadOnServer(board, { id: ids.foreign, allowUnmetTiming: false })).rejects.toMatchObject({
    code: 'interface-mismatch',
    message: expect.stringContaining('00000000-0000-3000-8000-000000000000'),
  })
})

test('a build that fails its self-test is rolled back by itself', { timeout: 300_000 }, async () => {
  const report = await loadOnServer(board, { id: ids.broken, allowUnmetTiming: false })
  expect(report.id).toBe(ids.golden)
  expect(report.rolledBackFrom).toMatchObject({ id: ids.broken })
  expect(report.rolledBackFrom?.reason).toContain('summary of 1.5 and 4')
})

test('mixed frames of scapy: summaries equal the reference, all else passes byte for byte', {
  timeout: 900_000,
}, async () => {
  const frames = isQuick ? 3000 : 100_000
  const bus = registersAt(board)
  await writeSettings(bus, readRegisterMap(golden.folder), {
    'distil.enabled': 1,
    keyed: 1,
    op: 2,
    window: 5,
  })
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
  expect(since('distil.summaries')).toBe(counts.summaries)
  expect(since('distil.absorbed') + since('distil.summaries')).toBe(counts.readings)
  expect([counted['shell.damaged'], counted['shell.overflowed']]).toEqual([0, 0])
})

test('a field of sensors gets the same answers of Node.js, C and the fabric, whose settings are then as before', {
  timeout: 300_000,
}, async () => {
  const settings = async () => {
    const bus = registersAt(board)
    const fields = await readFields(bus, readRegisterMap(golden.folder))
    bus.close()
    return Object.entries(fields).filter(([name]) =>
      /^distil\.(enabled|keyed|op|window|above|below)/.test(name),
    )
  }
  const before = await settings()
  const size = ['--sensors', '16', '--rounds', isQuick ? '2' : '20']
  const compare = async (...words: string[]) => {
    const cli = path.join(root, 'apps/cli/bin/hivemind.mjs')
    const args = [cli, 'nfu', 'compare', ...words, '--board', board, '--json']
    const env = { ...process.env, HIVEMIND_FABRIC_DIR: work }
    return promisify(execFile)(process.execPath, args, { env })
  }
  for (const code of ['nfu:average?window=10', 'nfu:counter?count=4', 'nfu:filter?above=20.1&below=23.3']) {
    const { results } = JSON.parse((await compare(code, ...size)).stdout) as {
      results: { name: string; equal: number; expected: number; wrong: number; latencyUs: { p50: number } }[]
    }
    expect(results.map(({ name }) => name)).toEqual(['edge, Node.js', 'edge, C', 'fabric, simulated'])
    for (const { equal, expected, wrong } of results)
      expect([equal, expected, wrong]).toEqual([results[0]?.expected, results[0]?.expected, 0])
    const fabric = results[2]?.latencyUs.p50 as number
    console.log(`${code}: ${fabric.toFixed(3)} us in the fabric`)
    expect(fabric).toBeGreaterThan(0.5)
    expect(fabric).toBeLessThan(5)
  }
  expect(await settings()).toEqual(before)
  await expect(compare('nfu:average?window=10', '--sensors', '17')).rejects.toThrow(
    'places for 16 sensors, not for 17',
  )
})

test.skipIf(isQuick)(
  'a second build gives the same bytes, and is read back',
  { timeout: 3_600_000 },
  async () => {
    const build = async (folder: string): Promise<Extract<FabricEvent, { kind: 'available' }>> => {
      const heard: FabricEvent[] = []
      await toEnd(
        buildFabric({ parameters: SMALL }, { tools, cache: new FabricCache(folder), jobs: 1 }),
        heard,
      )
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
