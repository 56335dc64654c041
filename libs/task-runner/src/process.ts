/** One child process that runs task code: started, spoken to, measured, ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Duplex } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { boundTo } from './cores.ts'
import { TaskError } from './error.ts'
import { type Command, Frames, type Report, writeFrame } from './frames.ts'
import { LineSplitter } from './log-lines.ts'
import { endedAtOnce, notStarted, pythonFault, pythonProgram } from './python.ts'
import type { RunnerSpec } from './types.ts'

const nodeHost = fileURLToPath(new URL('./host/node.ts', import.meta.url))
const pythonHost = fileURLToPath(new URL('./host/host.py', import.meta.url))
const KEPT_OUTPUT = 4_000
/** How long a reading of a process's memory holds. */
const MEMORY_VALID_MS = 100

/** User code gets no more of this process's environment than it needs to run. */
function environment(): Record<string, string> {
  const names = ['PATH', 'HOME', 'LANG', 'LC_ALL', 'TZ', 'TMPDIR']
  const kept = names.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]]))
  return {
    ...Object.fromEntries(kept),
    HIVEMIND_RUNNER: String(process.pid),
    PYTHONDONTWRITEBYTECODE: '1',
    PYTHONUNBUFFERED: '1',
  }
}

function commandOf(spec: RunnerSpec): [string, string[]] {
  if (spec.runtime === 'python') return [pythonProgram(), [pythonHost]]
  return [process.execPath, [`--max-old-space-size=${Math.ceil(spec.memoryMB)}`, '--no-warnings', nodeHost]]
}

export class TaskProcess {
  readonly exited: Promise<void>
  #child: ChildProcess
  #wire: Duplex
  #onReport: (report: Report, payloads: Uint8Array[]) => void = () => {}
  #onEnd: (error: TaskError) => void = () => {}
  #onPrinted: (text: string, stream: 'stdout' | 'stderr') => void = () => {}
  #output = ''
  #end: TaskError | undefined
  /** Why this process was killed on purpose. */
  #verdict: TaskError | undefined
  /** Whether our own code in it runs; a Python that is none never gets so far. */
  #started = false
  #memory = { nowMB: 0, peakMB: 0 }
  #memoryAt = Number.NEGATIVE_INFINITY

  constructor(spec: RunnerSpec) {
    const [program, args] = commandOf(spec)
    const [command, commandArgs] = boundTo(spec.cores, program, args)
    this.#child = spawn(command, commandArgs, {
      cwd: spec.dir,
      env: environment(),
      stdio: ['ignore', 'pipe', 'pipe', 'pipe'],
    })
    this.#wire = this.#child.stdio[3] as Duplex
    const frames = new Frames<Report>()
    this.#wire.on('data', (chunk: Buffer) => {
      for (const { message, payloads } of frames.push(chunk)) {
        this.#started = true
        this.#onReport(message, payloads)
      }
    })
    this.#wire.on('error', () => {})
    for (const stream of ['stdout', 'stderr'] as const) this.#listen(stream)
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        this.#over(startError(spec, program, error))
        resolve()
      })
      this.#child.once('close', (code, signal) => {
        this.#over(this.#verdict ?? this.#exitError(spec, program, code, signal))
        resolve()
      })
    })
  }

  get alive(): boolean {
    return this.#end === undefined && this.#verdict === undefined
  }

  /** Who is told what the process reports, prints, and how it ended; replaces who was told before. */
  attach(
    onReport: (report: Report, payloads: Uint8Array[]) => void,
    onEnd: (error: TaskError) => void,
    onPrinted: (text: string, stream: 'stdout' | 'stderr') => void,
  ): void {
    this.#onReport = onReport
    this.#onEnd = onEnd
    this.#onPrinted = onPrinted
    if (this.#end) onEnd(this.#end)
  }

  send(command: Command, payloads: readonly Uint8Array[] = []): void {
    writeFrame(this.#wire, command, payloads)
  }

  /** Ends it at once; `verdict` is what whoever waits for it is told. */
  kill(verdict: TaskError): void {
    this.#verdict ??= verdict
    this.#child.kill('SIGKILL')
  }

  /** Resident memory and its peak, in MB, when it was last read: again at most every 100 ms. Zeros where the system does not tell. */
  memory(): { nowMB: number; peakMB: number } {
    const now = performance.now()
    if (now - this.#memoryAt >= MEMORY_VALID_MS) {
      this.#memoryAt = now
      this.#memory = this.#readMemory()
    }
    return this.#memory
  }

  #readMemory(): { nowMB: number; peakMB: number } {
    try {
      const status = readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')
      const kB = (name: string): number =>
        Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0)
      return { nowMB: kB('VmRSS') / 1000, peakMB: kB('VmHWM') / 1000 }
    } catch {
      return { nowMB: 0, peakMB: 0 }
    }
  }

  #listen(stream: 'stdout' | 'stderr'): void {
    const splitter = new LineSplitter()
    this.#child[stream]?.setEncoding('utf8').on('data', (text: string) => {
      this.#output = (this.#output + text).slice(-KEPT_OUTPUT)
      for (const line of splitter.push(text)) this.#onPrinted(line, stream)
    })
  }

  #over(error: TaskError): void {
    if (this.#end) return
    this.#end = error
    this.#wire.destroy()
    this.#onEnd(error)
  }

  #exitError(spec: RunnerSpec, program: string, code: number | null, signal: string | null): TaskError {
    const how = signal ? `signal ${signal}` : `exit code ${code}`
    if (/heap out of memory|MemoryError/.test(this.#output))
      return new TaskError('memory', memorySentence(spec), this.#output.trim())
    if (spec.runtime === 'python' && !this.#started && code !== null)
      return pythonFault(spec.task, endedAtOnce(program, how, this.#output), this.#output.trim())
    return new TaskError(
      'crash',
      `The process of task '${spec.task}' ended by itself (${how}).`,
      this.#output.trim(),
    )
  }
}

export function memorySentence(spec: RunnerSpec): string {
  return `Task '${spec.task}' used more than its ${Math.round(spec.memoryMB)} MB of memory; fix the code or give the task memory='1GB'.`
}

function startError(spec: RunnerSpec, program: string, error: NodeJS.ErrnoException): TaskError {
  if (spec.runtime === 'python') return pythonFault(spec.task, notStarted(program, error))
  return new TaskError('load', `The process of task '${spec.task}' could not be started: ${error.message}.`)
}
