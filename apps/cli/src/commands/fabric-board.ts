import { mkdirSync } from 'node:fs'
import {
  AttachedBoard,
  BOARD_NAMES,
  type Board,
  type BoardReport,
  type Build,
  compileModel,
  FabricCache,
  loadedBuild,
  loadOnServer,
  OpenFpgaLoader,
  readFields,
  readRegisterMap,
  registersAt,
  SimulatedBoard,
  serveBoard,
  Toolchain,
  writeSettings,
} from '@hivemind/fabric'
import { type Command, InvalidArgumentError, Option } from 'commander'
import { faults, toEnd } from '../fabric-work.ts'
import { untilInterrupted } from '../interrupt.ts'
import { answer, answerJson, say } from '../output.ts'

export const boardHelp = 'folder of the board: its sockets are there'

/** How often is looked whether the board still runs, in ms. */
const WATCH_MS = 500

/** `hivemind fabric sim | attach | load | regs`. */
export function addBoard(group: Command): void {
  group
    .command('sim')
    .description(
      'run a simulated board, cycle by cycle, with frames and registers on sockets; ends with Ctrl-C',
    )
    .argument('<build>', 'its golden image: the beginning of the id of a build')
    .requiredOption('--board <folder>', boardHelp)
    .action((id: string, { board: folder }: { board: string }) =>
      serve(id, folder, new SimulatedBoard(folder, modelOf)),
    )
  group
    .command('attach')
    .description(
      'serve an ECPIX-5 on USB and network as `sim` serves a simulated board: openFPGALoader writes it; ends with Ctrl-C',
    )
    .argument('<build>', 'its golden image: the beginning of the id of a build')
    .requiredOption('--board <folder>', boardHelp)
    .requiredOption('--serial <device>', 'its serial line, such as /dev/ttyUSB1')
    .requiredOption(
      '--interface <name>',
      'network interface that the board alone is on, without address, such as eth1',
    )
    .addOption(
      new Option('--probe <name>', 'the board as openFPGALoader names it')
        .choices(BOARD_NAMES)
        .default(BOARD_NAMES[0]),
    )
    .action((id: string, { board: folder, serial, interface: network, probe }: AttachOptions) =>
      serve(
        id,
        folder,
        new AttachedBoard({ folder, serial, network }, new Toolchain(), new OpenFpgaLoader(probe)),
      ),
    )
  group
    .command('load')
    .description(
      'load a build: checked before, its identity and a self-test after; rolled back when one fails',
    )
    .argument('<build>', 'the beginning of its id')
    .requiredOption('--board <folder>', boardHelp)
    .option('--allow-unmet-timing', 'also a build whose timing is not met')
    .option('--dry-run', 'only check it: nothing is written')
    .option('--json', 'print what is loaded as JSON')
    .action(async (id: string, options: LoadOptions) => {
      const { board, allowUnmetTiming = false, dryRun: isDry = false } = options
      const report = await faults(() => loadOnServer(board, { id, allowUnmetTiming, isDry }))
      if (options.json) answerJson(report)
      else if (isDry)
        answer(
          `The checks before a load are passed. Nothing was written: loaded is ${report.id.slice(0, 12)}.`,
        )
      else answer(sentence(report))
      if (report.rolledBackFrom) process.exitCode = 3
    })
  group
    .command('regs')
    .description('show the registers of a board; NAME=VALUE changes soft registers while traffic goes on')
    .argument('[settings...]', 'fields and their values, which take effect together', setting, {})
    .requiredOption('--board <folder>', boardHelp)
    .option('--json', 'print the values as JSON')
    .action(async (settings: Record<string, number>, { board, json }: { board: string; json?: boolean }) => {
      const values = await faults(() => exchange(board, settings))
      if (json) answerJson(values)
      else
        answer(
          Object.entries(values)
            .map(([name, value]) => `${name} = ${value}`)
            .join('\n'),
        )
    })
}

interface AttachOptions {
  board: string
  serial: string
  interface: string
  probe: (typeof BOARD_NAMES)[number]
}

interface LoadOptions {
  board: string
  allowUnmetTiming?: boolean
  dryRun?: boolean
  json?: boolean
}

/** Serves a board until Ctrl-C, and says when it has ended by itself. */
async function serve(
  id: string,
  folder: string,
  board: Board & { problem: string | undefined },
): Promise<void> {
  const cache = new FabricCache()
  const golden = await faults(async () => cache.find(id))
  mkdirSync(folder, { recursive: true })
  let told: string | undefined
  const watch = setInterval(() => {
    if (board.problem !== undefined && board.problem !== told)
      say(`${board.problem} \`hivemind fabric load\` starts it again.`)
    told = board.problem
  }, WATCH_MS)
  const ready = (): void => say(`The board runs in ${folder}.`)
  await faults(() =>
    untilInterrupted((signal) => serveBoard({ board, folder, golden, cache, signal, ready })),
  ).finally(() => clearInterval(watch))
}

function setting(text: string, before: Record<string, number>): Record<string, number> {
  const [, name, value] = /^([\w.]+)=(\d+|0x[0-9a-f]+)$/i.exec(text) ?? []
  if (!name)
    throw new InvalidArgumentError('It must be NAME=VALUE, the value a whole number or 0x and hexadecimal.')
  return { ...before, [name]: Number(value) }
}

const modelOf = (build: Build): Promise<string> => toEnd((options) => compileModel(build, options))

const sentence = ({ id, rolledBackFrom }: BoardReport): string =>
  rolledBackFrom
    ? `Build ${rolledBackFrom.id.slice(0, 12)} failed: ${rolledBackFrom.reason} Rolled back to ${id.slice(0, 12)}.`
    : `Build ${id.slice(0, 12)} is loaded and passed its self-test.`

async function exchange(folder: string, settings: Record<string, number>): Promise<Record<string, number>> {
  const bus = registersAt(folder)
  try {
    const map = readRegisterMap((await loadedBuild(bus, new FabricCache())).folder)
    return Object.keys(settings).length > 0
      ? await writeSettings(bus, map, settings)
      : await readFields(bus, map)
  } finally {
    bus.close()
  }
}
