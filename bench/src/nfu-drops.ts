/**
 * The method of InLocus (section V, figure 4): a sender with a set rate on a host of its own, ten rounds of thirty seconds for each
 * rate, and an observer that is neither sender nor server. Here the hosts are network namespaces, and the observer is the kernel, which
 * counts what comes into the server's interface and leaves it.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { blasterProgram, ended, serveArgs } from './nfu.ts'
import type { Bench, Row } from './table.ts'
import { type TwoHosts, twoHosts } from './two-hosts.ts'

const WINDOW = 10
const [ROUNDS, SECONDS] = [10, 30]
/** Readings a second, of the paper's figure. */
const RATES = [10_000, 40_000]
const [SERVER_PORT, COLLECTOR_PORT] = [5683, 5684]

/** What the paper's own servers lost at these rates. */
const PAPER: Record<string, (rate: number) => string> = {
  'Node.js': () => '100 % from 1,500 on',
  C: (rate) => (rate <= 10_000 ? '0 %' : '80 % at 40,000'),
}

/** Share of the readings of a round that are in no summary, as the observer counts. */
function dropsOf(hosts: TwoHosts, blaster: string, rate: number): { share: number; readings: number } {
  const before = hosts.passed()
  const args = [SERVER_PORT, rate, SECONDS, COLLECTOR_PORT, '', hosts.addresses.server].map(String)
  const [command, words] = hosts.on('sender', blaster, args)
  execFileSync(command, words, { stdio: ['ignore', 'ignore', 'inherit'] })
  const after = hosts.passed()
  const readings = after.came - before.came
  const due = Math.floor(readings / WINDOW)
  return { share: Math.max(0, due - (after.left - before.left)) / due, readings }
}

/** Resolves when a server says that it takes readings. The one in C is compiled before. */
function listens(child: ChildProcess): Promise<void> {
  let said = ''
  return new Promise((resolve, reject) => {
    child.stderr?.on('data', (bytes) => {
      said += bytes
      if (said.includes('takes readings at')) resolve()
    })
    child.once('close', () => reject(new Error(`The server does not run: ${said}`)))
  })
}

async function measure(hosts: TwoHosts, blaster: string, name: string, more: string[]): Promise<Row[]> {
  const { sender, server } = hosts.addresses
  const args = [...serveArgs(SERVER_PORT, `${sender}:${COLLECTOR_PORT}`), '--host', server, ...more]
  const [command, words] = hosts.on('server', process.execPath, args)
  const child = spawn(command, words, { stdio: ['pipe', 'ignore', 'pipe'] })
  try {
    await listens(child)
    return RATES.map((rate) => {
      const rounds = Array.from({ length: ROUNDS }, () => dropsOf(hosts, blaster, rate))
      const shares = rounds.map(({ share }) => share).sort((a, b) => a - b)
      const percent = (share = Number.NaN): string => `${(100 * share).toFixed(3)} %`
      return {
        name: `${name}, ${rate.toLocaleString('en')} a second`,
        cpuS: Number.NaN,
        figures: {
          'readings that came in': rounds
            .reduce((sum, { readings }) => sum + readings, 0)
            .toLocaleString('en'),
          'lost, least': percent(shares[0]),
          mean: percent(shares.reduce((sum, each) => sum + each, 0) / ROUNDS),
          most: percent(shares.at(-1)),
          'paper, mean': PAPER[name]?.(rate) ?? '',
        },
      }
    })
  } finally {
    await ended(child)
  }
}

/** `npm run bench -- nfu-drops`. */
export const nfuDrops: Bench = {
  name: 'nfu-drops',
  title: `nfu:average?window=${WINDOW}, ${ROUNDS} rounds of ${SECONDS} s for each rate, counted by the kernel at the server's interface`,
  async run() {
    const blaster = blasterProgram()
    const hosts = twoHosts()
    try {
      return [
        ...(await measure(hosts, blaster, 'Node.js', [])),
        ...(await measure(hosts, blaster, 'C', ['--in-c'])),
      ]
    } finally {
      hosts.remove()
    }
  },
}
