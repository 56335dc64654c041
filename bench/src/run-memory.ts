/** What a long run of a large swarm holds in the memory of the service. */
import { type ChildProcessWithoutNullStreams, spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { own } from './peers.ts'
import type { Bench, Row } from './table.ts'

const DEVICES = Number(process.env.BENCH_DEVICES ?? 1_000)
const SPANS = Number(process.env.BENCH_SPANS ?? 1_000_000)
const START_LIMIT_MS = 600_000
const POLL_MS = 1_000

const { serviceEnvironment, serviceOptions } = (await import(own('../scripts/lib/service-process.mjs'))) as {
  serviceEnvironment: NodeJS.ProcessEnv
  serviceOptions: string[]
}

interface Figures {
  /** CPU time of the process since its start. */
  cpuS: number
  rssMB: number
  peakMB: number
  heapMB: number
}

/** A process that prints lines of JSON when it is asked. */
class Service {
  readonly #child: ChildProcessWithoutNullStreams
  readonly #lines: AsyncIterator<string>

  constructor(dataDir: string, databaseUrl: string | undefined) {
    const { DATABASE_URL: _, ...env } = { ...serviceEnvironment, ...process.env }
    this.#child = spawn(
      process.execPath,
      [
        ...serviceOptions,
        own('src/run-memory-service.ts'),
        dataDir,
        String(DEVICES),
        String(SPANS / DEVICES),
      ],
      { env: databaseUrl === undefined ? env : { ...env, DATABASE_URL: databaseUrl } },
    )
    this.#child.stderr.pipe(process.stderr)
    this.#lines = createInterface(this.#child.stdout)[Symbol.asyncIterator]()
  }

  /** The next line of JSON; lines of the service's log are passed over. */
  async next<T>(): Promise<T> {
    for (;;) {
      const { value, done } = await this.#lines.next()
      if (done) throw new Error('The service of the bench has ended.')
      const line = JSON.parse(value) as T & { level?: unknown }
      if (line.level === undefined) return line
    }
  }

  /** Devices that have a session. */
  async up(): Promise<number> {
    this.#child.stdin.write('up\n')
    return (await this.next<{ up: number }>()).up
  }

  /** Memory now, and its peak since the last call. */
  figures(): Promise<Figures> {
    this.#child.stdin.write('figures\n')
    return this.next()
  }

  end(): void {
    this.#child.kill('SIGKILL')
  }
}

/** Calls the service; throws with its answer when it refuses. */
async function call<T>(method: string, url: string, body?: object): Promise<T> {
  const answer = await fetch(url, {
    method,
    ...(body && { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }),
  })
  if (!answer.ok) throw new Error(`${method} ${url}: ${await answer.text()}`)
  return (await answer.json()) as T
}

async function until<T>(what: string, limitMs: number, look: () => Promise<T | undefined>): Promise<T> {
  for (const from = performance.now(); performance.now() - from < limitMs; await pause(POLL_MS)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error(`Waited ${limitMs / 1000} s in vain until ${what}.`)
}

async function measure(name: string, databaseUrl?: string): Promise<Row> {
  const dataDir = mkdtempSync(path.join(os.tmpdir(), 'hivemind-bench-'))
  const service = new Service(dataDir, databaseUrl)
  let swarm: ChildProcessWithoutNullStreams | undefined
  try {
    const { url, broker, fleet, secret } = await service.next<Record<string, string>>()
    const { id: project } = await call<{ id: string }>('POST', `${url}api/projects`, {
      name: 'Swarm',
      example: 'swarm',
    })
    const { id: deployment } = await call<{ id: string }>(
      'POST',
      `${url}api/projects/${project}/deployments`,
      { version: 1, placement: { sense: 'edge', act: 'edge' }, agents: 1 },
    )
    await until('the deployment is ready', START_LIMIT_MS, async () => {
      const { state } = await call<{ state: string }>('GET', `${url}api/deployments/${deployment}`)
      return state === 'starting' ? undefined : state
    })
    swarm = spawn(process.execPath, [
      own('src/run-memory-devices.ts'),
      ...[broker as string, fleet as string, secret as string, String(DEVICES)],
      path.join(dataDir, 'plan.json'),
    ])
    swarm.stderr.pipe(process.stderr)
    await until('all devices are there', START_LIMIT_MS, async () =>
      (await service.up()) === DEVICES ? true : undefined,
    )
    const before = await service.figures()
    const from = performance.now()
    const { id } = await call<{ id: string }>('POST', `${url}api/deployments/${deployment}/runs`, {
      itemsPerDevice: SPANS / DEVICES,
    })
    const run = await until('the run has ended', 3_600_000, async () => {
      const run = await call<{ state: string; endedAt?: string; spanCount: number }>(
        'GET',
        `${url}api/runs/${id}`,
      )
      return run.endedAt === undefined ? undefined : run
    })
    const seconds = (performance.now() - from) / 1000
    if (run.state !== 'succeeded' || run.spanCount < SPANS)
      throw new Error(`The run ${run.state} with ${run.spanCount} of ${SPANS} spans.`)
    const after = await service.figures()
    const MB = (value: number): string => value.toFixed(0)
    return {
      name,
      cpuS: after.cpuS - before.cpuS,
      figures: {
        spans: String(run.spanCount),
        'before the run, MB': MB(before.rssMB),
        'peak, MB': MB(after.peakMB),
        'peak less before, MB': MB(after.peakMB - before.rssMB),
        'heap before, MB': MB(before.heapMB),
        'heap after, MB': MB(after.heapMB),
        'CPU for each span, us': (((after.cpuS - before.cpuS) * 1e6) / run.spanCount).toFixed(0),
        s: seconds.toFixed(0),
      },
    }
  } finally {
    swarm?.kill('SIGKILL')
    service.end()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

/** The service as it is served, from its own build. */
function build(): void {
  const { status, stderr } = spawnSync('npx', ['vite', 'build', '--logLevel', 'error'], {
    cwd: own('../apps/api'),
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`The service could not be built: ${stderr}`)
}

/** Linux only: it reads memory from /proc. With `DATABASE_URL` over that PostgreSQL server, which is not counted. */
export const runMemory: Bench = {
  name: 'run-memory',
  title: `resident memory of the service in a run of ${DEVICES} devices with ${SPANS} spans, their real sessions over the real broker; devices in one other process`,
  async run() {
    build()
    const server = process.env.DATABASE_URL
    return [
      await measure(
        server ? 'HiveMind, PostgreSQL server' : 'HiveMind, embedded database in the same process',
        server,
      ),
    ]
  },
}
