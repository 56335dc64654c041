/** All processes of a task: what they use together, and how they end. */
import { readdirSync, readFileSync } from 'node:fs'

const KB_PER_MB = 1e3

/** What the processes of a task use. */
export interface GroupUse {
  /** Resident memory of all of them, in MB; what several share counts for each. */
  nowMB: number
  /** The most of `nowMB` that was seen, and the most that the kernel saw of the first process. */
  peakMB: number
  processes: number
}

/** The processes of a task: one, or all those of its sandbox. Zeros where the system does not tell. */
export class ProcessGroup {
  /** The process that was started: the task's own, or the one that watches over its sandbox. */
  readonly #pid: number
  readonly #confined: boolean
  #init: number | undefined
  #peakMB = 0

  constructor(pid: number, confined: boolean) {
    this.#pid = pid
    this.#confined = confined
  }

  /** Id of the process whose end ends all others of the sandbox; `undefined` while there is none. */
  get init(): number | undefined {
    if (this.#confined) this.#init ??= childrenOf(this.#pid)[0]
    return this.#init
  }

  /** Id of the process that runs the task; `undefined` while there is none. */
  get first(): number | undefined {
    if (!this.#confined) return this.#pid
    return this.init === undefined ? undefined : childrenOf(this.init)[0]
  }

  use(): GroupUse {
    const { proc, pids } = this.#members()
    const statuses = pids.map((pid) => read(`${proc}/${pid}/status`))
    const nowMB = statuses.reduce((sum, status) => sum + sizeMB(status, 'VmRSS'), 0)
    this.#peakMB = Math.max(this.#peakMB, nowMB, sizeMB(statuses[0], 'VmHWM'))
    return { nowMB, peakMB: this.#peakMB, processes: pids.length }
  }

  /** Resident memory of all of them, in MB; what several share counts once. Slower than `use`. */
  sharedOnceMB(): number {
    const { proc, pids } = this.#members()
    return pids.reduce((sum, pid) => sum + sizeMB(read(`${proc}/${pid}/smaps_rollup`), 'Pss'), 0)
  }

  #members(): { proc: string; pids: string[] } {
    const { init } = this
    if (!this.#confined) return { proc: '/proc', pids: [String(this.#pid)] }
    if (init === undefined) return { proc: '/proc', pids: [] }
    // The /proc of the sandbox lists its processes and no others. At its start it still has that of the machine, where this
    // process is, too.
    const proc = `/proc/${init}/root/proc`
    const pids = read(`${proc}/self/stat`) === undefined ? listed(proc).filter((pid) => pid !== '1') : []
    return pids.length > 0 ? { proc, pids } : { proc: '/proc', pids: childrenOf(init).map(String) }
  }
}

function listed(proc: string): string[] {
  try {
    return readdirSync(proc).filter((name) => /^\d+$/.test(name))
  } catch {
    return []
  }
}

function childrenOf(pid: number): number[] {
  return (read(`/proc/${pid}/task/${pid}/children`) ?? '').split(' ').filter(Boolean).map(Number)
}

/** A size that a file of /proc names in kB. */
const sizeMB = (text = '', name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0) / KB_PER_MB

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'latin1')
  } catch {
    return undefined
  }
}
