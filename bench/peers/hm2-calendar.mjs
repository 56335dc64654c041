// One run of HM2 written by hand for nothing else: typed arrays and a calendar queue, no statistics but the latencies.
// What JavaScript can do on this model. Argument: number of devices.
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

// Calendar queue: buckets of a fixed width over a year; each bucket a sorted list.
const YEAR = 1 << 14
const WIDTH = 2 / YEAR
let size = 1 << 14
let times = new Float64Array(size)
let kinds = new Int32Array(size)
let frames = new Int32Array(size)
let nexts = new Int32Array(size)
let made = 0
let free = -1
const heads = new Int32Array(YEAR).fill(-1)
let count = 0
let day = 0

function grow() {
  size *= 2
  const wider = (array, larger) => {
    larger.set(array)
    return larger
  }
  times = wider(times, new Float64Array(size))
  kinds = wider(kinds, new Int32Array(size))
  frames = wider(frames, new Int32Array(size))
  nexts = wider(nexts, new Int32Array(size))
}

function push(time, kind, frame) {
  let slot = free
  if (slot >= 0) free = nexts[slot]
  else {
    if (made === size) grow()
    slot = made++
  }
  times[slot] = time
  kinds[slot] = kind
  frames[slot] = frame
  const bucket = Math.floor(time / WIDTH) & (YEAR - 1)
  let at = heads[bucket]
  if (at < 0 || time < times[at]) {
    nexts[slot] = at
    heads[bucket] = slot
  } else {
    let after = nexts[at]
    while (after >= 0 && times[after] <= time) {
      at = after
      after = nexts[at]
    }
    nexts[slot] = after
    nexts[at] = slot
  }
  count++
}

function pop() {
  for (;;) {
    const bucket = day & (YEAR - 1)
    const head = heads[bucket]
    if (head >= 0 && times[head] < (day + 1) * WIDTH) {
      heads[bucket] = nexts[head]
      count--
      return head
    }
    day++
  }
}

const emittedAt = new Float64Array(DEVICES * FRAMES)
const left = new Int32Array(DEVICES).fill(FRAMES)
const latencies = new Float64Array(DEVICES * FRAMES)
const waiting = new Int32Array(DEVICES * FRAMES)
const idle = new Float64Array(SLOTS)
let idleCount = 0
let head = 0
let tail = 0
let busy = 0
let born = 0
let done = 0
let upFree = 0
let downFree = 0

function start(now, frame) {
  busy++
  const isCold = idleCount === 0 || now - idle[--idleCount] > 20
  push(now - Math.log(1 - random()) * 0.2 + (isCold ? 0.3 : 0), 2, frame)
}

const before = process.cpuUsage()
for (let device = 0; device < DEVICES; device++) push(random(), 0, device)
while (count > 0) {
  const slot = pop()
  const now = times[slot]
  const frame = frames[slot]
  const kind = kinds[slot]
  nexts[slot] = free
  free = slot
  if (kind === 0) {
    const number = born++
    emittedAt[number] = now
    upFree = Math.max(upFree, now) + UP
    push(upFree + 0.002, 1, number)
    if (--left[frame] > 0) push(now + 1, 0, frame)
  } else if (kind === 1) {
    if (busy < SLOTS) start(now, frame)
    else waiting[tail++] = frame
  } else if (kind === 2) {
    busy--
    idle[idleCount++] = now
    downFree = Math.max(downFree, now) + DOWN
    push(downFree + 0.002, 3, frame)
    if (head < tail) start(now, waiting[head++])
  } else latencies[done++] = now - emittedAt[frame]
}
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
