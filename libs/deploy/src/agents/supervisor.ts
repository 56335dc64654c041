/**
 * Keeps processes of this machine running, one for each device: started, watched, started again when they end, a bounded
 * number of times. Knows nothing of what they do.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync, readSync } from 'node:fs'
import { type FileHandle, mkdir, open, stat } from 'node:fs/promises'
import { hostEnvironment } from '@hivemind/task-runner'

const MAX_RESTARTS = 3
const FIRST_PAUSE_MS = 200
/** A process that was up for so long is given all its restarts again. */
const STEADY_MS = 60_000
const STOP_LIMIT_MS = 3_000
const WATCH_EVERY_MS = 250
/** Last output that is kept, in bytes. */
const KEPT_OUTPUT = 16_000
const MAX_LOG_FILE_BYTES = 2 ** 20

/** A process, as it can be found again by a later service. */
export interface ProcessRecord {
  device: string
  pid: number
  /** When the system says that it started, in its own unit; empty where it does not say. */
  started: string
}

/** How the process of a device is started. */
export interface ProcessCommand {
  program: string
  args: string[]
  /** Working folder; made when it is not there. */
  dir: string
}

/** What a supervisor reports. All calls are synchronous. */
export interface SupervisorEvents {
  onStart?: (device: string, pid: number) => void
  /** The process has ended, unasked. `again`: another one will be started. `how` says what is known of it. */
  onExit?: (device: string, how: string, again: boolean) => void
}

/** How processes are started, and what ends them. */
export interface SupervisorOptions extends SupervisorEvents {
  command: (device: string) => ProcessCommand | Promise<ProcessCommand>
  /** Processes end with this one: their standard input closes then. Otherwise they go on, and `attach` finds them again. */
  bound: boolean
  /** File that the output of a process goes to when it is not bound; begun anew when it is larger than 1 MB. */
  logFile: (device: string) => string
  maxRestarts?: number
}

interface Supervised {
  device: string
  pid: number
  started: string
  child?: ChildProcess
  upSince: number
  restarts: number
  /** Last output, for messages. */
  output: string
  state: 'starting' | 'running' | 'waiting' | 'failed' | 'stopped'
  timer?: NodeJS.Timeout
  starting?: Promise<void>
}

/** Keeps processes running, one for each device: restarts them with back-off when they end, a bounded number of times. */
export class Supervisor {
  readonly #options: SupervisorOptions
  readonly #processes = new Map<string, Supervised>()
  readonly #watch: NodeJS.Timeout
  #stopping = false

  constructor(options: SupervisorOptions) {
    this.#options = options
    this.#watch = setInterval(() => this.#watchAttached(), WATCH_EVERY_MS)
    this.#watch.unref()
  }

  /** Starts the process of a device. Rejects when the system cannot start it. */
  start(device: string): Promise<void> {
    return this.#spawn(this.#add(device))
  }

