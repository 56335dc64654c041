/** Which cores of the machine threads run on. */
import { execFileSync } from 'node:child_process'
import { readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { LambdaError } from '../errors.ts'

const ALLOWED = /^Cpus_allowed_list:\s*(\S+)$/m

/** The numbers of the cores that the calling thread may use, or null where the system does not tell: it is not Linux. */
export function allowedCores(): number[] | null {
  if (process.platform !== 'linux') return null
  const list = ALLOWED.exec(readFileSync('/proc/thread-self/status', 'utf8'))?.[1] ?? ''
  return list.split(',').flatMap((range) => {
    const [first = 0, last = first] = range.split('-').map(Number)
    return Array.from({ length: last - first + 1 }, (_, at) => first + at)
  })
}

/** Lets the calling thread, and what it starts from now on, run on one core only. Throws `LambdaError`. */
export function holdToCore(core: number): void {
  const thread = path.basename(readlinkSync('/proc/thread-self'))
  try {
    execFileSync('taskset', ['--cpu-list', '--pid', String(core), thread], { stdio: 'pipe' })
  } catch (error) {
    const why = error instanceof Error ? error.message.trim() : String(error)
    throw new LambdaError(
      `The lambda cannot be held to core ${core}, which needs taskset of util-linux: ${why}`,
    )
  }
}
