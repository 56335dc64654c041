/** Failures of disk and database that pass: what could not be kept now may be kept later. */
import { setTimeout } from 'node:timers/promises'
import { log } from './log.ts'

const FULL = new Set(['ENOSPC', 'EDQUOT', '53100'])
const UNREACHABLE = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ETIMEDOUT',
  'ENOTFOUND',
  '57P01',
  '57P03',
  '08006',
])

const codeOf = (error: unknown) => String((error as { code?: unknown } | null)?.code)

/** Whether a disk or a quota is full. */
export const isDiskFull = (error: unknown): boolean => FULL.has(codeOf(error))

/** Whether the database could not be reached. */
export const isUnreachable = (error: unknown): boolean => UNREACHABLE.has(codeOf(error))

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 15_000

/**
 * Repeats `write` until it succeeds, with pauses from 0.5 s to 15 s, while the disk is full or the database away. Rejects
 * with any other failure, and with the last one when `signal` aborts. `what` names the data in the log.
 */
export async function keepTrying(
  write: () => Promise<void>,
  { what, signal }: { what: string; signal: AbortSignal },
): Promise<void> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(2 * wait, MAX_WAIT_MS)) {
    try {
      return await write()
    } catch (error) {
      if (signal.aborted || !(isDiskFull(error) || isUnreachable(error))) throw error
      log.warn({ err: error }, `${what} could not be kept yet; it is tried again in ${wait / 1000} s.`)
      await setTimeout(wait, undefined, { signal }).catch(() => {})
    }
  }
}
