/** Which cores of the machine the process of a task may use. */
import { accessSync, constants, readFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'

/** Cores for isolated tasks, and those left for everything else. */
export interface CoreAssignment {
  /** The core of each isolated task; empty when the machine has too few. */
  isolated: Map<string, number>
  /** The cores that no isolated task has. */
  shared: number[]
}

/**
 * Gives each isolated task a core of its own, the highest first, so long as at least one core is left for the other
 * tasks; with fewer cores than that, no task gets one.
 */
export function assignCores(
  isolated: readonly string[],
  cores: readonly number[] = usableCores(),
): CoreAssignment {
  if (isolated.length === 0 || cores.length <= isolated.length)
    return { isolated: new Map(), shared: [...cores] }
  const sorted = [...cores].sort((a, b) => a - b)
  const shared = sorted.slice(0, cores.length - isolated.length)
  const own = sorted.slice(shared.length).reverse()
  return { isolated: new Map(isolated.map((task, index) => [task, own[index] as number])), shared }
}

/** Numbers of the cores that this process may use. */
export function usableCores(): number[] {
  try {
    const status = readFileSync('/proc/self/status', 'latin1')
    const listed = parseCores(/^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? '')
    if (listed.length > 0) return listed
  } catch {}
  return Array.from({ length: os.availableParallelism() }, (_, core) => core)
}

/** `0-2,5` as numbers. */
function parseCores(text: string): number[] {
  return text.split(',').flatMap((range) => {
    const [, first = '', last = first] = /^(\d+)(?:-(\d+))?$/.exec(range) ?? []
    return first === ''
      ? []
      : Array.from({ length: Number(last) - Number(first) + 1 }, (_, n) => Number(first) + n)
  })
}

/** The command, bound to those of `cores` that this process may use; as it is where that cannot be done. */
export function boundTo(
  cores: readonly number[] | undefined,
  program: string,
  args: string[],
): [string, string[]] {
  if (cores === undefined || cores.length === 0) return [program, args]
  const usable = new Set(usableCores())
  const allowed = cores.filter((core) => usable.has(core))
  const taskset = allowed.length > 0 ? findTaskset() : undefined
  if (taskset === undefined) return [program, args]
  return [taskset, ['--cpu-list', allowed.join(','), program, ...args]]
}

function findTaskset(): string | undefined {
  if (process.platform !== 'linux') return undefined
  return (process.env.PATH ?? '')
    .split(path.delimiter)
    .map((folder) => path.join(folder, 'taskset'))
    .find((file) => {
      try {
        accessSync(file, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}
