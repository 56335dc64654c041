import {
  BoardBridge,
  FabricCache,
  FabricCaller,
  FabricHost,
  framesAt,
  HOST_PORT,
  loadedBuild,
  readRegisterMap,
  registersAt,
} from '@hivemind/fabric'
import type { Command } from 'commander'
import { openGateway } from '../fabric-gateway.ts'
import { faults } from '../fabric-work.ts'
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
  const bus = registersAt(board)
  const open: (() => unknown)[] = [() => bus.close()]
  try {
    await faults(() =>
      untilInterrupted(async (signal) => {
        const { folder, manifest } = await loadedBuild(bus, new FabricCache())
        // the ports of the fabric are known to the host alone: clients hear them from it
        const bridge = await BoardBridge.open(framesAt(board), {
          ports: { requests: 0, completions: 0, rmem: 0 },
        })
        open.push(() => bridge.close())
        const fabric = await FabricHost.open({
          bus,
          map: readRegisterMap(folder),
          parameters: manifest.parameters,
          ports: bridge.ports,
          port,
          onChange: say,
        })
        open.push(() => fabric.close())
        const ports: Record<string, number> = { port: fabric.port }
        if (http !== undefined) {
          const caller = await FabricCaller.open({ port: fabric.port })
          open.push(() => caller.close())
          const server = await openGateway(caller, http)
          open.push(() => server.close())
          ports.http = (server.address() as { port: number }).port
        }
        if (json) answerJson(ports)
        else
          say(
            `Workers and callers say hello to port ${ports.port}${http === undefined ? '' : `; HTTP is at port ${ports.http}`}.`,
          )
        await new Promise<void>((resolve) =>
          signal.addEventListener('abort', () => resolve(), { once: true }),
        )
      }),
    )
  } finally {
    for (const close of open.reverse()) await close()
  }
}
