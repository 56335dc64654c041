/** How long this process's main thread was ready to run but had no core, where the system tells (Linux). */
import { openSync, readSync } from 'node:fs'

const SCHEDULER = '/proc/self/schedstat'
const text = Buffer.alloc(64)
/** Kept open: it is read several times for each item. */
const file = openedScheduler()

function openedScheduler(): number | undefined {
  try {
    return openSync(SCHEDULER, 'r')
  } catch {
    return undefined
  }
}

/** In ms since the process began; 0 where it is not known. */
export function waitedForCore(): number {
  if (file === undefined) return 0
  try {
    // ns on a core, ns waiting for one, and how often it was given one
    const [, waited] = text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)).split(' ')
    return Number(waited) / 1e6 || 0
  } catch {
    return 0
  }
}
