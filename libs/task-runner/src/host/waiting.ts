/** How long this process's main thread was ready to run but had no core, where the system tells (Linux). */
import { closeSync, openSync, readSync } from 'node:fs'

const SCHEDULER = '/proc/self/schedstat'
const text = Buffer.alloc(64)

/** In ms since the process began; 0 where it is not known. */
export function waitedForCore(): number {
  try {
    const file = openSync(SCHEDULER, 'r')
    try {
      // ns on a core, ns waiting for one, and how often it was given one
      const [, waited] = text.toString('latin1', 0, readSync(file, text)).split(' ')
      return Number(waited) / 1e6 || 0
    } finally {
      closeSync(file)
    }
  } catch {
    return 0
  }
}