  /** Takes up a process that a former service started. Returns false when it has ended meanwhile. */
  attach({ device, pid, started }: ProcessRecord): boolean {
    if (startOf(pid) !== started || !alive(pid)) return false
    Object.assign(this.#add(device), { pid, started, state: 'running', upSince: performance.now() })
    return true
  }

  /**
   * Ends the process of a device at once, with all that it started; it is started again as after any other end. Returns
   * false when there is no process.
   */
  kill(device: string): boolean {
    const process = this.#processes.get(device)
    if (process?.state !== 'running') return false
    killGroup(process.pid)
    return true
  }

  /** Whether the process of a device is being started, or will be. */
  restarts(device: string): boolean {
    const state = this.#processes.get(device)?.state
    return state === 'starting' || state === 'waiting'
  }

  /** Process id of a device; `undefined` while there is none. */
  pidOf(device: string): number | undefined {
    const process = this.#processes.get(device)
    return process?.state === 'running' ? process.pid : undefined
  }

  /** Last lines that the process of a device has written, 16 kB at most. */
  outputOf(device: string): string[] {
    const { bound, logFile } = this.#options
    const output = bound ? this.#processes.get(device)?.output : tailOf(logFile(device))
    return (output ?? '').split('\n').filter((line) => line !== '')
  }

  /** The processes that run, to be attached by a later service. */
  records(): ProcessRecord[] {
    return [...this.#processes.values()]
      .filter(({ state }) => state === 'running')
      .map(({ device, pid, started }) => ({ device, pid, started }))
  }

  /** Ends the process of a device for good; resolves when it is gone. */
  async stop(device: string): Promise<void> {
    const process = this.#processes.get(device)
    if (!process) return
    const running = process.state === 'running'
    process.state = 'stopped'
    clearTimeout(process.timer)
    await process.starting?.catch(() => {})
    if (running || process.pid > 0) await this.#end(process)
    this.#processes.delete(device)
  }

  /** Ends every process for good. */
  async stopAll(): Promise<void> {
    this.#stopping = true
    clearInterval(this.#watch)
    await Promise.all([...this.#processes.keys()].map((device) => this.stop(device)))
  }

  /** Lets go of the processes without ending them, for a later service to attach. */
  detach(): void {
    this.#stopping = true
    clearInterval(this.#watch)
    for (const { timer, child } of this.#processes.values()) {
      clearTimeout(timer)
      child?.unref()
    }
    this.#processes.clear()
  }

  /** For a process that is ending: no waiting. */
  killNow(): void {
    this.#stopping = true
    for (const { pid } of this.#processes.values()) if (pid > 0) killGroup(pid)
  }

  #add(device: string): Supervised {
    const process: Supervised = {
      device,
      pid: 0,
      started: '',
      upSince: 0,
      restarts: 0,
      output: '',
      state: 'starting',
    }
    this.#processes.set(device, process)
    return process
  }

  #spawn(process: Supervised): Promise<void> {
    process.starting = this.#spawnNow(process).finally(() => {
      process.starting = undefined
    })
    return process.starting
  }

  async #spawnNow(process: Supervised): Promise<void> {
    const { command, bound, logFile } = this.#options
    const { program, args, dir } = await command(process.device)
    await mkdir(dir, { recursive: true })
    const output = bound ? undefined : await openLog(logFile(process.device))
    if (this.#stopping || process.state === 'stopped') {
      await output?.close()
      return
    }
    process.state = 'starting'
    process.output = ''
    // It leads a process group, so that what it starts can be ended with it however it ends.
    const child = spawn(program, args, {
      cwd: dir,
      env: hostEnvironment(globalThis.process.env),
      detached: true,
      stdio: output ? ['ignore', output.fd, output.fd] : ['pipe', 'pipe', 'pipe'],
    })
    const failed = new Promise<never>((_, reject) => child.once('error', reject))
    const spawned = new Promise<void>((resolve) => child.once('spawn', () => resolve()))
    try {
      await Promise.race([spawned, failed])
    } finally {
      await output?.close()
    }
    const keep = (chunk: Buffer): void => {
      process.output = (process.output + chunk.toString()).slice(-KEPT_OUTPUT)
    }
    child.stdout?.on('data', keep)
    child.stderr?.on('data', keep)
    child.stdin?.on('error', () => {})
    if (!bound) child.unref()
    Object.assign(process, { child, pid: child.pid ?? 0, upSince: performance.now() })
    process.started = startOf(process.pid)
    if (child.exitCode !== null || child.signalCode !== null) {
      this.#exited(process, child, child.signalCode ?? `exit code ${child.exitCode}`)
      return
    }
    if ((process.state as string) !== 'stopped') process.state = 'running'
    child.once('exit', (code, signal) => this.#exited(process, child, signal ?? `exit code ${code}`))
    this.#options.onStart?.(process.device, process.pid)
  }

  #exited(process: Supervised, child: ChildProcess | undefined, how: string): void {
    if (process.child !== child) return
    // what it started must not outlive it
    killGroup(process.pid)
    process.child = undefined
    if (this.#stopping || process.state === 'stopped') return
    if (performance.now() - process.upSince > STEADY_MS) process.restarts = 0
    const again = process.restarts < (this.#options.maxRestarts ?? MAX_RESTARTS)
    process.state = again ? 'waiting' : 'failed'
    process.pid = 0
    if (again) {
      process.timer = setTimeout(() => this.#again(process), FIRST_PAUSE_MS * 2 ** process.restarts)
      process.restarts += 1
    }
    this.#options.onExit?.(process.device, how, again)
  }

  #again(process: Supervised): void {
    if (this.#stopping || process.state !== 'waiting') return
    this.#spawn(process).catch((error: Error) => {
      process.state = 'failed'
      this.#options.onExit?.(process.device, `it could not be started: ${error.message}`, false)
    })
  }

  /** Processes that this one did not start do not report their end. */
  #watchAttached(): void {
    for (const process of this.#processes.values())
      if (process.state === 'running' && !process.child && startOf(process.pid) !== process.started)
        this.#exited(process, undefined, 'it ended')
  }

  async #end(process: Supervised): Promise<void> {
    const { pid, child } = process
    child?.stdin?.end()
    signal(pid, 'SIGTERM')
    const from = performance.now()
    while (alive(pid) && !hasExited(child) && performance.now() - from < STOP_LIMIT_MS)
      await new Promise((resolve) => setTimeout(resolve, 20))
    killGroup(pid)
    while (alive(pid) && !hasExited(child)) await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

async function openLog(file: string): Promise<FileHandle> {
  const size = await stat(file).then(
    (found) => found.size,
    () => 0,
  )
  return open(file, size > MAX_LOG_FILE_BYTES ? 'w' : 'a')
}

/** The end of a file, as text; empty when there is none. */
function tailOf(file: string): string {
  try {
    const descriptor = openSync(file, 'r')
    try {
      const { size } = fstatSync(descriptor)
      const buffer = Buffer.alloc(Math.min(size, KEPT_OUTPUT))
      readSync(descriptor, buffer, 0, buffer.length, size - buffer.length)
      return buffer.toString()
    } finally {
      closeSync(descriptor)
    }
  } catch {
    return ''
  }
}

const hasExited = (child: ChildProcess | undefined): boolean =>
  child !== undefined && (child.exitCode !== null || child.signalCode !== null)

/** When a process started, in clock ticks since the machine did; empty when it is gone, a zombie, or nobody says. */
function startOf(pid: number): string {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /, '')
      .split(' ')
    return fields[0] === 'Z' ? '' : (fields[19] ?? '')
  } catch {
    return ''
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch {
    // it has ended
  }
}

/** Ends a process and every other of its group, as far as they are still there. */
function killGroup(pid: number): void {
  if (pid > 0) signal(-pid, 'SIGKILL')
}
