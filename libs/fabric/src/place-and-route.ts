import { copyFileSync, createReadStream, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { FabricError } from './error.ts'
import type { FabricEvent } from './events.ts'
import { type Floorplan, readArrivals, readPlacement } from './floorplan.ts'
import type { GenerateOptions } from './generate.ts'
import { inParallel } from './in-parallel.ts'
import type { SeedResult } from './manifest.ts'
import { isTimingMet, readReport } from './report.ts'
import { PATIENCE, Router } from './router.ts'
import { runStage } from './stage.ts'
import { hashOf } from './tools.ts'

export const DEVICE = 'LFE5UM5G-85F-8BG554I'
export const FLOORPLAN = 'floorplan.json'
/** How nextpnr is called, whatever the design. */
export const PLACE_AND_ROUTE = [
  ...['--um5g-85k', '--package', 'CABGA554', '--speed', '8'],
  // wires a third shorter, and half the time, of the default (docs/bench/fabric-build.md)
  ...['--placer', 'static'],
  ...['--timing-allow-fail', '--detailed-timing-report'],
]
/** The design that nextpnr writes once it is placed. */
const PLACED = 'placed.json'
/** Stands in place of a result of which the router could not be brought to its end. */
const GIVEN_UP = 'given-up.json'
/** What nextpnr takes for half a device, 1.1 GB, with room for more. In bytes. */
const MEMORY = 2e9

/** What is placed and routed: equal designs have equal ids, whatever the seeds. */
export interface Design {
  id: string
  engines: readonly string[]
  /** The file of constraints. */
  pins: string
  /** The folder of its netlist. */
  netlist: string
}

/** How seeds are tried; it changes nothing of what they give. */
export interface RouteOptions extends GenerateOptions {
  /** Seeds that are tried at once; as many as there are cores and memory for when left out. */
  jobs?: number
}

/** What a seed gave, and the folder of it: a `routed.config`, a `report.json` and a floorplan where it was routed. */
export interface Routed {
  folder: string
  result: SeedResult
}

/** The seeds that this machine can try at once. */
export const defaultJobs = (): number =>
  Math.max(1, Math.min(os.availableParallelism(), Math.floor(process.availableMemory() / MEMORY)))

/**
 * The result of each seed, in their order, from the cache or by nextpnr: up to the first that meets the timing, or with `sweep` of all. Throws
 * `stage-failed` where no seed could be routed.
 */
export async function* placeAndRoute(
  design: Design,
  { seeds, sweep }: { seeds: number[]; sweep: boolean },
  options: RouteOptions,
): AsyncGenerator<FabricEvent, Routed[]> {
  const { jobs = defaultJobs(), signal } = options
  const results = yield* inParallel(
    seeds,
    jobs,
    (seed, stopped) => trySeed(design, seed, { ...options, signal: stopped }),
    ({ result }) => !sweep && result.isTimingMet,
    signal,
  )
  if (results.some(({ result }) => result.problem === undefined)) return results
  const problems = results.map(({ result }) => `Seed ${result.seed}: ${result.problem}.`)
  throw new FabricError(
    'stage-failed',
    `No seed could be routed. ${problems.join(' ')} Try more seeds, fewer engines, or smaller parameters.`,
  )
}

async function* trySeed(
  design: Design,
  seed: number,
  options: GenerateOptions,
): AsyncGenerator<FabricEvent, Routed> {
  const { cache } = options
  const hash = hashOf([design.id, String(seed)])
  const kept = path.join(cache.pathOf('routed', hash), GIVEN_UP)
  if (existsSync(kept) && !readGivenUp(kept).isCurrent) rmSync(path.dirname(kept), { recursive: true })
  const folder = yield* cache.once('routed', hash, async function* (work): AsyncGenerator<FabricEvent> {
    const problem = yield* route(work, design, seed, options)
    if (problem !== undefined)
      writeFileSync(path.join(work, GIVEN_UP), JSON.stringify({ patience: PATIENCE, problem }))
    else {
      const plan = await floorplanIn(work, design)
      writeFileSync(path.join(work, FLOORPLAN), JSON.stringify(plan))
    }
    for (const name of ['netlist.json', PLACED]) rmSync(path.join(work, name), { force: true })
  })
  if (existsSync(kept)) {
    const { problem } = readGivenUp(kept)
    yield { kind: 'given up', seed, problem }
    return { folder, result: { seed, clocks: [], isTimingMet: false, problem } }
  }
  const { clocks } = readReport(readFileSync(path.join(folder, 'report.json'), 'utf8'))
  return { folder, result: { seed, clocks, isTimingMet: isTimingMet(clocks) } }
}

/** Runs nextpnr in `work`; returns why it was ended before its end, if it was. */
async function* route(
  work: string,
  { netlist, pins }: Design,
  seed: number,
  options: GenerateOptions,
): AsyncGenerator<FabricEvent, string | undefined> {
  copyFileSync(pins, path.join(work, 'pins.lpf'))
  copyFileSync(path.join(netlist, 'netlist.json'), path.join(work, 'netlist.json'))
  const inputs = ['--json', 'netlist.json', '--lpf', 'pins.lpf', '--seed', String(seed)]
  const outputs = ['--textcfg', 'routed.config', '--report', 'report.json', '--write', PLACED]
  const command = options.tools.fpga('nextpnr-ecp5', [...PLACE_AND_ROUTE, ...inputs, ...outputs], work)
  const router = new Router()
  for await (const event of runStage(work, { stage: 'place and route', seed }, command, options)) {
    yield event
    const routing = event.kind === 'log' ? router.read(event.line) : undefined
    if (routing) yield { kind: 'routing', seed, ...routing }
    if (router.problem !== undefined) return router.problem
  }
}

function readGivenUp(file: string): { problem: string; isCurrent: boolean } {
  const { patience, problem } = JSON.parse(readFileSync(file, 'utf8'))
  return { problem, isCurrent: JSON.stringify(patience) === JSON.stringify(PATIENCE) }
}

/** What nextpnr has written of a placement and its timing, as a picture needs it. */
async function floorplanIn(work: string, { engines }: Design): Promise<Floorplan> {
  const lines = createInterface({ input: createReadStream(path.join(work, PLACED)) })
  const placement = await readPlacement(lines, DEVICE, engines)
  return { ...placement, arrivals: readArrivals(readFileSync(path.join(work, 'report.json'), 'utf8')) }
}
