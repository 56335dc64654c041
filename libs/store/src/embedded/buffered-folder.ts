/** The folder of buffered pools: what it holds is good until the machine restarts. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'

/** Id of the machine's current start; a new one each time where the system tells none. */
function bootId(): string {
  try {
    return readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
  } catch {
    return `process ${process.pid} at ${Date.now()}`
  }
}

/**
 * Makes the folder of buffered pools in that of a store. What is there from before the machine's last start is removed: it was
 * never forced to the disk, so that a power failure may have torn it. Returns its path.
 */
export function prepareBufferedFolder(folder: string, boot = bootId()): string {
  const buffered = path.join(folder, 'buffered')
  const mark = path.join(buffered, 'boot')
  if (readMark(mark) !== boot) rmSync(buffered, { recursive: true, force: true })
  mkdirSync(buffered, { recursive: true })
  writeFileSync(mark, boot)
  return buffered
}

function readMark(file: string): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return null
  }
}
