/** One child process that runs task code: started, spoken to, measured, ended. */
import { type ChildProcess, spawn } from 'node:child_process'
import os from 'node:os'
import type { Duplex, Writable } from 'node:stream'
import { TaskError } from './error.ts'
import { type Command, checkedReport, Frames, type Report, writeFrame } from './frames.ts'
import { type GroupUse, ProcessGroup } from './group.ts'
import { type Launch, launchOf } from './launch.ts'
import { LineSplitter } from './log-lines.ts'
import { sessionGivesWay } from './priority.ts'
import { endedAtOnce, notStarted, pythonFault } from './python.ts'
import { ControlGroup } from './sandbox/control-group.ts'
import { MAX_THREADS } from './sandbox/limits.ts'
import type { RunnerSpec } from './types.ts'

const KEPT_OUTPUT = 4_000
/** How long a reading of what a task's processes use holds. */
const USE_VALID_MS = 100
/** Time for the last output of a process that ended, in ms: who inherited its output may hold it open for ever. */
const DRAIN_MS = 250
/** Exit codes from here on are signals that ended a process of a sandbox. */
const SIGNAL_EXIT = 128

export class TaskProcess {
  /** Resolves when it has ended, and with it every process of its sandbox. */
  readonly exited: Promise<void>
  /** Its bundle, as it sees it. */
  readonly dir: string
  /** Whether its code has no network. */
  readonly offline: boolean
  readonly #confined: boolean
  #child: ChildProcess
  #group: ProcessGroup
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
  #use: GroupUse = { nowMB: 0, peakMB: 0, processes: 0 }
  #useAt = Number.NEGATIVE_INFINITY

  /** Throws `TaskError` where the task may not be started. */
  constructor(spec: RunnerSpec) {
    const launch = launchOf(spec)
    const { env, cwd, confined, filter } = launch
    const group = confined ? ControlGroup.make({ memoryMB: spec.memoryMB, threads: MAX_THREADS }) : undefined
    const [command, args] = group?.entering(launch.command, launch.args) ?? [launch.command, launch.args]
    this.dir = launch.dir
    this.offline = confined && spec.network !== true
    this.#confined = confined
    this.#child = spawn(command, args, {
      cwd,
      env,
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', filter ? 'pipe' : 'ignore'],
    })
    if (filter) feed(this.#child.stdio[4] as Writable, filter)
    this.#group = new ProcessGroup(this.#child.pid ?? 0, confined)
    this.#wire = this.#child.stdio[3] as Duplex
    const frames = new Frames<Report>()
    this.#wire.on('data', (chunk: Buffer) => {
      // Task code can write here too.
      try {
        for (const { message, payloads } of frames.push(chunk)) {
          if (!this.#started) this.#giveWay()
          this.#started = true
          this.#onReport(checkedReport(message), payloads)
        }
      } catch (error) {
        const text = `Task '${spec.task}' sent its runner a message that cannot be read, and was stopped.`
        this.kill(new TaskError('crash', text, (error as Error).message))
      }
    })
    this.#wire.on('error', () => {})
    for (const stream of ['stdout', 'stderr'] as const) this.#listen(stream)
    this.exited = new Promise((resolve) => {
      this.#child.once('error', (error: NodeJS.ErrnoException) => {
        this.#over(startError(spec, launch.program, error))
        group?.remove()
        resolve()
      })
      this.#child.once('exit', () => setTimeout(() => this.#stopListening(), DRAIN_MS).unref())
      this.#child.once('close', (code, signal) => {
        this.#over(
          this.#verdict ??
            (group?.outOfMemory
              ? new TaskError('memory', memorySentence(spec), this.#output.trim())
              : this.#exitError(spec, launch, code, signal)),
        )
        group?.remove()
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
    if (this.#end) return
    const { init } = this.#group
    // The init process of a sandbox is gone when every other one is.
    if (init === undefined || !signalled(init)) this.#child.kill('SIGKILL')
  }

  /** What its processes use, when that was last read: again at most every 100 ms. Zeros where the system does not tell. */
  use(): GroupUse {
    const now = performance.now()
    if (now - this.#useAt >= USE_VALID_MS) {
      this.#useAt = now
      this.#use = this.#group.use()
    }
    return this.#use
  }

  /** Resident memory of its processes, in MB; what they share counts once. */
  sharedOnceMB(): number {
    return this.#group.sharedOnceMB()
  }

  #giveWay(): void {
    const { first } = this.#group
    if (this.#confined && first !== undefined) sessionGivesWay(first)
  }

  #stopListening(): void {
    for (const stream of this.#child.stdio) stream?.destroy()
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

  #exitError(spec: RunnerSpec, launch: Launch, code: number | null, signal: string | null): TaskError {
    const by = signal ?? (launch.confined ? signalIn(code ?? 0) : undefined)
    const how = by ? `signal ${by}` : `exit code ${code}`
    if (/heap out of memory|MemoryError/.test(this.#output))
      return new TaskError('memory', memorySentence(spec), this.#output.trim())
    if (spec.runtime === 'python' && !this.#started && code !== null)
      return pythonFault(spec.task, endedAtOnce(launch.program, how, this.#output), this.#output.trim())
    return new TaskError(
      'crash',
      `The process of task '${spec.task}' ended by itself (${how}).`,
      this.#output.trim(),
    )
  }
}

/** The signal that ended a program of a sandbox, by the exit code of bubblewrap. */
function signalIn(code: number): string | undefined {
  return Object.entries(os.constants.signals).find(([, number]) => number === code - SIGNAL_EXIT)?.[0]
}

function feed(stream: Writable, bytes: Buffer): void {
  // One that ended before it read this says why by itself.
  stream.on('error', () => {}).end(bytes)
}

function signalled(pid: number): boolean {
  try {
    return process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

export function memorySentence(spec: RunnerSpec): string {
  return `Task '${spec.task}' used more than its ${Math.round(spec.memoryMB)} MB of memory; fix the code or give the task memory='1GB'.`
}

function startError(spec: RunnerSpec, program: string, error: NodeJS.ErrnoException): TaskError {
  if (spec.runtime === 'python') return pythonFault(spec.task, notStarted(program, error))
  return new TaskError('load', `The process of task '${spec.task}' could not be started: ${error.message}.`)
}
