// One run of the whole of HM2 written by hand for nothing else, without an event list: each link is Lindley's recursion over
// the frames in the order in which they come to it; the containers need a heap of what runs, and no more. No statistics but
// the latencies. Argument: number of devices.
const DEVICES = Number(process.argv[2])
const FRAMES = 120
const SLOTS = Math.ceil((DEVICES * 0.2) / 0.75)
const UP = 0.7 / DEVICES
const DOWN = 0.1 / DEVICES

let state = 12345
const random = () => {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return ((state >>> 0) + 0.5) / 4294967296
}

const latencies = new Float64Array(DEVICES * FRAMES)
// what runs: a heap of times at which containers will be done, and when their frames were emitted
const ends = new Float64Array(SLOTS + 1)
const emitted = new Float64Array(SLOTS + 1)
let running = 0
// what waits for a container
const waiting = new Float64Array(DEVICES * FRAMES)
let head = 0
let tail = 0
const idle = new Float64Array(SLOTS)
let idleCount = 0
let downFree = 0
let done = 0

function start(now, emittedAt) {
  const isCold = idleCount === 0 || now - idle[--idleCount] > 20
  const end = now - Math.log(1 - random()) * 0.2 + (isCold ? 0.3 : 0)
  let at = running++
  while (at > 0) {
    const above = (at - 1) >> 1
    if (ends[above] <= end) break
    ends[at] = ends[above]
    emitted[at] = emitted[above]
    at = above
  }
  ends[at] = end
  emitted[at] = emittedAt
}

function finish() {
  const now = ends[0]
  downFree = Math.max(downFree, now) + DOWN
  latencies[done++] = downFree + 0.002 - emitted[0]
  idle[idleCount++] = now
  const last = ends[--running]
  const lastEmitted = emitted[running]
  let at = 0
  for (;;) {
    let below = 2 * at + 1
    if (below >= running) break
    if (below + 1 < running && ends[below + 1] < ends[below]) below++
    if (ends[below] >= last) break
    ends[at] = ends[below]
    emitted[at] = emitted[below]
    at = below
  }
  ends[at] = last
  emitted[at] = lastEmitted
  if (head < tail) start(now, waiting[head++])
}

const before = process.cpuUsage()
const phases = Float64Array.from({ length: DEVICES }, random).sort()
let upFree = 0
for (let frame = 0; frame < FRAMES; frame++)
  for (let device = 0; device < DEVICES; device++) {
    const emittedAt = phases[device] + frame
    upFree = Math.max(upFree, emittedAt) + UP
    const now = upFree + 0.002
    while (running > 0 && ends[0] < now) finish()
    if (running < SLOTS) start(now, emittedAt)
    else waiting[tail++] = emittedAt
  }
while (running > 0) finish()
const used = process.cpuUsage(before)
const sorted = latencies.subarray(0, done).sort()
console.log(
  JSON.stringify({
    cpuS: (used.user + used.system) / 1e6,
    version: `(Node ${process.version})`,
    meanS: sorted.reduce((sum, each) => sum + each, 0) / done,
    p99S: sorted[Math.floor(done * 0.99)],
    rssMB: process.resourceUsage().maxRSS / 1024,
  }),
)
