/**
 * Task code gives way: where cores are short, those who answer people and devices get theirs first. The kernel weighs the
 * processes of a session together (autogroups), and those inside one by their niceness; both are lowered.
 */
import { existsSync, writeFileSync } from 'node:fs'

/** Niceness of task code: about a third of the weight of others. */
const NICENESS = 5
const NICE = '/usr/bin/nice'
/** The kernel takes few changes of autogroups in a second; it is asked again after so long, in ms. */
const AGAIN_MS = 250
const TRIES = 20

/** The command at the lower priority; as it is where the system has no `nice`. */
export function givingWay(program: string, args: readonly string[]): [string, string[]] {
  if (!existsSync(NICE)) return [program, [...args]]
  return [NICE, ['-n', String(NICENESS), program, ...args]]
}

/** Lowers the weight of the session of a process. Does nothing where the kernel has no autogroups. */
export function sessionGivesWay(pid: number, tries = TRIES): void {
  try {
    writeFileSync(`/proc/${pid}/autogroup`, String(NICENESS))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EAGAIN' || tries <= 1) return
    setTimeout(() => sessionGivesWay(pid, tries - 1), AGAIN_MS).unref()
  }
}
