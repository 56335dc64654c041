/** Network functions over CoAP: how many readings in a second each server takes without losing one. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { npmPackage, onceOf, own, scratch } from './peers.ts'
import type { Bench, Row } from './table.ts'

const WINDOW = 10
const COAP = '1.5.0'
/** Rates are tried upwards from the first by doubling, then between the last that held and the first that did not. */
const [FIRST_RATE, MOST_RATE, HALVINGS] = [4_000, 1_024_000, 4]
/** A rate holds when so many runs of so many seconds lose nothing. */
const [RUNS, SECONDS] = [3, 2]

interface Server {
  name: string
  command: string
  args: (port: number, collector: number) => string[]
  /** What it sends for how many readings, and where to. */
  answers: 'summaries' | 'replies'
  path?: string
}

interface Blast {
  sent: number
  unsent: number
  came: number
}

/** What a server does at the greatest rate that held. */
async function measure(server: Server, blaster: string): Promise<Row> {
  const port = await freePort()
  const collector = await freePort()
  const child = spawn(server.command, server.args(port, collector), { stdio: ['pipe', 'ignore', 'inherit'] })
  try {
    await sleep(2_000)
    const holds = (rate: number): boolean => {
      for (let n = 0; n < RUNS; n++) if (lossAt(server, blaster, port, collector, rate) !== 0) return false
      return true
    }
    let [low, high] = [0, FIRST_RATE]
    while (high <= MOST_RATE && holds(high)) [low, high] = [high, high * 2]
    for (let n = 0; n < HALVINGS; n++) {
      const middle = (low + high) / 2
      if (holds(middle)) low = middle
      else high = middle
    }
    const beyond = lossAt(server, blaster, port, collector, 2 * high)
    return {
      name: server.name,
      cpuS: Number.NaN,
      figures: {
        'readings/s without loss': Math.round(low).toLocaleString('en'),
        'lost at twice the first rate that did not hold': `${(100 * beyond).toFixed(0)} %`,
      },
    }
  } finally {
    await ended(child)
  }
}

/** The share of readings that were lost; what the sender could not send counts, too. */
function lossAt(server: Server, blaster: string, port: number, collector: number, rate: number): number {
  const where = server.answers === 'summaries' ? collector : 0
  const args = [port, rate, SECONDS, where, server.path ?? ''].map(String)
  const { sent, unsent, came } = onceOf<Blast>(blaster, args)
  // readings of an unfinished window are no loss
  const due = server.answers === 'summaries' ? Math.floor(sent / WINDOW) : sent
  return Math.max(0, due - came) / due + unsent / (sent + unsent)
}

async function freePort(): Promise<number> {
  const probe = createSocket('udp4')
  probe.bind(0, '127.0.0.1')
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise<void>((resolve) => probe.close(resolve))
  return port
}

/** Ends a server. */
export async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGINT')
  await Promise.race([closed, sleep(3_000)])
  child.kill('SIGKILL')
}

/** Compiles the sender; returns the program. */
export function blasterProgram(): string {
  const program = scratch('coap-blaster.json', '{}').replace(/\.json$/, '')
  execFileSync('cc', ['-O2', '-pthread', '-o', program, own('peers/coap-blaster.c')])
  return program
}

/** The words after `node` that serve the mean of ten readings, and send it on to a host. */
export const serveArgs = (port: number, next: string): string[] => [
  own('../apps/cli/bin/hivemind.mjs'),
  ...['nfu', 'serve', `nfu:average?window=${WINDOW}`, '--port', String(port), '--next', next],
]

/** `npm run bench -- nfu`. */
export const nfu: Bench = {
  name: 'nfu',
  title: `nfu:average?window=${WINDOW}, readings of 121 bytes, one sender on the same machine`,
  async run() {
    const blaster = blasterProgram()
    const hivemind = (port: number, collector: number, more: string[]): string[] => [
      ...serveArgs(port, `127.0.0.1:${collector}`),
      ...more,
    ]
    const servers: Server[] = [
      {
        name: `ours on Node.js ${process.versions.node}`,
        command: process.execPath,
        args: (port, collector) => hivemind(port, collector, []),
        answers: 'summaries',
      },
      {
        name: `npm coap ${COAP}`,
        command: process.execPath,
        args: (port, collector) => [
          own('peers/coap-npm.mjs'),
          npmPackage('coap', COAP),
          String(port),
          String(collector),
        ],
        answers: 'summaries',
      },
      {
        name: 'ours in C, on libcoap 4.3.1',
        command: process.execPath,
        args: (port, collector) => hivemind(port, collector, ['--in-c']),
        answers: 'summaries',
      },
      {
        name: "libcoap 4.3.1's coap-server, which replies to each",
        command: 'coap-server-notls',
        args: (port) => ['-A', '127.0.0.1', '-p', String(port), '-v', '0'],
        answers: 'replies',
        path: 'example_data',
      },
    ]
    const rows: Row[] = []
    for (const server of servers) rows.push(await measure(server, blaster))
    return rows
  },
}
