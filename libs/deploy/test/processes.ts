/** Looks for processes by where they run: everything a deployment starts has its working folder in the scratch folder. */
import { readdirSync, readlinkSync } from 'node:fs'

/** Ids of the processes whose working folder lies in `folder`. */
export function processesIn(folder: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
      } catch {
        return false
      }
    })
    .map(Number)
}

/** Waits until `done` holds; throws after `limitMs`. */
export async function until(done: () => boolean, what: string, limitMs = 20_000): Promise<void> {
  const from = Date.now()
  while (!done()) {
    if (Date.now() - from > limitMs) throw new Error(`Waited ${limitMs} ms in vain: ${what}.`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
