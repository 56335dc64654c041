/** Functions on this machine: a process for each, supervised. */
import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { TaskError } from '../error.ts'
import { type FunctionConfig, functionName, tasksOf } from '../function-config.ts'
import { type FunctionLogLine, LogFile } from './log-file.ts'
import {
  type FunctionHealth,
  FunctionProcess,
  type FunctionRecord,
  type ProcessEndpoint,
  type StartOptions,
} from './process.ts'

const HOST = fileURLToPath(
  new URL('../../../../apps/function-host/bin/hivemind-function-host.mjs', import.meta.url),
)
const LEASE_SECONDS = 60
/** Longest time that a replaced or stopped function may go on with its work, in ms. */
const GRACE_MS = 30_000
const LOG_LINES = 1_000
const MAX_RESTARTS = 6
const FIRST_DELAY_MS = 200
const MAX_DELAY_MS = 10_000
/** A function that ran for so long begins to count its restarts anew, in ms. */
const STABLE_MS = 60_000

/** State of a function. */
export interface ProcessStatus {
  name: string
  state: 'starting' | 'ready' | 'restarting' | 'failed' | 'stopped'
  /** Process on this machine. */
  pid?: number
  /** Why it failed or restarts. */
  message?: string
}

/** A function to be run: what it is, without how its process is reached. Each of its processes has a token of its own unless one is given. */
export type FunctionSpec = Omit<FunctionConfig, 'host' | 'port' | 'leaseSeconds' | 'readyFile' | 'configHash'>

/** How functions are supervised. */
export interface LocalFunctionsOptions {
  /** Folder of configurations and logs; made when it is not there. */
  dir: string
  /**
   * `bound`: the functions end with this process. `detached`: they run on without it until their lease ends, and
   * `attach` finds them again.
   */
  mode: 'bound' | 'detached'
  /** Detached functions end when no supervisor has called for so long; 60 s when absent. */
  leaseSeconds?: number
  /** Program and arguments that start a function host; `--config FILE` is added. */
  command?: string[]
  /** Told each change of state. */
  onStatus?: (status: ProcessStatus) => void
  /** Told each line that a function writes. */
  onLog?: (name: string, line: FunctionLogLine) => void
  /** Longest time that a replaced or stopped function may go on with its work, in ms; 30,000 when absent. */
  graceMs?: number
}

/** One function: the process that serves it now, and what is known of it. */
interface Entry {
  name: string
  config: FunctionConfig
  configHash: string
  process: FunctionProcess | undefined
  logs: LogFile | undefined
  status: ProcessStatus
  readyAt: number
  restarts: number
  /** Settles when the function is ready again, or is given up. */
  recovered: Promise<void> | undefined
  /** Set when it is to run no more. */
  stopping: AbortController
}

/** A process that is ready to take the place of another. */
export interface PreparedProcess {
  /** Where it takes calls meanwhile; absent when the one that runs stays. */
  endpoint?: () => Promise<ProcessEndpoint>
  /** From now on it gets the calls; the one before finishes its work and ends. */
  commit(): FunctionRecord
  /** Ends it, unless it was committed. */
  discard(): void
}

/** Starts, replaces, watches and ends the functions of a deployment. */
export class LocalFunctions {
  readonly #options: LocalFunctionsOptions
  readonly #entries = new Map<string, Entry>()
  /** Ready, and not yet in the place of what runs. */
  readonly #prepared = new Set<Entry>()
  /** Newest start of each function that is not committed: under way, ready or failed. */
  readonly #starts = new Map<string, Entry>()
  readonly #retiring = new Set<Promise<void>>()
  readonly #lease: NodeJS.Timeout | undefined
  #closed = false

