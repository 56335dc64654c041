/** A task on the fabric: estimated by the board's own cycles, and run on it by the command. Run by `npm run hdl:test`. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type Build,
  compileModel,
  DistilUnit,
  FabricCache,
  loadOnServer,
  measureDistil,
  readFields,
  readRegisterMap,
  registersAt,
  SimulatedBoard,
  serveBoard,
  Toolchain,
} from '../src/index.ts'
import { keepBuilds, toEnd } from './kept-build.ts'

const root = path.resolve(import.meta.dirname, '../../..')
const work = mkdtempSync(path.join(os.tmpdir(), 'hm-tier-'))
const board = path.join(work, 'board')
const cache = new FabricCache(work)
const stop = new AbortController()
let golden: Build
let other: Build
let served: Promise<void>

beforeAll(async () => {
  const builds = await keepBuilds(work)
  golden = builds.golden
  other = builds.other
  mkdirSync(board)
  const tools = new Toolchain()
  const simulated = new SimulatedBoard(board, (build) => toEnd(compileModel(build, { tools, cache })))
  await new Promise<void>((resolve, reject) => {
    served = serveBoard({
      board: simulated,
      folder: board,
      golden,
      cache,
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

const started = (...words: string[]) => {
  const cli = path.join(root, 'apps/cli/bin/hivemind.mjs')
  const env = { ...process.env, HIVEMIND_FABRIC_DIR: work }
  return promisify(execFile)(process.execPath, [cli, ...words, '--json'], { env })
}
const hivemind = async (...words: string[]) => JSON.parse((await started(...words)).stdout)
const example = path.join(root, 'examples/sensor-field')

const counters = async () => {
  const bus = registersAt(board)
  const fields = await readFields(bus, readRegisterMap(golden.folder))
  bus.close()
  return fields as Record<string, number>
}

test('a fabric is estimated by the cycles that are measured on its board', { timeout: 300_000 }, async () => {
  const { cyclesPerItem, places, clockMHz } = await measureDistil(board, cache)
  console.log(`distil: ${cyclesPerItem} cycles from a reading to its summary`)
  expect(cyclesPerItem).toBeGreaterThan(60)
  expect(cyclesPerItem).toBeLessThan(200)
  expect([places, clockMHz]).toEqual([16, 125])
  const { candidates, inputs } = await hivemind('explore', example, '--fleet', 'local', '--board', board)
  expect(inputs.fleetUsed.fabric).toMatchObject({ boards: 1, places, clockMHz, cyclesPerItem })
  const onFabric = candidates.find((each: { baseline?: string }) => each.baseline === 'all-fabric')
  expect(onFabric.placement).toEqual({ sense: 'edge', average: 'fabric', field: 'cloud' })
})

test('a run on the fabric gives what it gives on the devices, and the fabric has computed it', {
  timeout: 300_000,
}, async () => {
  const before = await counters()
  const run = (placement: string, ...more: string[]) =>
    hivemind('run', example, '--placement', placement, '--agents', '4', '--items', '40', ...more)
  const fabric = await run('average=fabric', '--board', board)
  const edge = await run('average=edge')
  expect(fabric.state).toBe('succeeded')
  const values = ({ outputs }: { outputs: { value: unknown }[] }) => outputs.map(({ value }) => value)
  expect(values(fabric)).toEqual(values(edge))
  const spans = fabric.spans.filter(({ task }: { task: string }) => task === 'average')
  expect(spans).toHaveLength(4 * 40)
  for (const { tier } of spans) expect(tier).toBe('fabric')
  // what left the fabric took its cycles, and not the time of a simulation
  const taken = spans.map(({ breakdown }: { breakdown: { execution: number } }) => breakdown.execution * 1000)
  expect(taken.filter((us: number) => us > 0)).toHaveLength(4 * 4)
  for (const us of taken) expect(us).toBeLessThan(2)
  const after = await counters()
  const since = (name: string) => (after[`distil.${name}`] as number) - (before[`distil.${name}`] as number)
  // with what the command has measured, five windows of two
  expect([since('summaries'), since('absorbed')]).toEqual([16 + 5, 144 + 5])
  // the board is left as it was
  for (const name of ['enabled', 'keyed', 'op', 'window'])
    expect(after[`distil.${name}`], name).toBe(before[`distil.${name}`])
})

test('a reading that fixed point does not hold passes; who lost the board to somebody else leaves it alone', {
  timeout: 300_000,
}, async () => {
  const wanted = { op: 'max' as const, window: 2, above: -Infinity, below: Infinity }
  const first = await DistilUnit.open(board, wanted, cache)
  expect(await first.give(3, 2 ** 40)).toMatchObject({ fate: 'passed' })
  expect(await first.give(3, 5)).toMatchObject({ fate: 'absorbed' })
  expect(await first.give(3, 4)).toMatchObject({ fate: 'summary', value: 5 })
  const second = await DistilUnit.open(board, { ...wanted, op: 'min' }, cache)
  await expect(first.give(3, 1)).rejects.toMatchObject({ code: 'board' })
  await first.close()
  await second.give(3, 5)
  expect(await second.give(3, 4)).toMatchObject({ fate: 'summary', value: 4 })
  await second.give(3, 7)
  await second.startAnew()
  await second.give(3, 9)
  expect(await second.give(3, 8)).toMatchObject({ fate: 'summary', value: 8 })
  await second.close()
  // as the first has left it
  expect((await counters())['distil.op']).toBe(4)
  const third = await DistilUnit.open(board, wanted, cache, first)
  await third.close()
  expect((await counters())['distil.enabled']).toBe(0)
})

test('a load in the midst of a run costs no item: what the fabric does not have is computed beside it', {
  timeout: 300_000,
}, async () => {
  const options = ['--placement', 'average=fabric', '--board', board, '--items', '30']
  const command = started('run', example, ...options)
  await new Promise<void>((resolve, reject) => {
    command.child.stderr?.on('data', (text) => String(text).includes('run running') && resolve())
    command.catch(reject)
  })
  await loadOnServer(board, { id: other.manifest.id, allowUnmetTiming: false })
  const { state, outputs } = JSON.parse((await command).stdout)
  expect(state).toBe('succeeded')
  const edge = await hivemind('run', example, '--placement', 'average=edge', '--items', '30')
  expect(outputs[0].value).toEqual(edge.outputs[0].value)
})

test('a board that is loaded while it is measured is measured again', { timeout: 300_000 }, async () => {
  const measured = measureDistil(board, cache)
  measured.catch(() => {})
  await loadOnServer(board, { id: golden.manifest.id, allowUnmetTiming: false })
  expect((await measured).build).toBe(golden.manifest.id)
})
