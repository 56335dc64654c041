/** The `hivemind` command: the steps of the house, headless. Exit codes: failure.ts. */
import { Command, CommanderError } from 'commander'
import { exitCodes, Failure } from './failure.ts'
import { say } from './output.ts'

/** The commands, in the order of the help. Each is loaded by itself, as what all of them use takes a second to load. */
const commands = {
  check: async () => (await import('./commands/check.ts')).checkCommand,
  fmt: async () => (await import('./commands/fmt.ts')).fmtCommand,
  graph: async () => (await import('./commands/graph.ts')).graphCommand,
  import: async () => (await import('./commands/import.ts')).importCommand,
  explore: async () => (await import('./commands/explore.ts')).exploreCommand,
  simulate: async () => (await import('./commands/simulate.ts')).simulateCommand,
  synth: async () => (await import('./commands/synth.ts')).synthCommand,
  deploy: async () => (await import('./commands/deploy.ts')).deployCommand,
  device: async () => (await import('./commands/device.ts')).deviceCommand,
  run: async () => (await import('./commands/run.ts')).runCommand,
  service: async () => (await import('./commands/service.ts')).serviceCommand,
  store: async () => (await import('./commands/store.ts')).storeCommand,
  exchange: async () => (await import('./commands/exchange.ts')).exchangeCommand,
  fabric: async () => (await import('./commands/fabric.ts')).fabricCommand,
  nfu: async () => (await import('./commands/nfu.ts')).nfuCommand,
  profile: async () => (await import('./commands/profile.ts')).profileCommand,
  validate: async () => (await import('./commands/validate.ts')).validateCommand,
  backup: async () => (await import('./commands/backup.ts')).backupCommand,
  restore: async () => (await import('./commands/restore.ts')).restoreCommand,
  doctor: async () => (await import('./commands/doctor.ts')).doctorCommand,
}

/** A refusal of the system (a full disk, too many open files): its message says enough without a stack. */
function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error && 'code' in error
}

const program = new Command('hivemind')
  .description('Check, explore, deploy and run HiveMind workflows from the terminal.')
  .version('0.1.0')
  .exitOverride()
  .showHelpAfterError('(add --help for help)')
  .addHelpText('after', '\nExit codes: 0 fine, 1 the workflow is at fault, 2 usage, 3 something else failed.')

// the one that is asked for; all of them for the help, and for a name that is none
const asked = process.argv[2] ?? ''
const loaders = Object.hasOwn(commands, asked)
  ? [commands[asked as keyof typeof commands]]
  : Object.values(commands)
for (const add of await Promise.all(loaders.map((load) => load()))) add(program)

try {
  await program.parseAsync()
} catch (error) {
  if (error instanceof CommanderError)
    process.exitCode = error.exitCode === 0 ? exitCodes.fine : exitCodes.usage
  else if (error instanceof Failure) {
    say(`hivemind: ${error.message}`)
    process.exitCode = error.exitCode
  } else if (isSystemError(error)) {
    say(`hivemind: ${error.message}.`)
    process.exitCode = exitCodes.other
  } else {
    say(`hivemind: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
    process.exitCode = exitCodes.other
  }
}
