/** Folders for what a deployment unpacks; those of processes that died without cleaning up are swept. */
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

const PREFIX = 'hivemind-local-'

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Makes a scratch folder below `parent` and removes what dead processes left there. */
export function makeScratch(parent = os.tmpdir()): string {
  for (const name of readdirSync(parent)) {
    const pid = Number(new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1] ?? 0)
    if (pid > 0 && !alive(pid)) rmSync(path.join(parent, name), { recursive: true, force: true })
  }
  return mkdtempSync(path.join(parent, `${PREFIX}${process.pid}-`))
}

export function removeScratch(folder: string): void {
  rmSync(folder, { recursive: true, force: true })
}
