import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { FabricError } from './error.ts'
import type { FabricEvent, FabricStage } from './events.ts'
import { type FabricRequest, type GenerateOptions, generateFabric } from './generate.ts'
import { FORMAT, idWord, type Manifest, readManifest } from './manifest.ts'
import { DEVICE, FLOORPLAN, PLACE_AND_ROUTE, placeAndRoute, type RouteOptions } from './place-and-route.ts'
import type { Command } from './process.ts'
import { readReport, worstRatio } from './report.ts'
import { PATIENCE } from './router.ts'
import { runStage } from './stage.ts'
import { synthesisOf } from './synthesis.ts'
import { fileHash, hashOf } from './tools.ts'

const BOARD = 'ecpix5'
const TOP = 'Ecpix5'
const VERILOG = `${TOP}.v`
const SYNTHESIS = synthesisOf(TOP)

const DEFAULT_SEEDS = [1, 2, 3, 4, 5]

/** What a build is asked for. */
export interface BuildRequest extends FabricRequest {
  /** Seeds of place and route to try: until one meets the timing, and if none does, the best is packed. 1 to 5 when left out. */
  seeds?: number[]
  /** Tries all of them, and packs the best. */
  sweep?: boolean
}

/**
 * Builds the bitstream of a fabric: Verilog, synthesis, place and route with each seed, `.bit` and `.svf`, and reads it back.
 * Yields what happens; the last event is `available`. A build that does not meet its timing is kept, and its manifest says so; so it does
 * of seeds whose router went in circles.
 * Equal inputs give equal bytes, and are built once.
 */
export async function* buildFabric(
  { seeds = DEFAULT_SEEDS, sweep = false, ...request }: BuildRequest,
  options: RouteOptions,
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
  const design = hashOf([verilog, readFileSync(pins), flow])
  const generator = tools.generatorHash()
  const id = hashOf([design, generator, JSON.stringify([seeds, sweep, PATIENCE])])
  const isCached = existsSync(cache.pathOf('builds', id))
  const folder = yield* cache.once('builds', id, async function* (work): AsyncGenerator<FabricEvent> {
    const netlist = yield* synthesise(design, verilog, options)
    const tried = yield* placeAndRoute({ id: design, engines, pins, netlist }, { seeds, sweep }, options)
    const routed = tried.filter(({ result }) => result.problem === undefined)
    const best = routed.reduce((a, b) => (worstRatio(b.result.clocks) > worstRatio(a.result.clocks) ? b : a))
    writeFileSync(path.join(work, VERILOG), withBuildId(verilog, design))
    for (const name of documents) copyFileSync(path.join(generated, name), path.join(work, name))
    yield* pack(work, id, path.join(best.folder, 'routed.config'), options)
    copyFileSync(path.join(best.folder, FLOORPLAN), path.join(work, FLOORPLAN))
    const files = ['fabric.bit', 'fabric.svf', VERILOG, FLOORPLAN, ...documents.sort()]
    const manifest: Manifest = {
      format: FORMAT,
      id,
      design,
      generator,
      engines,
      device: DEVICE,
      board: BOARD,
      parameters,
      interface: interfaceOf(readFileSync(path.join(work, 'registers.json'), 'utf8')),
      registerMapHash: fileHash(path.join(work, 'registers.json')),
      tools: versions,
      seeds: tried.map(({ result }) => result),
      seed: best.result.seed,
      isTimingMet: best.result.isTimingMet,
      ...readReport(readFileSync(path.join(best.folder, 'report.json'), 'utf8')),
      files: Object.fromEntries(files.map((name) => [name, fileHash(path.join(work, name))])),
    }
    writeFileSync(path.join(work, 'manifest.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  })
  yield { kind: 'available', folder, manifest: readManifest(folder), isCached }
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

/** The netlist of a design, from the cache or by Yosys. Returns its folder. */
async function* synthesise(
  id: string,
  verilog: string,
  options: GenerateOptions,
): AsyncGenerator<FabricEvent, string> {
  return yield* options.cache.once('netlists', id, async function* (work): AsyncGenerator<FabricEvent> {
    writeFileSync(path.join(work, VERILOG), withBuildId(verilog, id))
    const yosys = options.tools.fpga('yosys', ['-p', SYNTHESIS], work)
    yield* runStage(work, { stage: 'synthesis' }, yosys, options)
  })
}

/** Packs a configuration, and holds that the bitstream unpacked and packed again has the same bytes. */
async function* pack(
  work: string,
  id: string,
  config: string,
  options: GenerateOptions,
): AsyncGenerator<FabricEvent> {
  const run = (stage: FabricStage, command: Command): AsyncGenerator<FabricEvent> =>
    runStage(work, { stage }, command, options)
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
