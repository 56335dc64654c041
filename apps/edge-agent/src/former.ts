/**
 * What a former agent of the same folder left running. An agent that was killed cannot end the processes of its tasks, and
 * code in an endless loop does not notice that nobody is there any more.
 */
import { readdirSync, readFileSync, readlinkSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Ends the processes that a former agent left, and notes that this one uses the folder. Does nothing but on Linux. */
export function succeedFormer(dir: string): void {
  const file = path.join(dir, 'agent.json')
  let group = 0
  try {
    group = Number((JSON.parse(readFileSync(file, 'utf8')) as { group: unknown }).group)
  } catch {
    // the first agent of this folder
  }
  if (group > 1) for (const pid of leftOf(group, dir)) kill(pid)
  writeFileSync(file, JSON.stringify({ group: process.pid }))
}

/** Processes of a group whose working folder lies in `dir`, but not this one. */
function leftOf(group: number, dir: string): number[] {
  let names: string[] = []
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  } catch {}
  return names.map(Number).filter((pid) => pid !== process.pid && groupOf(pid) === group && worksIn(pid, dir))
}

function groupOf(pid: number): number {
  try {
    // after the name in parentheses: state, parent, group
    const [, , text] = readFileSync(`/proc/${pid}/stat`, 'latin1')
      .replace(/^.*\) /, '')
      .split(' ')
    return Number(text)
  } catch {
    return 0
  }
}

function worksIn(pid: number, dir: string): boolean {
  try {
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(dir)
  } catch {
    return false
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // it has ended meanwhile
  }
}
