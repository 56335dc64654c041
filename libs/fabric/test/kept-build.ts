/** Builds without a bitstream, made in seconds: the simulated board takes their Verilog. */
import { copyFileSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { withBuildId } from '../src/build.ts'
import {
  type Build,
  FabricCache,
  type FabricEvent,
  generateFabric,
  type Manifest,
  type Parameters,
  Toolchain,
} from '../src/index.ts'
import { fileHash } from '../src/tools.ts'

/** Few sources: a fabric that is compiled in a third of the time of the default. */
export const SMALL = { 'distil.sources': 16, 'distil.integerBits': 24, 'distil.fractionBits': 32 }
const FOR_BOARDS = {
  engines: 'distil+dispatch+rmem+rpc',
  parameters: {
    ...{ 'distil.sources': 16, 'dispatch.invocations': 16, 'dispatch.inFlight': 64, 'rmem.sets': 16 },
    ...{ 'rpc.flows': 2, 'rpc.maxBatch': 4, 'rpc.maxRing': 16, 'rpc.connections': 16 },
  },
}

/** Hears all events of a piece of work but its log; gives its result. */
export async function toEnd<T>(
  events: AsyncGenerator<FabricEvent, T>,
  heard: FabricEvent[] = [],
): Promise<T> {
  for (;;) {
    const { done, value } = await events.next()
    if (done) return value
    if (value.kind !== 'log') heard.push(value)
  }
}

/**
 * Keeps builds of one fabric in the cache of a folder: `golden` and `other`, `broken`, whose summaries are wrong, and `foreign`,
 * which names another register interface. Models are shared with the usual cache, so that each is compiled once.
 */
export async function keepBuilds(folder: string) {
  const usual = new FabricCache()
  const { folder: generated, parameters } = await toEnd(
    generateFabric(FOR_BOARDS, { tools: new Toolchain(), cache: usual }),
  )
  mkdirSync(usual.pathOf('models', ''), { recursive: true })
  symlinkSync(usual.pathOf('models', ''), path.join(folder, 'models'))
  return {
    golden: buildOf(folder, 'golden', generated, parameters),
    other: buildOf(folder, 'other', generated, parameters),
    broken: buildOf(folder, 'broken', generated, parameters, { change: withoutMarker }),
    foreign: buildOf(folder, 'foreign', generated, parameters, {
      uuid: '00000000-0000-3000-8000-000000000000',
    }),
  }
}

/** Summaries begin with another byte than that of a CBOR double. */
const withoutMarker = (verilog: string): string => verilog.replaceAll("8'hfb", "8'hfa")

/**
 * Keeps a build in the cache of a folder.
 * @param generated folder that the generator has written
 * @param change plants a bug into its Verilog; `uuid` is another register interface than its own
 */
function buildOf(
  cache: string,
  name: string,
  generated: string,
  parameters: Parameters,
  { change = (verilog) => verilog, uuid }: { change?: (verilog: string) => string; uuid?: string } = {},
): Build {
  const id = Buffer.from(name.padEnd(32, ' ')).toString('hex')
  const folder = path.join(cache, 'builds', id)
  mkdirSync(folder, { recursive: true })
  const verilog = readFileSync(path.join(generated, 'Ecpix5.v'), 'utf8')
  writeFileSync(path.join(folder, 'Ecpix5.v'), change(withBuildId(verilog, id)))
  copyFileSync(path.join(generated, 'registers.json'), path.join(folder, 'registers.json'))
  const map = JSON.parse(readFileSync(path.join(folder, 'registers.json'), 'utf8')) as { interface: string }
  const manifest: Manifest = {
    format: 3,
    id,
    design: id,
    generator: id,
    engines: ['distil', 'dispatch', 'rmem', 'rpc'],
    device: 'LFE5UM5G-85F-8BG554I',
    board: 'ECPIX-5',
    parameters,
    interface: uuid ?? map.interface,
    registerMapHash: id,
    tools: {},
    seeds: [],
    seed: 1,
    isTimingMet: true,
    clocks: [],
    criticalPaths: [],
    utilisation: [],
    files: { 'Ecpix5.v': fileHash(path.join(folder, 'Ecpix5.v')) },
  }
  writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify(manifest))
  return { folder, manifest }
}
