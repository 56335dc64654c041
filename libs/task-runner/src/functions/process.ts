/** One process of a function host on this machine: started or found again, watched, and ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { closeSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { request } from 'undici'
import { TaskError } from '../error.ts'
import { type FunctionConfig, functionName, tasksOf } from '../function-config.ts'
import { hostEnvironment } from '../sandbox/mode.ts'
import type { TaskErrorKind } from '../types.ts'

/** Longest time until a function is ready, in ms: it only bounds a hang, as loading code has a limit of its own. */
const READY_LIMIT_MS = 120_000
const POLL_MS = 50
const CALL_LIMIT_MS = 5_000
const KEPT_OUTPUT_BYTES = 4_000

/** What is saved of a running function, to find it again. */
export interface FunctionRecord {
  /** Name of the function: called as its task, with the edge node behind it where there is one. */
  task: string
  pid: number
  port: number
  token: string
  /** Hash of what it was configured with. */
  configHash: string
  /** Its whole configuration; readable by the owner only, as it holds the token. */
  configFile: string
  logFile: string
}

/** Where a process takes calls. */
export interface ProcessEndpoint {
  url: string
  token: string
  /** Set when another process has taken its place. */
  retired?: boolean
}

/** What a function says of itself. */
export interface FunctionHealth {
  pid: number
  configHash: string | null
  running: number
  waiting: number
  /** Resident memory of the host and its task processes, in MB. */
  memoryMB: number
}

/** How processes are started. */
export interface StartOptions {
  /** Program and arguments; `--config FILE` is added. */
  command: string[]
  /** Folder of configurations and logs. */
  dir: string
  /** The process ends with this one; else when its lease runs out. */
  bound: boolean
  leaseSeconds: number
  signal?: AbortSignal
  /** Told the file that the process writes its output to, as soon as that is there. */
  onLogFile?: (file: string) => void
}

/** A running function. */
export class FunctionProcess {
  readonly record: FunctionRecord
  readonly endpoint: ProcessEndpoint
  /** Resolves when it has ended, with how. */
  readonly ended: Promise<string>
  readonly #child: ChildProcess | undefined
  #watch: NodeJS.Timeout | undefined

  private constructor(
    record: FunctionRecord,
    child: ChildProcess | undefined,
    ended: Promise<string> | undefined,
  ) {
    this.record = record
    this.endpoint = { url: `http://127.0.0.1:${record.port}/`, token: record.token }
    this.#child = child
    this.ended = ended ?? this.#watchPid()
  }

  /** Starts a process and waits until it is ready. Rejects with `TaskError`, and leaves nothing behind. */
  static async start(
    config: FunctionConfig,
    configHash: string,
    options: StartOptions,
  ): Promise<FunctionProcess> {
    const { dir, bound, leaseSeconds, command, signal } = options
    const name = functionName(tasksOf(config), config.node)
    const file = `${encodeURIComponent(name).slice(0, 80)}-${randomBytes(4).toString('hex')}`
    const [configFile, readyFile, logFile] = ['json', 'ready', 'log'].map((end) =>
      path.join(dir, `${file}.${end}`),
    ) as [string, string, string]
    const token = config.token ?? randomBytes(24).toString('base64url')
    const whole: FunctionConfig = { ...config, host: '127.0.0.1', port: 0, token, readyFile, configHash }
    if (!bound) whole.leaseSeconds = leaseSeconds
    writeFileSync(configFile, JSON.stringify(whole), { mode: 0o600 })
    const log = openSync(logFile, 'a')
    options.onLogFile?.(logFile)
    const [program = process.execPath, ...args] = command
    const child = spawn(program, [...args, '--config', configFile, ...(bound ? ['--bound'] : [])], {
      cwd: dir,
      env: hostEnvironment(process.env),
      stdio: [bound ? 'pipe' : 'ignore', log, log],
      detached: !bound,
    })
    closeSync(log)
    child.stdin?.on('error', () => {})
    if (!bound) child.unref()
    const ended = new Promise<string>((resolve) => {
      child.once('error', (error) => resolve(error.message))
      child.once('exit', (code, by) => resolve(by ? `signal ${by}` : `exit code ${code}`))
    })
    try {
      const { port } = await ready(name, readyFile, logFile, ended, signal)
      rmSync(readyFile, { force: true })
      const record = { task: name, pid: child.pid ?? 0, port, token, configHash, configFile, logFile }
      return new FunctionProcess(record, child, ended)
    } catch (error) {
      child.kill('SIGKILL')
      await ended
      for (const file of [configFile, readyFile]) rmSync(file, { force: true })
      throw error
    }
  }

