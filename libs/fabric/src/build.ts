import {
  copyFileSync,
  createReadStream,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { FabricError } from './error.ts'
import type { FabricEvent, FabricStage } from './events.ts'
import { type Floorplan, readArrivals, readPlacement } from './floorplan.ts'
import { type FabricRequest, type GenerateOptions, generateFabric } from './generate.ts'
import { FORMAT, idWord, type Manifest, readManifest, type SeedResult } from './manifest.ts'
import { lines } from './process.ts'
import { isTimingMet, readReport, worstRatio } from './report.ts'
import { synthesisOf } from './synthesis.ts'
import { fileHash, hashOf, type Toolchain } from './tools.ts'

const DEVICE = 'LFE5UM5G-85F-8BG554I'
const BOARD = 'ecpix5'
const TOP = 'Ecpix5'
const VERILOG = `${TOP}.v`
/** The design that nextpnr writes once it is placed, and what is kept of it. */
const PLACED = 'placed.json'
const FLOORPLAN = 'floorplan.json'
const SYNTHESIS = synthesisOf(TOP)
const PLACE_AND_ROUTE = [
  ...['--um5g-85k', '--package', 'CABGA554', '--speed', '8'],
  ...['--timing-allow-fail', '--detailed-timing-report'],
]

/** What a build is asked for. */
export interface BuildRequest extends FabricRequest {
  /** Seeds of place and route; the result with the best timing is packed. `[1]` when left out. */
  seeds?: number[]
}

/**
 * Builds the bitstream of a fabric: Verilog, synthesis, place and route with each seed, `.bit` and `.svf`, and reads it back.
 * Yields what happens; the last event is `available`. A build that does not meet its timing is kept, and its manifest says so.
 * Equal inputs give equal bytes, and are built once.
 */
export async function* buildFabric(
  { seeds = [1], ...request }: BuildRequest,
  options: GenerateOptions,
): AsyncGenerator<FabricEvent> {
  if (seeds.length === 0 || seeds.some((seed) => !Number.isSafeInteger(seed) || seed < 1))
    throw new FabricError('bad-parameters', `Seeds must be whole numbers from 1, not '${seeds.join(', ')}'.`)
  const { folder: generated, engines, parameters } = yield* generateFabric(request, options)
  const documents = readdirSync(generated).filter((name) => name.startsWith('registers'))
  const { tools, cache } = options
  const verilog = readFileSync(path.join(generated, VERILOG), 'utf8')
  const pins = path.join(tools.sources, `${BOARD}.lpf`)
  const versions = tools.versions()
  const flow = JSON.stringify([versions, DEVICE, SYNTHESIS, PLACE_AND_ROUTE])
  const design: Design = { id: hashOf([verilog, readFileSync(pins), flow]), engines, verilog, pins }
  const id = hashOf([design.id, JSON.stringify(seeds)])
  const isCached = existsSync(cache.pathOf('builds', id))
  const folder = yield* cache.once('builds', id, async function* (work): AsyncGenerator<FabricEvent> {
    const routed = yield* placeAndRoute(design, seeds, options)
    const best = routed.reduce((a, b) => (worstRatio(b.result.clocks) > worstRatio(a.result.clocks) ? b : a))
    writeFileSync(path.join(work, VERILOG), withBuildId(verilog, design.id))
    for (const name of documents) copyFileSync(path.join(generated, name), path.join(work, name))
    yield* pack(work, id, path.join(best.folder, 'routed.config'), options)
    copyFileSync(path.join(best.folder, FLOORPLAN), path.join(work, FLOORPLAN))
    const files = ['fabric.bit', 'fabric.svf', VERILOG, FLOORPLAN, ...documents.sort()]
    const manifest: Manifest = {
      format: FORMAT,
      id,
      design: design.id,
      engines,
      device: DEVICE,
      board: BOARD,
      parameters,
      interface: interfaceOf(readFileSync(path.join(work, 'registers.json'), 'utf8')),
      registerMapHash: fileHash(path.join(work, 'registers.json')),
      tools: versions,
      seeds: routed.map(({ result }) => result),
      seed: best.result.seed,
      isTimingMet: best.result.isTimingMet,
      ...readReport(readFileSync(path.join(best.folder, 'report.json'), 'utf8')),
      files: Object.fromEntries(files.map((name) => [name, fileHash(path.join(work, name))])),
    }
    writeFileSync(path.join(work, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  })
  yield { kind: 'available', folder, manifest: readManifest(folder), isCached }
}

/** What is placed and routed: equal designs have equal ids, whatever the seeds. */
interface Design {
  id: string
  engines: readonly string[]
  verilog: string
  /** The file of constraints. */
  pins: string
}

/** Writes the identity of a build over the 0 of the generated module `BuildId`, of which each engine may have its own. */
export function withBuildId(verilog: string, id: string): string {
  const identity = `32'h${id.slice(0, 8)}`
  let found = 0
  const changed = verilog.replace(/^module BuildId(?:_\d+)? [\s\S]*?^endmodule$/gm, (module) =>
    module.replace(/32'h0+\b/, () => {
      found++
      return identity
    }),
  )
  if (found > 0) return changed
  throw new FabricError(
    'stage-failed',
    'The generated Verilog has no module BuildId to write the identity into.',
  )
}

function interfaceOf(registers: string): string {
  const { interface: uuid } = JSON.parse(registers) as { interface?: string }
  if (!uuid) throw new FabricError('stage-failed', 'The register map names no interface.')
  return uuid
}

type Runner = (
  stage: FabricStage,
  command: ReturnType<Toolchain['fpga']>,
  seed?: number,
) => AsyncGenerator<FabricEvent>

/** Runs one stage in `work`, with its log in a file and as events. */
const runner = (work: string, { signal }: GenerateOptions): Runner =>
  async function* (stage, command, seed) {
    yield seed === undefined ? { kind: 'stage', stage } : { kind: 'stage', stage, seed }
    const what = seed === undefined ? `The stage '${stage}'` : `The stage '${stage}' with seed ${seed}`
    const log: string[] = []
    for await (const line of lines(command, what, signal)) {
      log.push(line)
      yield { kind: 'log', line }
    }
    writeFileSync(path.join(work, `${stage.replaceAll(' ', '-')}${seed ?? ''}.log`), `${log.join('\n')}\n`)
  }

/** The netlist of a design, from the cache or by Yosys. Returns its folder. */
async function* synthesise(design: Design, options: GenerateOptions): AsyncGenerator<FabricEvent, string> {
  return yield* options.cache.once(
    'netlists',
    design.id,
    async function* (work): AsyncGenerator<FabricEvent> {
      writeFileSync(path.join(work, VERILOG), withBuildId(design.verilog, design.id))
      yield* runner(work, options)('synthesis', options.tools.fpga('yosys', ['-p', SYNTHESIS], work))
    },
  )
}

interface Routed {
  folder: string
  result: SeedResult
}

/** The result of each seed, from the cache or by nextpnr. */
async function* placeAndRoute(
  design: Design,
  seeds: number[],
  options: GenerateOptions,
): AsyncGenerator<FabricEvent, Routed[]> {
  const netlist = yield* synthesise(design, options)
  const results: Routed[] = []
  for (const seed of seeds) {
    const hash = hashOf([design.id, String(seed)])
    const folder = yield* options.cache.once(
      'routed',
      hash,
      async function* (work): AsyncGenerator<FabricEvent> {
        copyFileSync(design.pins, path.join(work, 'pins.lpf'))
        copyFileSync(path.join(netlist, 'netlist.json'), path.join(work, 'netlist.json'))
        const files = [
          '--json',
          'netlist.json',
          '--lpf',
          'pins.lpf',
          '--textcfg',
          'routed.config',
          '--report',
          'report.json',
          '--write',
          PLACED,
        ]
        const command = options.tools.fpga(
          'nextpnr-ecp5',
          [...PLACE_AND_ROUTE, '--seed', String(seed), ...files],
          work,
        )
        yield* runner(work, options)('place and route', command, seed)
        writeFileSync(path.join(work, FLOORPLAN), JSON.stringify(await floorplanIn(work, design)))
        for (const name of ['netlist.json', PLACED]) rmSync(path.join(work, name))
      },
    )
    const { clocks } = readReport(readFileSync(path.join(folder, 'report.json'), 'utf8'))
    results.push({ folder, result: { seed, clocks, isTimingMet: isTimingMet(clocks) } })
  }
  return results
}

/** What nextpnr has written of a placement and its timing, as a picture needs it. */
async function floorplanIn(work: string, { engines }: Design): Promise<Floorplan> {
  const lines = createInterface({ input: createReadStream(path.join(work, PLACED)) })
  const placement = await readPlacement(lines, DEVICE, engines)
  return { ...placement, arrivals: readArrivals(readFileSync(path.join(work, 'report.json'), 'utf8')) }
}

/** Packs a configuration, and holds that the bitstream unpacked and packed again has the same bytes. */
async function* pack(
  work: string,
  id: string,
  config: string,
  options: GenerateOptions,
): AsyncGenerator<FabricEvent> {
  const run = runner(work, options)
  const flags = ['--compress', '--usercode', String(idWord(id))]
  const packing = (input: string, ...outputs: string[]) =>
    options.tools.fpga('ecppack', [...flags, '--input', input, ...outputs], work)
  copyFileSync(config, path.join(work, 'routed.config'))
  yield* run('pack', packing('routed.config', '--bit', 'fabric.bit', '--svf', 'fabric.svf'))
  const unpacking = ['--input', 'fabric.bit', '--textcfg', 'back.config']
  yield* run('read back', options.tools.fpga('ecpunpack', unpacking, work))
  yield* run('read back', packing('back.config', '--bit', 'back.bit'))
  if (fileHash(path.join(work, 'back.bit')) !== fileHash(path.join(work, 'fabric.bit')))
    throw new FabricError(
      'stage-failed',
      'The bitstream, unpacked and packed again, has other bytes: it is not what was routed.',
    )
  for (const name of ['routed.config', 'back.config', 'back.bit']) rmSync(path.join(work, name))
}