  constructor(options: LocalFunctionsOptions) {
    this.#options = options
    mkdirSync(options.dir, { recursive: true })
    if (options.mode === 'detached') {
      const everyMs = ((options.leaseSeconds ?? LEASE_SECONDS) * 1000) / 4
      this.#lease = setInterval(() => {
        for (const { process } of this.#entries.values()) void process?.renew()
      }, everyMs)
      this.#lease.unref()
    }
  }

  /**
   * Starts a function, or replaces the one of that name: the new one is ready before the old gets no more calls, finishes
   * its work and ends. Does nothing when the same runs already. Rejects with `TaskError`; what ran before then goes on.
   */
  async start(spec: FunctionSpec, signal?: AbortSignal): Promise<FunctionRecord> {
    return (await this.prepare(spec, signal)).commit()
  }

  /**
   * Starts a function beside the one of that name, which serves on until the new one is committed; discarded, the new one
   * ends. Does nothing when the same runs already. Rejects with `TaskError`; what ran before then goes on.
   */
  async prepare(spec: FunctionSpec, signal?: AbortSignal): Promise<PreparedProcess> {
    const configHash = hashOf(spec)
    const name = functionName(tasksOf(spec), spec.node)
    const before = this.#entries.get(name)
    if (before?.process && before.configHash === configHash) {
      const { record } = before.process
      return { commit: () => record, discard: () => {} }
    }
    const stopping = new AbortController()
    const entry: Entry = {
      name,
      config: spec,
      configHash,
      process: undefined,
      logs: undefined,
      status: { name, state: 'starting' },
      readyAt: 0,
      restarts: 0,
      recovered: undefined,
      stopping,
    }
    if (!before) this.#entries.set(name, entry)
    this.#starts.set(name, entry)
    this.#tell(entry, 'starting')
    try {
      await this.#launch(entry, signal ? AbortSignal.any([signal, stopping.signal]) : stopping.signal)
    } catch (error) {
      entry.logs?.close()
      if (!before) this.#entries.delete(name)
      this.#tell(before ?? entry, before ? before.status.state : 'failed', (error as Error).message)
      throw error
    }
    const { record } = entry.process as FunctionProcess
    this.#prepared.add(entry)
    return {
      endpoint: async () => {
        if (entry.process) return entry.process.endpoint
        throw new TaskError('crash', entry.status.message ?? `The function '${name}' does not run.`)
      },
      commit: () => {
        if (!this.#prepared.delete(entry)) return record
        this.#entries.set(name, entry)
        this.#starts.delete(name)
        if (before) this.#retire(before)
        return record
      },
      discard: () => {
        if (!this.#prepared.delete(entry)) return
        if (!before) this.#entries.delete(name)
        this.#retire(entry)
      },
    }
  }

  /** Takes up functions that were started before. Returns the names of those that are not there any more. */
  async attach(records: readonly FunctionRecord[]): Promise<string[]> {
    const lost: string[] = []
    for (const record of records) {
      const process = await FunctionProcess.attach(record)
      if (!process) {
        lost.push(record.task)
        continue
      }
      const entry: Entry = {
        name: record.task,
        config: process.config(),
        configHash: record.configHash,
        process: undefined,
        logs: undefined,
        status: { name: record.task, state: 'starting' },
        readyAt: 0,
        restarts: 0,
        recovered: undefined,
        stopping: new AbortController(),
      }
      this.#entries.set(record.task, entry)
      this.#follow(entry, record.logFile)
      this.#adopt(entry, process)
    }
    return lost
  }

  /** Where a function takes calls; waits while it restarts. Rejects with `TaskError` when it does not run. */
  async endpoint(name: string): Promise<ProcessEndpoint> {
    for (;;) {
      const entry = this.#entries.get(name)
      if (entry?.process) return entry.process.endpoint
      if (!entry?.recovered)
        throw new TaskError('crash', entry?.status.message ?? `The function '${name}' does not run.`)
      await entry.recovered
    }
  }

  /** The state of every function. */
  statuses(): ProcessStatus[] {
    return [...this.#entries.values()].map(({ status }) => ({ ...status }))
  }

  /** What to save, so that `attach` finds the functions again. */
  records(): FunctionRecord[] {
    return [...this.#entries.values()].flatMap(({ process }) => (process ? [process.record] : []))
  }

  /** The last lines of a function's log, the oldest first; at most 1,000. */
  logs(name: string): FunctionLogLine[] {
    return this.#entries.get(name)?.logs?.lines() ?? []
  }

  /** As `logs`, of the start that is under way or has failed; of the function that runs when there is none. */
  startLogs(name: string): FunctionLogLine[] {
    return this.#starts.get(name)?.logs?.lines() ?? this.logs(name)
  }

  /** Memory and load of a function; `null` when it does not answer. */
  async health(name: string): Promise<FunctionHealth | null> {
    return (
      (await this.#entries
        .get(name)
        ?.process?.health()
        .catch(() => null)) ?? null
    )
  }

  /** Lets a function finish its work and ends it. */
  async stop(name: string): Promise<void> {
    const entry = this.#entries.get(name)
    if (!entry) return
    this.#entries.delete(name)
    this.#retire(entry)
    this.#tell(entry, 'stopped')
    await Promise.all(this.#retiring)
  }

  /** Ends every function. */
  async stopAll(): Promise<void> {
    for (const entry of this.#prepared) this.#retire(entry)
    await Promise.all([...this.#entries.keys()].map((name) => this.stop(name)))
    await this.close()
  }

  /** Stops supervising. Detached functions run on until their lease ends; others are ended. */
  async close(): Promise<void> {
    if (this.#closed) return
    this.#closed = true
    clearInterval(this.#lease)
    if (this.#options.mode === 'bound')
      await Promise.all([...this.#entries.keys()].map((name) => this.stop(name)))
    for (const entry of [...this.#entries.values(), ...this.#prepared]) {
      entry.stopping.abort()
      entry.logs?.close()
      entry.process?.release()
    }
    this.#entries.clear()
    await Promise.all(this.#retiring)
  }

  async #launch(entry: Entry, signal: AbortSignal): Promise<void> {
    const { dir, mode, leaseSeconds = LEASE_SECONDS, command = [process.execPath, HOST] } = this.#options
    const onLogFile = (file: string): void => this.#follow(entry, file)
    const options: StartOptions = { dir, command, leaseSeconds, bound: mode === 'bound', signal, onLogFile }
    this.#adopt(entry, await FunctionProcess.start(entry.config, entry.configHash, options))
  }

  #follow(entry: Entry, file: string): void {
    entry.logs?.close()
    entry.logs = new LogFile(file, LOG_LINES, (line) => this.#options.onLog?.(entry.name, line))
  }

  #adopt(entry: Entry, process: FunctionProcess): void {
    entry.process = process
    entry.readyAt = performance.now()
    this.#tell(entry, 'ready')
    void process.ended.then((how) => {
      if (entry.process !== process || entry.stopping.signal.aborted) return
      entry.process = undefined
      rmSync(process.record.configFile, { force: true })
      entry.recovered = this.#recover(entry, how)
    })
  }

  /** Starts a function again that has ended by itself, at growing intervals, and gives it up after some. */
  async #recover(entry: Entry, how: string): Promise<void> {
    const { signal } = entry.stopping
    let why = `The function '${entry.name}' ended by itself (${how}).`
    if (performance.now() - entry.readyAt > STABLE_MS) entry.restarts = 0
    for (; entry.restarts < MAX_RESTARTS; ) {
      this.#tell(entry, 'restarting', why)
      const delayMs = Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** entry.restarts)
      entry.restarts += 1
      await new Promise((resolve) => setTimeout(resolve, delayMs).unref())
      if (signal.aborted) return
      try {
        await this.#launch(entry, signal)
        return
      } catch (error) {
        if (signal.aborted) return
        why = (error as Error).message
      }
    }
    entry.recovered = undefined
    this.#tell(entry, 'failed', `${why} It was started ${MAX_RESTARTS} times in vain.`)
  }

  /** Ends a function that gets no more calls, in the background. */
  #retire(entry: Entry): void {
    entry.stopping.abort()
    const { process, logs } = entry
    if (!process) return
    process.endpoint.retired = true
    const done: Promise<void> = process.stop(this.#options.graceMs ?? GRACE_MS).finally(() => {
      logs?.close()
      this.#retiring.delete(done)
    })
    this.#retiring.add(done)
  }

  #tell(entry: Entry, state: ProcessStatus['state'], message?: string): void {
    const pid = entry.process?.record.pid
    entry.status = {
      name: entry.name,
      state,
      ...(pid !== undefined && { pid }),
      ...(message !== undefined && { message }),
    }
    this.#options.onStatus?.({ ...entry.status })
  }
}

function hashOf(spec: FunctionSpec): string {
  return createHash('sha256').update(JSON.stringify(spec)).digest('hex')
}