  /** Finds a running function again: `null` when it is not there, or is another process than the record says. */
  static async attach(record: FunctionRecord): Promise<FunctionProcess | null> {
    const found = new FunctionProcess(record, undefined, new Promise<string>(() => {}))
    const health = await found.health().catch(() => null)
    if (health?.pid !== record.pid || health.configHash !== record.configHash) return null
    if (!(await found.renew())) return null
    return new FunctionProcess(record, undefined, undefined)
  }

  /** The configuration that it was started with. */
  config(): FunctionConfig {
    return JSON.parse(readFileSync(this.record.configFile, 'utf8'))
  }

  /** Rejects when it does not answer. */
  async health(): Promise<FunctionHealth> {
    const answer = await this.#get('healthz')
    return (await answer.body.json()) as FunctionHealth
  }

  /** Renews its lease; whether it knows our token. */
  async renew(): Promise<boolean> {
    try {
      const answer = await this.#get('lease')
      await answer.body.dump()
      return answer.statusCode === 200
    } catch {
      return false
    }
  }

  /** Lets it finish its work, for at most `graceMs`, and ends it. */
  async stop(graceMs: number): Promise<void> {
    if (isOurs(this.record)) {
      process.kill(this.record.pid, 'SIGTERM')
      const late = setTimeout(() => {
        // What it still works on was begun, and must not be called again without its run knowing.
        this.endpoint.retired = false
        this.kill()
      }, graceMs)
      await this.ended
      clearTimeout(late)
    }
    clearInterval(this.#watch)
    rmSync(this.record.configFile, { force: true })
  }

  /** Ends it at once. */
  kill(): void {
    try {
      if (isOurs(this.record)) process.kill(this.record.pid, 'SIGKILL')
    } catch {}
  }

  /** Lets it go: it runs on without this process, until its lease runs out. */
  release(): void {
    clearInterval(this.#watch)
    this.#child?.removeAllListeners()
  }

  #get(name: string) {
    return request(`${this.endpoint.url}${name}`, {
      headers: { authorization: `Bearer ${this.record.token}` },
      headersTimeout: CALL_LIMIT_MS,
      bodyTimeout: CALL_LIMIT_MS,
    })
  }

  /** The end of a process that is not our child is found by looking. */
  #watchPid(): Promise<string> {
    return new Promise((resolve) => {
      this.#watch = setInterval(() => {
        if (isOurs(this.record)) return
        clearInterval(this.#watch)
        resolve('it is not there any more')
      }, 200)
      this.#watch.unref()
    })
  }
}

/** Whether the process of that id is the one of the record, and not another that got its id. */
function isOurs({ pid, configFile }: FunctionRecord): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(configFile)
  } catch {
    return process.platform !== 'linux'
  }
}

async function ready(
  name: string,
  readyFile: string,
  logFile: string,
  ended: Promise<string>,
  signal: AbortSignal | undefined,
): Promise<{ port: number }> {
  let end: string | undefined
  void ended.then((how) => {
    end = how
  })
  for (const from = performance.now(); ; ) {
    if (signal?.aborted)
      throw new TaskError('cancelled', `The start of the function '${name}' was cancelled.`)
    const over = end
    const state = read(readyFile)
    if (state?.error) throw new TaskError(state.error.kind, state.error.message, state.error.detail)
    if (state?.port) return { port: state.port }
    if (over !== undefined) {
      const output = readFileSync(logFile, 'utf8').slice(-KEPT_OUTPUT_BYTES).trim()
      throw new TaskError('crash', `The function '${name}' ended while it started (${over}).`, output)
    }
    if (performance.now() - from > READY_LIMIT_MS)
      throw new TaskError('load', `The function '${name}' was not ready within ${READY_LIMIT_MS / 1000} s.`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

interface ReadyState {
  port?: number
  error?: { kind: TaskErrorKind; message: string; detail: string }
}

function read(file: string): ReadyState | null {
  try {
    return JSON.parse(readFileSync(file, 'utf8'))
  } catch {
    return null
  }
}
