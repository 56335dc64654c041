/** Keeps the processes of isolated lambdas to cores of the machine (Cascade, section 3.5). */
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import type { Lambda } from '../contract.ts'
import { InvalidOptionError } from '../errors.ts'

/** The program that starts another one on given cores. */
const PROGRAM = 'taskset'

/** Throws `InvalidOptionError` unless the processes of a lambda can be kept to these cores. */
export function checkCores(lambda: Lambda, cores: readonly number[]): void {
  if (typeof lambda === 'function' || lambda.isolation !== 'process')
    throw new InvalidOptionError(
      "The option cores keeps processes to cores: give the lambda isolation 'process', or leave cores out.",
    )
  if (process.platform !== 'linux')
    throw new InvalidOptionError(
      `The option cores works on Linux, and this is ${process.platform}: leave it out.`,
    )
  const { text, numbers } = allowedCores()
  const wrong = cores.find((core) => !numbers.has(core))
  if (cores.length === 0 || wrong !== undefined)
    throw new InvalidOptionError(
      `The option cores is [${cores.join(', ')}], but this process may use the cores ${text}: name at least one, and only these.`,
    )
  if (spawnSync(PROGRAM, ['--version']).status !== 0)
    throw new InvalidOptionError(
      `The option cores needs the program ${PROGRAM} (of the package util-linux), which cannot be run: install it, or leave cores out.`,
    )
}

/** Options of `fork` for a process on one core. */
export const onCore = (core: number): { execPath: string; execArgv: string[] } => ({
  execPath: PROGRAM,
  execArgv: ['--cpu-list', String(core), process.execPath, ...process.execArgv],
})

/** The cores that this process may use, such as `0-3,6`. */
function allowedCores(): { text: string; numbers: Set<number> } {
  const status = readFileSync('/proc/self/status', 'utf8')
  const text = /^Cpus_allowed_list:\s*(\S+)/m.exec(status)?.[1] ?? ''
  const numbers = new Set<number>()
  for (const range of text.split(',')) {
    const [first = Number.NaN, last = first] = range.split('-').map(Number)
    for (let core = first; core <= last; core++) numbers.add(core)
  }
  return { text, numbers }
}
