/** How much else this machine has to do meanwhile (Linux). */
import { readdirSync, readFileSync } from 'node:fs'

const EVERY_MS = 50

/**
 * Begins to watch; the function returned ends that, and tells how many threads of others were running or ready to run on
 * average, other than this process and its descendants. 0 where the system does not tell.
 */
export function watchOthers(): () => number {
  const before = ownTimes()
  const from = performance.now()
  const ready: number[] = []
  const timer = setInterval(() => {
    // '0.20 0.18 0.12 3/80 11206': three of 80 threads are running or ready, this one is one of them
    const count = Number(/ (\d+)\//.exec(read('/proc/loadavg'))?.[1])
    if (count > 0) ready.push(count - 1)
  }, EVERY_MS)
  return () => {
    clearInterval(timer)
    const elapsedMs = performance.now() - from
    let ownMs = 0
    for (const [thread, ms] of ownTimes()) ownMs += ms - (before.get(thread) ?? 0)
    const mean = ready.reduce((sum, count) => sum + count, 0) / Math.max(1, ready.length)
    return ready.length === 0 ? 0 : Math.max(0, mean - ownMs / elapsedMs)
  }
}

/** Time in ms that each thread of this process and its descendants, but this one, has been running or ready to run. */
function ownTimes(): Map<string, number> {
  const children = new Map<number, number[]>()
  for (const name of entries('/proc')) {
    const pid = Number(name)
    // what is in brackets may hold anything; then come the state and the parent
    const parent = Number(/.*\) \S (\d+)/s.exec(pid > 0 ? read(`/proc/${name}/stat`) : '')?.[1])
    if (parent > 0) children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const times = new Map<string, number>()
  const visit = (pid: number): void => {
    for (const thread of entries(`/proc/${pid}/task`)) {
      const [running = 0, ready = 0] = read(`/proc/${pid}/task/${thread}/schedstat`).split(' ').map(Number)
      if (Number(thread) !== process.pid) times.set(thread, (running + ready) / 1e6)
    }
    for (const child of children.get(pid) ?? []) visit(child)
  }
  visit(process.pid)
  return times
}

function entries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
