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

/** A moment, in ms of `performance.now`, and how long the thread had waited for a core until then. */
export interface Moment {
  at: number
  /** In ms since the process began; 0 where it is not known. */
  waitedMs: number
}

/** Readings that are made again because the thread lost its core between them. */
const TRIES = 5

/** Now. Both figures are of one moment: a wait between two readings would otherwise count in one of them alone. */
export function moment(): Moment {
  for (let tries = TRIES, waitedMs = waitedForCore(); ; tries--) {
    const at = performance.now()
    const after = waitedForCore()
    if (after === waitedMs || tries <= 1) return { at, waitedMs: after }
    waitedMs = after
  }
}

function waitedForCore(): number {
  if (file === undefined) return 0
  try {
    // ns on a core, ns waiting for one, and how often it was given one
    const [, waited] = text.toString('latin1', 0, readSync(file, text, 0, text.length, 0)).split(' ')
    return Number(waited) / 1e6 || 0
  } catch {
    return 0
  }
}
