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

// four children to a node; what happens is a whole number: (kind * tasks + task) * frames + frame
const times = new Float64Array(1 << 20)
const events = new Int32Array(1 << 20)
let count = 0
let handled = 0

function push(time, event) {
  let at = count++
  while (at > 0) {
    const up = (at - 1) >> 2
    if (times[up] <= time) break
    times[at] = times[up]
    events[at] = events[up]
    at = up
  }
  times[at] = time
  events[at] = event
}

function dropFirst() {
  const time = times[--count]
  const event = events[count]
  let at = 0
  for (;;) {
    const first = 4 * at + 1
    if (first >= count) break
    let least = first
    const end = Math.min(first + 4, count)
    for (let other = first + 1; other < end; other++) if (times[other] < times[least]) least = other
    if (times[least] >= time) break
    times[at] = times[least]
    events[at] = events[least]
    at = least
  }
  times[at] = time
  events[at] = event
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

function simulate(isCloud) {
  for (let task = 0; task < TASKS; task++) missing.fill(inputs[task], task * FRAMES, (task + 1) * FRAMES)
  const coreFree = new Float64Array(DEVICES)
  const airFree = [0, 0]
  const idle = names.map(() => [])
  let busy = 0
  let head = 0
  let tail = 0
  let now = 0
  let done = 0

  const service = () => -Math.log(1 - random()) * setting.serviceMs
  const send = (isUp, event) => {
    const way = isUp ? 0 : 1
    airFree[way] = Math.max(airFree[way], now) + setting.transferMs
    push(airFree[way] + setting.delayMs, event)
  }
  const serve = (task, frame) => {
    busy++
    const since = idle[task].pop()
    const cold = since === undefined || now - since > setting.keepAliveMs
    push(now + service() + (cold ? setting.coldStartMs : 0), (DONE * TASKS + task) * FRAMES + frame)
  }
  const arrive = (task, frame) => {
    if (--missing[task * FRAMES + frame] > 0) return
    if (isCloud[task]) {
      if (busy < setting.cores) serve(task, frame)
      else waiting[tail++] = task * FRAMES + frame
      return
    }
    const device = deviceOf[frame]
    coreFree[device] = Math.max(coreFree[device], now) + service()
    push(coreFree[device], (DONE * TASKS + task) * FRAMES + frame)
  }
  const deliver = (task, to, fromCloud, frame) => {
    let crosses = false
    for (const child of to) {
      if (isCloud[child] !== fromCloud) crosses = true
      else if (fromCloud) push(now + setting.handOverMs, (HANDED * TASKS + child) * FRAMES + frame)
      else arrive(child, frame)
    }
    if (crosses) send(!fromCloud, (CROSSED * TASKS + task) * FRAMES + frame)
  }

  for (let device = 0; device < DEVICES; device++)
    push(random() * GAP, EMIT * TASKS * FRAMES + device * ITEMS)
  while (count > 0) {
    now = times[0]
    const event = events[0]
    dropFirst()
    handled++
    const frame = event % FRAMES
    const what = (event / FRAMES) | 0
    const kind = (what / TASKS) | 0
    const task = what - kind * TASKS
    if (kind === EMIT) {
      emittedAt[frame] = now
      if ((frame + 1) % ITEMS !== 0) push(now + GAP, EMIT * TASKS * FRAMES + frame + 1)
      let crosses = false
      for (const root of roots)
        if (isCloud[root]) crosses = true
        else arrive(root, frame)
      if (crosses) send(true, SENSED * TASKS * FRAMES + frame)
    } else if (kind === DONE) {
      if (children[task].length === 0) latencies[done++] = now - emittedAt[frame]
      else deliver(task, children[task], isCloud[task], frame)
      if (!isCloud[task]) continue
      busy--
      idle[task].push(now)
      if (head < tail) {
        const next = waiting[head++]
        const waited = next % FRAMES
        serve((next / FRAMES) | 0, waited)
      }
    } else if (kind === HANDED) arrive(task, frame)
    else if (kind === SENSED) {
      for (const root of roots) if (isCloud[root]) arrive(root, frame)
    } else for (const child of children[task]) if (isCloud[child] !== isCloud[task]) arrive(child, frame)
  }
  const sorted = latencies.slice(0, done).sort()
  return {
    mean: sorted.reduce((sum, each) => sum + each, 0) / done,
    p99: sorted[Math.floor(0.99 * (done - 1))],
  }
}

const cloudTasks = (placement) => names.map((_, at) => ((placement >> at) & 1) === 1)
for (let placement = 0; placement < 2 ** TASKS; placement += 64) simulate(cloudTasks(placement))
handled = 0
const before = process.cpuUsage()
let mean = 0
let p99 = 0
for (let placement = 0; placement < 2 ** TASKS; placement++) {
  const result = simulate(cloudTasks(placement))
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
