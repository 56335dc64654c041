// The feed-forward part of HM2 (uplink only) without an event list: frames of one period come in the same order every
// second, so one pass over them in that order says when the link is free. Argument: number of devices.
const DEVICES = Number(process.argv[2])
const FRAMES = 120
const UP = 0.7 / DEVICES

const before = process.cpuUsage()
const phases = Float64Array.from({ length: DEVICES }, () => Math.random()).sort()
const latencies = new Float64Array(DEVICES * FRAMES)
let freeAt = 0
let done = 0
for (let frame = 0; frame < FRAMES; frame++)
  for (let device = 0; device < DEVICES; device++) {
    const emitted = phases[device] + frame
    freeAt = Math.max(freeAt, emitted) + UP
    latencies[done++] = freeAt + 0.002 - emitted
  }
const used = process.cpuUsage(before)
const sorted = latencies.sort()
console.log(
  JSON.stringify({
    cpuS: (used.user + used.system) / 1e6,
    version: `(Node ${process.version})`,
    meanS: sorted.reduce((sum, each) => sum + each, 0) / done,
    p99S: sorted[Math.floor(0.99 * (done - 1))],
    rssMB: process.resourceUsage().maxRSS / 1024,
  }),
)
