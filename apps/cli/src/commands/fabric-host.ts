import {
  BoardBridge,
  type Build,
  FabricCache,
  FabricCaller,
  FabricHost,
  framesAt,
  HOST_PORT,
  loadedBuild,
  type RegisterBus,
  readRegisterMap,
  registersAt,
} from '@hivemind/fabric'
import type { Command } from 'commander'
import { openGateway } from '../fabric-gateway.ts'
import { faults } from '../fabric-work.ts'
import { otherFault } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { whole } from '../options.ts'
import { answerJson, say } from '../output.ts'
import { boardHelp } from './fabric-board.ts'

/** `hivemind fabric host`. */
export function addHost(group: Command): void {
  group
    .command('host')
    .description(
      "join a board's network to this machine and keep its dispatcher: workers come and go, callers call them; ends with Ctrl-C",
    )
    .requiredOption('--board <folder>', boardHelp)
    .option('--port <n>', 'UDP port that workers and callers say hello to', whole(0, 65_535), HOST_PORT)
    .option('--http <n>', 'also answer POST /functions/NAME over HTTP, at this port', whole(0, 65_535))
    .option('--json', 'print the ports as JSON')
    .action((options: { board: string; port: number; http?: number; json?: boolean }) => host(options))
}

async function host({
  board,
  port,
  http,
  json,
}: {
  board: string
  port: number
  http?: number
  json?: boolean
}): Promise<void> {
  const open: (() => unknown)[] = []
  const registers = (): RegisterBus => registersAt(board)
  try {
    await faults(() =>
      untilInterrupted(async (signal) => {
        const { folder, manifest } = await buildOf(registers())
        // the ports of the fabric are known to the host alone: clients hear them from it
        const ports = { requests: 0, completions: 0, rmem: 0 }
        const bridge = await BoardBridge.open(framesAt(board), { ports })
        open.push(() => bridge.close())
        const map = readRegisterMap(folder)
        const { parameters } = manifest
        const fabric = await FabricHost.open({
          registers,
          map,
          parameters,
          ports: bridge.ports,
          port,
          onChange: say,
        })
        open.push(() => fabric.close())
        const listening: Record<string, number> = { port: fabric.port }
        if (http !== undefined) {
          const caller = await FabricCaller.open({ port: fabric.port })
          open.push(() => caller.close())
          const server = await openGateway(caller, http)
          open.push(() => server.close())
          listening.http = (server.address() as { port: number }).port
        }
        if (json) answerJson(listening)
        else
          say(
            `Workers and callers say hello to port ${fabric.port}${http === undefined ? '' : `; HTTP is at port ${listening.http}`}.`,
          )
        const interrupted = new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        )
        await Promise.race([interrupted, bridge.closed])
        if (!signal.aborted)
          throw otherFault(
            `The board in '${board}' ended, or another program took its frames: start the host again.`,
          )
      }),
    )
  } finally {
    for (const close of open.reverse()) await close()
  }
}

async function buildOf(bus: RegisterBus): Promise<Build> {
  try {
    return await loadedBuild(bus, new FabricCache())
  } finally {
    bus.close()
  }
}
