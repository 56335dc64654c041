/** The `hivemind` command: the steps of the house, headless. Exit codes: failure.ts. */
import { Command, CommanderError } from 'commander'
import { backupCommand } from './commands/backup.ts'
import { checkCommand } from './commands/check.ts'
import { deployCommand } from './commands/deploy.ts'
import { deviceCommand } from './commands/device.ts'
import { doctorCommand } from './commands/doctor.ts'
import { exchangeCommand } from './commands/exchange.ts'
import { exploreCommand } from './commands/explore.ts'
import { fabricCommand } from './commands/fabric.ts'
import { fmtCommand } from './commands/fmt.ts'
import { graphCommand } from './commands/graph.ts'
import { importCommand } from './commands/import.ts'
import { nfuCommand } from './commands/nfu.ts'
import { profileCommand } from './commands/profile.ts'
import { restoreCommand } from './commands/restore.ts'
import { runCommand } from './commands/run.ts'
import { serviceCommand } from './commands/service.ts'
import { simulateCommand } from './commands/simulate.ts'
import { storeCommand } from './commands/store.ts'
import { synthCommand } from './commands/synth.ts'
import { validateCommand } from './commands/validate.ts'
import { exitCodes, Failure } from './failure.ts'
import { say } from './output.ts'

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

for (const add of [
  checkCommand,
  fmtCommand,
  graphCommand,
  importCommand,
  exploreCommand,
  simulateCommand,
  synthCommand,
  deployCommand,
  deviceCommand,
  runCommand,
  serviceCommand,
  storeCommand,
  exchangeCommand,
  fabricCommand,
  nfuCommand,
  profileCommand,
  validateCommand,
  backupCommand,
  restoreCommand,
  doctorCommand,
])
  add(program)

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
