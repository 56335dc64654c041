import { type ChildProcess, spawn } from 'node:child_process'
import { FabricError } from './error.ts'

/** How long it may take to its end once its standard input has ended, in ms. */
const LONGEST_END_MS = 2000
/** Bytes kept of what a process says before it ends. */
const MAX_ERRORS = 4096

/** A process that serves the lines of a board on sockets: ready when it says a word on standard output, ended when its standard input is. */
export class SocketProcess {
  readonly #what: string
  #process: ChildProcess | undefined
  #errors = ''

  /** @param what it is, as the subject of a sentence */
  constructor(what: string) {
    this.#what = what
  }

  /** Starts a program in the place of the one before; resolves when it is ready. Throws `board` with what it says. */
  async start(program: string, args: readonly string[]): Promise<void> {
    await this.stop()
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#process = child
    this.#errors = ''
    child.stderr.on('data', (bytes) => (this.#errors = (this.#errors + bytes).slice(-MAX_ERRORS)))
    await new Promise<void>((resolve, reject) => {
      child.stdout.once('data', () => resolve())
      child.once('error', (error) =>
        reject(new FabricError('board', `${this.#what} cannot run: ${error.message}.`)),
      )
      child.once('close', () => reject(new FabricError('board', this.problem ?? '')))
    })
  }

  /** Why it does not run any more; `undefined` while it runs, and when it was stopped. */
  get problem(): string | undefined {
    const child = this.#process
    if (!child || this.isRunning) return undefined
    const reason = this.#errors.trim() || child.signalCode || 'no reason given'
    return `${this.#what} ended: ${reason.replace(/\.$/, '')}.`
  }

  get isRunning(): boolean {
    const child = this.#process
    return child !== undefined && child.exitCode === null && child.signalCode === null
  }

  /** @param isAtOnce ends it where it stands; else it is asked to, and ended when it does not within 2 s */
  async stop(isAtOnce = false): Promise<void> {
    const child = this.#process
    const wasRunning = this.isRunning
    this.#process = undefined
    if (!child || !wasRunning) return
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.stdin?.end()
    const timer = setTimeout(() => child.kill('SIGKILL'), isAtOnce ? 0 : LONGEST_END_MS)
    await ended
    clearTimeout(timer)
  }
}
