/** Our simulator and its peers on one model, HM2 (docs/bench/simulator.md). */
import { bundled } from './peers.ts'
import { type Command, type Hm2Peer, type Hm2Result, hm2Peers, resultOf } from './placement-hm2-peers.ts'
import type { Bench, Row } from './table.ts'

const RUNS = 3
const FRAMES = 120
/** What the model says happens to a frame: emitted, up, there, served, down, delivered. */
const EVENTS = 6
const MEMORY_MB = 150

/** `--devices=N` after the name of the bench. */
function devicesAsked(): number {
  const given = process.argv.find((each) => each.startsWith('--devices='))
  const devices = given ? Number(given.slice('--devices='.length)) : 4000
  if (!Number.isInteger(devices) || devices < 1)
    throw new Error(`'${given}' is no number of devices: give a whole number, such as --devices=1000`)
  return devices
}

const devices = devicesAsked()

interface Entry {
  name: string
  peer?: Hm2Peer
  command?: Command
  runs: Hm2Result[]
  /** Why there is no figure. */
  problem?: string
}

function attempt(entry: Entry, action: () => void): void {
  try {
    action()
  } catch (error) {
    entry.problem = error instanceof Error ? error.message : String(error)
  }
}

function prepared(peer: Hm2Peer): Entry {
  const entry: Entry = { name: peer.name, peer, runs: [] }
  attempt(entry, () => {
    entry.command = peer.prepare()
  })
  return entry
}

function run(entry: Entry): void {
  attempt(entry, () => {
    if (entry.command) entry.runs.push(resultOf(entry.command, devices))
  })
}

function median({ runs }: Entry): Hm2Result | undefined {
  return [...runs].sort((a, b) => a.cpuS - b.cpuS)[Math.floor(runs.length / 2)]
}

function verdict({ peer }: Entry, result: Hm2Result, oursS: number): string {
  if (!peer) return `<= ${MEMORY_MB} MB: ${result.rssMB <= MEMORY_MB ? 'met' : 'not met'}`
  if (!peer.goal) return ''
  const { floor, goal } = peer.goal
  const said = (least: number) => `${least}: ${result.cpuS / oursS >= least ? 'met' : 'not met'}`
  return `floor ${said(floor)}; goal ${said(goal)}`
}

function row(entry: Entry, oursS: number): Row {
  const result = median(entry)
  if (entry.problem !== undefined || !result)
    return { name: entry.name, cpuS: Number.NaN, figures: { note: entry.problem ?? 'it did not run' } }
  const events = EVENTS * FRAMES * devices
  return {
    name: `${entry.name} ${entry.peer?.version?.() ?? result.version}`,
    cpuS: result.cpuS,
    oursS,
    figures: {
      goal: verdict(entry, result, oursS),
      'M events/s': (events / result.cpuS / 1e6).toFixed(2),
      'RSS MB': result.rssMB.toFixed(0),
      'mean s': result.meanS.toFixed(4),
      'p99 s': result.p99S.toFixed(4),
    },
  }
}

export const placementHm2: Bench = {
  name: 'placement-hm2',
  title: `${devices} devices, ${FRAMES} frames each, uplink, cloud containers, downlink; medians of ${RUNS} processes, interleaved`,
  async run() {
    const ours = bundled('placement-hm2-ours')
    const entries: Entry[] = [
      { name: 'HiveMind swarm-sim', command: [process.execPath, ours], runs: [] },
      ...hm2Peers.map(prepared),
    ]
    for (let round = 0; round < RUNS; round++)
      for (const entry of entries) if (entry.problem === undefined) run(entry)
    const oursS = median(entries[0] as Entry)?.cpuS ?? Number.NaN
    return entries.map((entry) => row(entry, oursS))
  },
}
