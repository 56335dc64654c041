/** Simulates all placements and prints times as JSON. Argument: number of worker threads, 0 for none. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { simulate, withItems } from '@hivemind/swarm-sim'
import { models, placements } from './placement-1024-model.ts'

interface Share {
  /** Which thread this is, and of how many. */
  first: number
  step: number
  /** The placement that comes next, one counter for all threads. */
  next: Int32Array
  /** Where the mean and the p99 of each placement's latency go, ms; shared as well. */
  latencyMs: Float64Array
}

/** Simulates placements until none is left; returns the CPU seconds of this thread. */
function work({ first, step, next, latencyMs }: Share): number {
  const modelOf = models()
  // compiled by then, as it is in a service or in a browser
  for (let number = first; number < placements; number += 64 * step)
    simulate(withItems(modelOf(number), 20), { seed: 2 })
  const before = process.threadCpuUsage()
  for (let n = Atomics.add(next, 0, 1); n < placements; n = Atomics.add(next, 0, 1)) {
    const simulated = simulate(modelOf(n), { seed: 1 }).latencyMs
    latencyMs[2 * n] = simulated.mean
    latencyMs[2 * n + 1] = simulated.p99
  }
  const used = process.threadCpuUsage(before)
  return (used.user + used.system) / 1e6
}

/** A thread; as those of `hivemind explore` it is fed from one queue. */
function inWorker(share: Share): Promise<number> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

/** The mean over all placements of one of their two figures. */
const meanOf = (latencyMs: Float64Array, which: number) =>
  latencyMs.reduce((sum, value, i) => sum + (i % 2 === which ? value : 0), 0) / placements

async function main(): Promise<void> {
  const workers = Number(process.argv[2])
  const started = performance.now()
  const before = process.cpuUsage()
  const next = new Int32Array(new SharedArrayBuffer(4))
  const latencyMs = new Float64Array(new SharedArrayBuffer(16 * placements))
  const threadsS =
    workers === 0
      ? [work({ first: 0, step: 1, next, latencyMs })]
      : await Promise.all(
          Array.from({ length: workers }, (_, first) => inWorker({ first, step: workers, next, latencyMs })),
        )
  const used = process.cpuUsage(before)
  console.log(
    JSON.stringify({
      cpuS: (used.user + used.system) / 1e6,
      wallS: (performance.now() - started) / 1000,
      longestThreadS: Math.max(...threadsS),
      version: `0.1.0 (Node ${process.version})`,
      meanMs: meanOf(latencyMs, 0),
      p99Ms: meanOf(latencyMs, 1),
      rssMB: process.resourceUsage().maxRSS / 1024,
    }),
  )
}

if (isMainThread) await main()
else parentPort?.postMessage(work(workerData))
