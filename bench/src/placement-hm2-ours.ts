/** One run of HM2 by our simulator: prints its figures as JSON. Argument: number of devices. */
import { setTimeout } from 'node:timers/promises'
import { simulate, withItems } from '@hivemind/swarm-sim'
import { hm2 } from './placement-hm2-model.ts'

const model = hm2(Number(process.argv[2]))
// compiled by then, as it is in a service or in a browser; the compiler's own threads get time to end
for (let seed = 2; seed < 6; seed++) simulate(withItems(model, 20), { seed })
await setTimeout(100)
const before = process.cpuUsage()
const { latencyMs } = simulate(model, { seed: 1 })
const used = process.cpuUsage(before)
console.log(
  JSON.stringify({
    cpuS: (used.user + used.system) / 1e6,
    version: `0.1.0 (Node ${process.version})`,
    meanS: latencyMs.mean / 1000,
    p99S: latencyMs.p99 / 1000,
    rssMB: process.resourceUsage().maxRSS / 1024,
  }),
)
