/** What this machine's cores do meanwhile (Linux). */
import { readdirSync, readFileSync } from 'node:fs'
import os from 'node:os'
import type { Cores } from '@hivemind/deploy'

const EVERY_MS = 50

interface ThreadTime {
  runningMs: number
  /** Ready to run, without a core. */
  readyMs: number
}

/**
 * Begins to watch; the function returned ends that. `callers` are the processes whose main threads handle calls. Where the
 * system does not tell: no others, no work, and callers that never wait.
 */
export function watchCores(callers: readonly number[]): () => Cores {
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
    const own = { workMs: 0, besideThisMs: 0 }
    const calling = { runningMs: 0, readyMs: 0 }
    for (const [thread, time] of ownTimes()) {
      const { runningMs, readyMs } = since(before.get(thread), time)
      own.workMs += runningMs
      if (thread !== process.pid) own.besideThisMs += runningMs + readyMs
      if (!callers.includes(thread)) continue
      calling.runningMs += runningMs
      calling.readyMs += readyMs
    }
    const mean = ready.reduce((sum, count) => sum + count, 0) / Math.max(1, ready.length)
    const callingMs = calling.runningMs + calling.readyMs
    return {
      cores: os.availableParallelism(),
      elapsedMs,
      others: ready.length === 0 ? 0 : Math.max(0, mean - own.besideThisMs / elapsedMs),
      workMs: own.workMs,
      onCore: callingMs > 0 ? calling.runningMs / callingMs : 1,
    }
  }
}

const since = (before: ThreadTime | undefined, { runningMs, readyMs }: ThreadTime): ThreadTime => ({
  runningMs: runningMs - (before?.runningMs ?? 0),
  readyMs: readyMs - (before?.readyMs ?? 0),
})

/** The times of each thread of this process and its descendants. */
function ownTimes(): Map<number, ThreadTime> {
  const children = new Map<number, number[]>()
  for (const name of entries('/proc')) {
    const pid = Number(name)
    // what is in brackets may hold anything; then come the state and the parent
    const parent = Number(/.*\) \S (\d+)/s.exec(pid > 0 ? read(`/proc/${name}/stat`) : '')?.[1])
    if (parent > 0) children.set(parent, [...(children.get(parent) ?? []), pid])
  }
  const times = new Map<number, ThreadTime>()
  const visit = (pid: number): void => {
    for (const thread of entries(`/proc/${pid}/task`)) {
      const [running = 0, ready = 0] = read(`/proc/${pid}/task/${thread}/schedstat`).split(' ').map(Number)
      times.set(Number(thread), { runningMs: running / 1e6, readyMs: ready / 1e6 })
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
