/** What the processes of one sandbox may use, beside memory. */
import { existsSync } from 'node:fs'
import { TMP_BYTES } from './bubblewrap.ts'

/** Processes of a task at once. */
export const MAX_PROCESSES = 64
/** Processes and threads of a task at once. For each user the kernel does not count those of root. */
export const MAX_THREADS = 512
const MAX_OPEN_FILES = 1_024
/**
 * Writable memory of each process, by the kernel: so far above the limit of the task that the watch over all its processes
 * ends it first, and that threads and compiled code fit.
 */
const burstBytes = (memoryMB: number): number => (2 * memoryMB + 1_024) * 1e6

const PRLIMIT = '/usr/bin/prlimit'

/** The command with limits of the kernel for each process; as it is where the system has no `prlimit`. */
export function limited(program: string, args: readonly string[], memoryMB: number): [string, string[]] {
  if (!existsSync(PRLIMIT)) return [program, [...args]]
  const limits = {
    core: 0,
    fsize: TMP_BYTES,
    nofile: MAX_OPEN_FILES,
    nproc: MAX_THREADS,
    data: burstBytes(memoryMB),
  }
  const flags = Object.entries(limits).map(([name, most]) => `--${name}=${Math.round(most)}`)
  return [PRLIMIT, [...flags, program, ...args]]
}
