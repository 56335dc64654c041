/** The server of a network function in C (`libs/nfu/c`, on libcoap): compiled when it is first wanted, run as a process of its own. */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { NfuError, parseNfu } from '../code.ts'
import { COAP_PORT, type NfuServerOptions } from './server.ts'

const SOURCES = path.join(import.meta.dirname, '../../c')
const FLAGS = ['-std=gnu11', '-O2']
const LIBRARIES = ['-lcoap-3-notls', '-lm']

/**
 * Compiles the server into a folder, unless it is there already, and returns the path of the program. Throws `NfuError` that names what
 * is missing.
 */
export async function compileNative(folder: string): Promise<string> {
  const files = readdirSync(SOURCES).sort()
  const hash = createHash('sha256').update([...FLAGS, ...LIBRARIES].join(' '))
  for (const file of files) hash.update(file).update(readFileSync(path.join(SOURCES, file)))
  const program = path.join(folder, `nfu-server-${hash.digest('hex').slice(0, 16)}`)
  if (existsSync(program)) return program
  mkdirSync(folder, { recursive: true })
  const unfinished = `${program}.${process.pid}`
  const sources = files.filter((file) => file.endsWith('.c'))
  await promisify(execFile)('cc', [...FLAGS, '-o', unfinished, ...sources, ...LIBRARIES], {
    cwd: SOURCES,
  }).catch((error: NodeJS.ErrnoException & { stderr?: string }) => {
    const first =
      error.code === 'ENOENT'
        ? 'there is no C compiler'
        : (error.stderr ?? error.message).trim().split('\n')[0]
    throw new NfuError(
      `The server in C cannot be compiled: ${first}. It needs a C compiler and libcoap: sudo apt-get install gcc libcoap3-dev.`,
    )
  })
  renameSync(unfinished, program)
  return program
}

/** A UDP port that nobody has at the moment. */
async function freePort(host: string): Promise<number> {
  const probe = createSocket('udp4')
  probe.bind(0, host)
  await once(probe, 'listening')
  const { port } = probe.address()
  await new Promise<void>((resolve) => probe.close(resolve))
  return port
}

/** A server in C that runs. It ends with this process. */
export class NativeServer {
  readonly #process: ChildProcess
  readonly address: { host: string; port: number }
  /** Rejects when it ends without having been closed. */
  readonly ended: Promise<never>

  private constructor(child: ChildProcess, address: { host: string; port: number }, ended: Promise<never>) {
    this.#process = child
    this.address = address
    this.ended = ended
  }

  /**
   * Starts a server. Throws `NfuError` for a function or address that it cannot have. It listens on IPv4, at CoAP's port when none is named
   * and at any free one for 0, and aggregates have a window of at most 65,535 readings.
   */
  static async start(program: string, options: NfuServerOptions): Promise<NativeServer> {
    parseNfu(options.code)
    const { code, host = '127.0.0.1', next, keyed } = options
    const port = options.port === 0 ? await freePort(host) : (options.port ?? COAP_PORT)
    const words = [
      code,
      host,
      String(port),
      ...(next ? [next.host, String(next.port)] : []),
      ...(keyed ? ['--keyed'] : []),
    ]
    const child = spawn(program, words, { stdio: ['pipe', 'pipe', 'pipe'] })
    let problem = ''
    child.stderr?.on('data', (bytes) => (problem += bytes))
    const ended = new Promise<never>((_, reject) => {
      child.on('error', reject)
      child.on('close', () => reject(new NfuError(problem.trim() || 'The server in C has ended.')))
    })
    ended.catch(() => {})
    const lines = createInterface({ input: child.stdout as NodeJS.ReadableStream })
    const first = new Promise<string>((resolve) => lines.once('line', resolve))
    return new NativeServer(child, JSON.parse(await Promise.race([first, ended])), ended)
  }

  /** Its process. */
  get pid(): number | undefined {
    return this.#process.pid
  }

  async close(): Promise<void> {
    if (this.#process.exitCode !== null || this.#process.signalCode !== null) return
    const closed = new Promise((resolve) => this.#process.once('close', resolve))
    this.#process.stdin?.end()
    await closed
  }
}
