/**
 * `npm run bench [-- name...]`: runs the named benches (all without names), each against its peers in the same call,
 * and prints one table for each. Peers are installed once, into `.cache/bench/`.
 */
import { cpus, loadavg } from 'node:os'
import { agentRoundTrip } from './agent-round-trip.ts'
import { clusterCalls } from './cluster-calls.ts'
import { coPlacement } from './co-placement.ts'
import { dslCheck } from './dsl-check.ts'
import { exchange } from './exchange.ts'
import { itemPath } from './item-path.ts'
import { nfu } from './nfu.ts'
import { nfuDrops } from './nfu-drops.ts'
import { placement1024 } from './placement-1024.ts'
import { placementFront } from './placement-front.ts'
import { placementHm2 } from './placement-hm2.ts'
import { runCore } from './run-core.ts'
import { runMemory } from './run-memory.ts'
import { sandbox } from './sandbox.ts'
import { simAccuracy } from './sim-accuracy.ts'
import { store } from './store.ts'
import type { Bench } from './table.ts'
import { render } from './table.ts'
import { validation } from './validation.ts'

const benches: Bench[] = [
  placementHm2,
  placement1024,
  simAccuracy,
  placementFront,
  dslCheck,
  itemPath,
  agentRoundTrip,
  runCore,
  runMemory,
  sandbox,
  store,
  exchange,
  coPlacement,
  clusterCalls,
  nfu,
  nfuDrops,
  validation,
]

const names = process.argv.slice(2).filter((each) => !each.startsWith('--'))
const unknown = names.filter((name) => !benches.some((bench) => bench.name === name))
if (unknown.length > 0) {
  console.error(`There is no bench '${unknown[0]}'. Known: ${benches.map((bench) => bench.name).join(', ')}.`)
  process.exit(2)
}
const processor = cpus()[0]?.model ?? 'an unknown processor'
console.log(`Machine: ${cpus().length} x ${processor}, ${process.platform} ${process.arch}`)
console.log(
  `Command: npm run bench${process.argv.length > 2 ? ` -- ${process.argv.slice(2).join(' ')}` : ''}`,
)
console.log(`Load average at the start: ${loadavg()[0]?.toFixed(1)}; what else runs makes CPU seconds longer`)
for (const bench of benches.filter((each) => names.length === 0 || names.includes(each.name))) {
  console.log(`\n## ${bench.name}: ${bench.title}\n`)
  console.log(render(await bench.run()))
}
