/**
 * `hivemind-function-host --config FILE [--bound]`: serves one function until SIGTERM, which lets it finish its work; until
 * its lease runs out; or, with `--bound`, until its standard input closes.
 */
import { renameSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { type FunctionConfig, TaskError } from '@hivemind/task-runner'
import { readConfig } from './config.ts'
import { FunctionServer, type HostEvents } from './server.ts'

/** Exit code of a function that cannot be started. */
const CANNOT_START = 3

/** The file is there before the line is: who reads the line may look at the file. */
function announce({ readyFile }: FunctionConfig, state: Record<string, unknown>): void {
  const line = JSON.stringify(state)
  if (readyFile !== undefined) {
    writeFileSync(`${readyFile}.new`, line)
    renameSync(`${readyFile}.new`, readyFile)
  }
  console.log(line)
}

async function serve(config: FunctionConfig, bound: boolean): Promise<void> {
  let ending: Promise<void> | undefined
  const end = (work: () => Promise<void>): void => {
    ending ??= work().finally(() => process.exit(0))
  }
  const { board } = config
  // loaded where there is a board only: other functions start sooner without
  const { FabricRunner } = board === undefined ? {} : await import('./fabric/runner.ts')
  // whoever reads the log of several tasks sees whose line it is
  const said = (task: string, text: string): string => (config.coPlaced ? `${task}: ${text}` : text)
  const events: HostEvents = {
    onLog: ({ context }, { level, text }) => {
      const { task, run, device, seq } = context
      console.log(JSON.stringify({ at: Date.now(), level, task, run, device, seq, text: said(task, text) }))
    },
    onLoadLog: ({ level, text }, task) =>
      console.log(JSON.stringify({ at: Date.now(), level, task, text: said(task, text) })),
    onLeaseEnd: () => {
      console.log(
        JSON.stringify({
          at: Date.now(),
          level: 'warn',
          task: config.task,
          text: `Nobody called for ${config.leaseSeconds} s; the function ends.`,
        }),
      )
      end(() => server.close())
    },
  }
  const server = new FunctionServer(
    config,
    events,
    FabricRunner && board !== undefined ? (spec) => new FabricRunner(spec, board) : undefined,
  )
  process.once('SIGTERM', () => end(() => server.drain()))
  process.once('SIGINT', () => end(() => server.close()))
  // A closed standard output must not end the function in the midst of its work.
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
  if (bound) {
    // Whoever started the function holds the other end of this pipe; it closes even when that process is killed.
    const parentEnded = (): void => end(() => server.close())
    process.stdin.on('end', parentEnded).on('error', parentEnded).resume()
  }
  try {
    const port = await server.start()
    announce(config, { port, pid: process.pid })
  } catch (error) {
    if (ending) return
    const { kind, message, detail } =
      error instanceof TaskError ? error : new TaskError('crash', (error as Error).message)
    announce(config, { error: { kind, message, detail } })
    console.error(message)
    await server.close().catch(() => {})
    process.exit(CANNOT_START)
  }
}

try {
  const { values } = parseArgs({ options: { config: { type: 'string' }, bound: { type: 'boolean' } } })
  await serve(readConfig(values.config, process.env), values.bound ?? false)
} catch (error) {
  console.error((error as Error).message)
  process.exit(CANNOT_START)
}
