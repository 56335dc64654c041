/** What JavaScript task code is given. */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { State } from './state.ts'

export interface Context {
  device: string
  log(text: unknown, level?: string): void
  path(relative: string): string
  report(decision: unknown): void
  state: ReturnType<State['api']>
}

// biome-ignore lint/suspicious/noExplicitAny: what task code takes and returns is its own affair
export type Run = (inputs: any, args: unknown, context: any) => unknown

/** The absolute path of a file of the bundle in `dir`. Throws when it leaves the bundle, also over a link. */
export function pathInBundle(dir: string, relative: string): string {
  const full = path.resolve(dir, relative)
  const real = (() => {
    try {
      return realpathSync(full)
    } catch {
      return full
    }
  })()
  for (const place of [full, real])
    if (place !== dir && !place.startsWith(dir + path.sep))
      throw new Error(`The path '${relative}' leaves the project; a task may only use its own files.`)
  return full
}
