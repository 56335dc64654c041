// All placements of a DAG by an engine written for this one kind of model and for latency only: no tokens, breakdowns,
// energy or cost. Arguments: the setting, and the parents of each task, both as JSON.
const setting = JSON.parse(process.argv[2])
const parents = JSON.parse(process.argv[3])
const names = Object.keys(parents)
const TASKS = names.length
const DEVICES = setting.drones
const ITEMS = setting.seconds * setting.rate
const FRAMES = DEVICES * ITEMS
const GAP = 1000 / setting.rate
const children = names.map((name) =>
  names.flatMap((child, at) => (parents[child].includes(name) ? [at] : [])),
)
const inputs = Uint8Array.from(names, (name) => parents[name].length)
const roots = names.flatMap((name, at) => (parents[name].includes('sense') ? [at] : []))

let state = 12345
const random = () => {
  state ^= state << 13
  state ^= state >>> 17
  state ^= state << 5
  return ((state >>> 0) + 0.5) / 4294967296
}

// what happens is a whole number of a kind, a task and a frame
const eventOf = (kind, task, frame) => (kind << 28) | (task << 20) | frame
// the time of the event taken last
let now = 0
let count = 0
let handled = 0

// A sorted list, the next event last, in front what no time is before. There are some twenty events to come, most of them
// soon: a calendar queue with the best length of day takes a sixth longer, a heap with four children a half.
const times = new Float64Array(1 << 20).fill(Number.NaN, 0, 1)
const events = new Int32Array(1 << 20)

function push(time, event) {
  let at = ++count
  while (times[at - 1] <= time) {
    times[at] = times[at - 1]
    events[at] = events[at - 1]
    at--
  }
  times[at] = time
  events[at] = event
}

function pop() {
  now = times[count]
  return events[count--]
}

const DONE = 0
const CROSSED = 1
const HANDED = 2
const EMIT = 3
// an item of the sensor is at the other end of the uplink
const SENSED = 4

const missing = new Uint8Array(TASKS * FRAMES)
const emittedAt = new Float64Array(FRAMES)
const latencies = new Float64Array(FRAMES)
const waiting = new Int32Array(TASKS * FRAMES)
const deviceOf = Int32Array.from(latencies, (_, frame) => Math.floor(frame / ITEMS))
const coreFree = new Float64Array(DEVICES)
const airFree = new Float64Array(2)
// for each task a stack of the times since when its containers are idle
const idle = new Float64Array(TASKS * setting.cores)
const idleCount = new Int32Array(TASKS)
const isCloud = new Uint8Array(TASKS)
const quantiles = Float64Array.from(setting.serviceQuantiles)
let busy = 0
let head = 0
let tail = 0
let done = 0

function service() {
  const at = random() * (quantiles.length - 1)
  const below = at | 0
  return quantiles[below] + (quantiles[below + 1] - quantiles[below]) * (at - below)
}

function send(way, event) {
  airFree[way] = Math.max(airFree[way], now) + setting.transferMs
  push(airFree[way] + setting.delayMs, event)
}

function serve(task, frame) {
  busy++
  const isWarm =
    idleCount[task] > 0 && now - idle[task * setting.cores + --idleCount[task]] <= setting.keepAliveMs
  push(now + service() + (isWarm ? 0 : setting.coldStartMs), eventOf(DONE, task, frame))
}

function arrive(task, frame) {
  if (--missing[task * FRAMES + frame] > 0) return
  if (isCloud[task] === 1) {
    if (busy < setting.cores) serve(task, frame)
    else waiting[tail++] = task * FRAMES + frame
    return
  }
  const device = deviceOf[frame]
  coreFree[device] = Math.max(coreFree[device], now) + service()
  push(coreFree[device], eventOf(DONE, task, frame))
}

function deliver(task, frame) {
  const from = isCloud[task]
  let crosses = false
  for (const child of children[task]) {
    if (isCloud[child] !== from) crosses = true
    else if (from === 1) push(now + setting.handOverMs, eventOf(HANDED, child, frame))
    else arrive(child, frame)
  }
  if (crosses) send(from, eventOf(CROSSED, task, frame))
}

function emit(frame) {
  emittedAt[frame] = now
  if ((frame + 1) % ITEMS !== 0) push(now + GAP, eventOf(EMIT, 0, frame + 1))
  let crosses = false
  for (const root of roots)
    if (isCloud[root] === 1) crosses = true
    else arrive(root, frame)
  if (crosses) send(0, eventOf(SENSED, 0, frame))
}

function finish(task, frame) {
  if (children[task].length === 0) latencies[done++] = now - emittedAt[frame]
  else deliver(task, frame)
  if (isCloud[task] === 0) return
  busy--
  idle[task * setting.cores + idleCount[task]++] = now
  if (head === tail) return
  const next = waiting[head++]
  const waited = next % FRAMES
  serve((next / FRAMES) | 0, waited)
}

function simulate(placement) {
  for (let task = 0; task < TASKS; task++) {
    isCloud[task] = (placement >> task) & 1
    missing.fill(inputs[task], task * FRAMES, (task + 1) * FRAMES)
  }
  coreFree.fill(0)
  airFree.fill(0)
  idleCount.fill(0)
  busy = 0
  head = 0
  tail = 0
  done = 0
  for (let device = 0; device < DEVICES; device++) push(random() * GAP, eventOf(EMIT, 0, device * ITEMS))
  while (count > 0) {
    const event = pop()
    handled++
    const kind = event >> 28
    const task = (event >> 20) & 255
    const frame = event & 0xfffff
    if (kind === EMIT) emit(frame)
    else if (kind === DONE) finish(task, frame)
    else if (kind === HANDED) arrive(task, frame)
    else if (kind === SENSED) {
      for (const root of roots) if (isCloud[root] === 1) arrive(root, frame)
    } else for (const child of children[task]) if (isCloud[child] !== isCloud[task]) arrive(child, frame)
  }
  const sorted = latencies.slice(0, done).sort()
  return {
    mean: sorted.reduce((sum, each) => sum + each, 0) / done,
    p99: sorted[Math.floor(0.99 * (done - 1))],
  }
}

for (let placement = 0; placement < 2 ** TASKS; placement += 64) simulate(placement)
handled = 0
const before = process.cpuUsage()
let mean = 0
let p99 = 0
for (let placement = 0; placement < 2 ** TASKS; placement++) {
  const result = simulate(placement)
  mean += result.mean / 2 ** TASKS
  p99 += result.p99 / 2 ** TASKS
}
const used = process.cpuUsage(before)
console.log(
  JSON.stringify({
    cpuS: (used.user + used.system) / 1e6,
    version: `(Node ${process.version})`,
    events: handled,
    meanMs: mean,
    p99Ms: p99,
    rssMB: process.resourceUsage().maxRSS / 1024,
  }),
)
