/** Simulates all placements and prints times as JSON. Argument: number of worker threads, 0 for none. */
import { once } from 'node:events'
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

/** Compiles what the share needs, as it is in a service or in a browser; returns the work that is timed. */
function prepared({ first, step }: Share): () => Part {
  const modelOf = models()
  for (let number = first; number < placements; number += 64 * step)
    simulate(withItems(modelOf(number), 20), { seed: 2 })
  return () => {
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
}

/** The same in a worker, which says when it is prepared, and begins when told to. */
async function preparedWorker(share: Share): Promise<() => Promise<Part>> {
  const worker = new Worker(new URL(import.meta.url), { workerData: share })
  await once(worker, 'message')
  return async () => {
    worker.postMessage('begin')
    const [part] = await once(worker, 'message')
    return part
  }
}

async function main(): Promise<void> {
  const workers = Number(process.argv[2])
  const shares = Array.from({ length: workers }, (_, first) => ({ first, step: workers }))
  const parts =
    workers === 0 ? [prepared({ first: 0, step: 1 })] : await Promise.all(shares.map(preparedWorker))
  const started = performance.now()
  const before = process.cpuUsage()
  const results = await Promise.all(parts.map((part) => part()))
  const used = process.cpuUsage(before)
  console.log(
    JSON.stringify({
      cpuS: (used.user + used.system) / 1e6,
      wallS: (performance.now() - started) / 1000,
      longestThreadS: Math.max(...results.map(({ cpuS }) => cpuS)),
      version: `0.1.0 (Node ${process.version})`,
      meanMs: results.reduce((sum, { meanMs }) => sum + meanMs, 0) / placements,
      p99Ms: results.reduce((sum, { p99Ms }) => sum + p99Ms, 0) / placements,
      rssMB: process.resourceUsage().maxRSS / 1024,
    }),
  )
}

if (isMainThread) await main()
else {
  const part = prepared(workerData)
  parentPort?.once('message', () => parentPort?.postMessage(part()))
  parentPort?.postMessage('prepared')
}
