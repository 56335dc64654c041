/** All 1,024 placements of ten tasks on 16 drones, simulated: one thread, two workers, and an engine made for this only. */
import { bundled, own } from './peers.ts'
import { parents, placements, setting } from './placement-1024-model.ts'
import { type Command, outputOf } from './placement-hm2-peers.ts'
import type { Bench, Row } from './table.ts'

const RUNS = 5

interface Result {
  cpuS: number
  version: string
  /** Only of ours. */
  wallS?: number
  longestThreadS?: number
  /** Only of the peer. */
  events?: number
  meanMs: number
  p99Ms: number
  rssMB: number
}

interface Entry {
  name: string
  command: Command
  runs: Result[]
}

function entriesOf(): Entry[] {
  const program = bundled('placement-1024-ours')
  const engine = own('peers/placement-1024-dag.mjs')
  const ours = (workers: number): Command => [process.execPath, program, String(workers)]
  return [
    { name: 'HiveMind swarm-sim, one thread', command: ours(0), runs: [] },
    { name: 'HiveMind swarm-sim, two workers', command: ours(2), runs: [] },
    {
      name: 'JavaScript by hand, DAG engine for latency only, sorted list of events',
      command: [process.execPath, engine, JSON.stringify(setting), JSON.stringify(parents)],
      runs: [],
    },
  ]
}

/** The run that was disturbed least. */
const leastWallS = (runs: Result[]) => Math.min(...runs.map((run) => run.wallS ?? Number.NaN))

/** Verdicts on the medians of a thread, of two workers and of the peer. */
function goals([one, two, peer]: Result[], clock: number): string[] {
  if (!one || !two || !peer) return []
  const said = (met: boolean) => (met ? 'met' : 'not met')
  const threads = (one.longestThreadS ?? 0) / (two.longestThreadS ?? 1)
  const ratio = two.cpuS / peer.cpuS
  return [
    `${(one.cpuS / peer.cpuS).toFixed(2)} times the engine by hand`,
    `${ratio.toFixed(2)} times the engine by hand; floor 2.2: ${said(ratio <= 2.2)}; goal 1.5: ${said(ratio <= 1.5)}; >= 1.7 times as fast as one: ${said(clock >= 1.7)} (${clock.toFixed(2)} by the clock; ${threads.toFixed(2)} by the CPU time of the longest thread, as it would be with both cores free)`,
    '',
  ]
}

export const placement1024: Bench = {
  name: 'placement-1024',
  title: `${placements} placements, ${setting.drones} drones, ${setting.seconds} s at ${setting.rate} items a second; medians of ${RUNS} processes, interleaved`,
  async run() {
    const entries = entriesOf()
    for (let round = 0; round < RUNS; round++)
      for (const { command, runs } of entries) runs.push(JSON.parse(outputOf(command)))
    const results = entries.map(
      ({ runs }) => runs.sort((a, b) => a.cpuS - b.cpuS)[Math.floor(RUNS / 2)] as Result,
    )
    const events = results[2]?.events ?? 0
    const [one, two] = entries
    const clock = leastWallS(one?.runs ?? []) / leastWallS(two?.runs ?? [])
    const verdicts = goals(results, clock)
    return results.map(
      (result, index): Row => ({
        name: `${entries[index]?.name} ${result.version}`,
        cpuS: result.cpuS,
        figures: {
          goal: verdicts[index] ?? '',
          'least wall s': result.wallS === undefined ? '' : leastWallS(entries[index]?.runs ?? []).toFixed(1),
          'longest thread, CPU s': result.longestThreadS?.toFixed(1) ?? '',
          'M events/s': (events / result.cpuS / 1e6).toFixed(2),
          'RSS MB': result.rssMB.toFixed(0),
          'mean ms': result.meanMs.toFixed(1),
          'p99 ms': result.p99Ms.toFixed(1),
        },
      }),
    )
  },
}
