/** Ending the processes of a test, by their ids. */
import { readdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'

const kill = (pid: number): void => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended already.
  }
}

/** Kills every process of the group that this process leads. */
export function killGroup(leader: number | undefined): void {
  if (leader !== undefined) kill(-leader)
}

/** Kills every process that works in `folder` or below: device agents lead groups of their own. Linux only. */
export function killBelow(folder: string): void {
  if (process.platform !== 'linux') return
  for (const name of readdirSync('/proc')) {
    const pid = Number(name)
    if (Number.isInteger(pid) && pid !== process.pid && isBelow(workingFolder(pid), folder)) kill(pid)
  }
}

const isBelow = (place: string, folder: string): boolean =>
  place === folder || place.startsWith(`${folder}${path.sep}`)

/** Empty when the process has ended or belongs to somebody else. */
function workingFolder(pid: number): string {
  try {
    return readlinkSync(`/proc/${pid}/cwd`)
  } catch {
    return ''
  }
}
