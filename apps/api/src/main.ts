import 'reflect-metadata'
import { log } from './common/log.ts'
import { StartError } from './common/start-error.ts'
import { HELP, readConfig } from './config/config.ts'
import type { Role } from './lead/pod-role.ts'

/** Time to stop everything before the process ends regardless, in ms. */
const PATIENCE_MS = 8_000

async function main(): Promise<void> {
  const config = readConfig(process.argv.slice(2), process.env)
  if (config === 'help') {
    console.log(HELP)
    return
  }
  // The processes that run task code inherit the setting.
  process.env.HIVEMIND_SANDBOX = config.sandbox
  let stopAsked = false
  let stop = () => {}
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.on(signal, () => {
      if (stopAsked) return
      stopAsked = true
      stop()
    })
  // Loaded only now: a wrong option is told at once.
  const { startService } = await import('./service.ts')
  const mark = async (role: Role) => {
    if (config.pod === undefined) return
    const { markPod } = await import('./lead/pod-role.ts')
    await markPod(config.pod, config.namespace, role)
  }
  let unlock: (() => void) | undefined
  let marked = Promise.resolve()
  if (config.standBy) {
    const { takeLead } = await import('./lead/stand-by.ts')
    const waiting = new AbortController()
    stop = () => waiting.abort()
    if (stopAsked) stop()
    // It may be marked as active still, by the container before. A cluster that is away keeps nobody from taking over.
    marked = mark('stand-by')
    unlock = await takeLead(config, waiting.signal, (owner) =>
      console.log(`HiveMind stands by: another one (${owner}) uses the data folder ${config.dataDir}.`),
    )
    if (!unlock) return
    stop = () => {}
  }
  const service = await startService(config, undefined, unlock)
  stop = () => {
    setTimeout(() => {
      log.error('Some parts did not stop in time.')
      process.exit(1)
    }, PATIENCE_MS).unref()
    service.close().then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'The service did not stop cleanly.')
        process.exit(1)
      },
    )
  }
  if (stopAsked) return stop()
  console.log(`HiveMind is ready at ${service.url}`)
  await marked
  await mark('active')
}

try {
  await main()
} catch (error) {
  if (!(error instanceof StartError)) throw error
  console.error(error.message)
  process.exit(error.exitCode)
}
