// All placements, each judged from scratch, and a list of the best so far: the plainest way to the exact front.
import { readFileSync } from 'node:fs'

const { tasks, edges } = JSON.parse(readFileSync(process.argv[2], 'utf8'))
const before = process.cpuUsage()
const into = tasks.map((_, t) => edges.filter((edge) => edge.to === t))
let front = []
for (let n = 0; n < 2 ** tasks.length; n++) {
  const ends = []
  let latency = 0
  let energy = 0
  let cost = 0
  for (let t = 0; t < tasks.length; t++) {
    const tier = (n >> t) & 1
    let ready = 0
    for (const edge of into[t]) {
      const from = (n >> edge.from) & 1
      ready = Math.max(ready, ends[edge.from] + edge.time[from][tier])
      energy += edge.figures[from][tier][0]
      cost += edge.figures[from][tier][1]
    }
    ends.push(ready + tasks[t].time[tier])
    latency = Math.max(latency, ends[t])
    energy += tasks[t].figures[tier][0]
    cost += tasks[t].figures[tier][1]
  }
  if (front.some((p) => p[0] <= latency && p[1] <= energy && p[2] <= cost)) continue
  front = front.filter((p) => p[0] < latency || p[1] < energy || p[2] < cost)
  front.push([latency, energy, cost])
}
const used = process.cpuUsage(before)
console.log(
  JSON.stringify({
    cpuS: (used.user + used.system) / 1e6,
    version: `Node ${process.version}`,
    complete: true,
    points: front,
  }),
)
