import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { FabricError } from './error.ts'

/** A program with its arguments, and where it runs. */
export interface Command {
  file: string
  args: string[]
  cwd: string
  env?: NodeJS.ProcessEnv
}

/**
 * Runs a program and yields its lines as they come. Throws `tool-missing` when it is not there, `cancelled` when `signal`
 * aborts (the whole process group is killed), and `stage-failed` with its last lines when it ends with another code than 0.
 */
export async function* lines(command: Command, what: string, signal?: AbortSignal): AsyncGenerator<string> {
  if (signal?.aborted) throw new FabricError('cancelled', `${what} was cancelled.`)
  const child = spawn(command.file, command.args, {
    cwd: command.cwd,
    env: command.env ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    } catch {
      // it has ended already
    }
  }
  const ended = new Promise<number | NodeJS.ErrnoException>((resolve) => {
    child.on('error', resolve)
    child.on('close', (code) => resolve(code ?? 1))
  })
  signal?.addEventListener('abort', kill, { once: true })
  process.once('exit', kill)
  const last: string[] = []
  const queue: string[] = []
  let wake = (): void => {}
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      queue.push(line)
      wake()
    })
  let result: number | NodeJS.ErrnoException | undefined
  void ended.then((code) => {
    result = code
    wake()
  })
  try {
    while (result === undefined || queue.length > 0) {
      const line = queue.shift()
      if (line === undefined) await new Promise<void>((resolve) => (wake = resolve))
      else {
        last.push(line)
        if (last.length > 12) last.shift()
        yield line
      }
    }
  } finally {
    signal?.removeEventListener('abort', kill)
    process.off('exit', kill)
    if (result === undefined) kill()
  }
  if (signal?.aborted) throw new FabricError('cancelled', `${what} was cancelled.`)
  if (typeof result === 'object')
    throw new FabricError('tool-missing', `${command.file} cannot be run (${result.code}).`)
  if (result !== 0) throw new FabricError('stage-failed', `${what} failed.\n${last.join('\n')}`)
}
