/** Simulates all placements and prints times as JSON. Argument: number of worker threads, 0 for none. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { simulate, withItems } from '@hivemind/swarm-sim'
import { models, placements } from './placement-1024-model.ts'

interface Share {
  first: number
  step: number
}

interface Part {
  /** CPU time of this thread. */
  cpuS: number
  /** Mean and p99 latency of every placement of this share, added up, ms. */
  meanMs: number
  p99Ms: number
}

function work({ first, step }: Share): Part {
  const modelOf = models()
  // compiled by then, as it is in a service or in a browser
  for (let number = first; number < placements; number += 64 * step)
    simulate(withItems(modelOf(number), 20), { seed: 2 })
  const before = process.threadCpuUsage()
  let meanMs = 0
  let p99Ms = 0
  for (let number = first; number < placements; number += step) {
    const { latencyMs } = simulate(modelOf(number), { seed: 1 })
    meanMs += latencyMs.mean
    p99Ms += latencyMs.p99
  }
  const used = process.threadCpuUsage(before)
  return { cpuS: (used.user + used.system) / 1e6, meanMs, p99Ms }
}

function inWorker(share: Share): Promise<Part> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), { workerData: share })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

async function main(): Promise<void> {
  const workers = Number(process.argv[2])
  const started = performance.now()
  const before = process.cpuUsage()
  const parts =
    workers === 0
      ? [work({ first: 0, step: 1 })]
      : await Promise.all(Array.from({ length: workers }, (_, first) => inWorker({ first, step: workers })))
  const used = process.cpuUsage(before)
  console.log(
    JSON.stringify({
      cpuS: (used.user + used.system) / 1e6,
      wallS: (performance.now() - started) / 1000,
      longestThreadS: Math.max(...parts.map((part) => part.cpuS)),
      version: `0.1.0 (Node ${process.version})`,
      meanMs: parts.reduce((sum, part) => sum + part.meanMs, 0) / placements,
      p99Ms: parts.reduce((sum, part) => sum + part.p99Ms, 0) / placements,
      rssMB: process.resourceUsage().maxRSS / 1024,
    }),
  )
}

if (isMainThread) await main()
else parentPort?.postMessage(work(workerData))
