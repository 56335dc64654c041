import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { Backend, DEFAULT_RETENTION, Edge, ExchangeError, loadMerges } from '@hivemind/exchange'
import type { Command } from 'commander'
import { otherFault, usageFault } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { answer, answerJson } from '../output.ts'

interface BackendOptions extends Options {
  edge?: string
  edgePort?: string
}

interface Options {
  folder: string
  host: string
  port: string
  messages: string
  megabytes: string
  merges?: string
  tlsCert?: string
  tlsKey?: string
  tlsCa?: string
  tlsClients?: boolean
  json?: boolean
}

const EXAMPLES = `
Examples:
  hivemind exchange backend --folder exchange/backend --port 7410 --edge main --edge-port 7411   all in one process
  hivemind exchange backend --folder exchange/backend --port 7410
  hivemind exchange edge north --backend 127.0.0.1:7410 --folder exchange/north --port 7411

Clients and nodes that know HIVEMIND_EXCHANGE_TOKEN are let in; without it, everyone who reaches the port.`

/** `hivemind exchange`: nodes of the exchange, each until it is interrupted. */
export function exchangeCommand(program: Command): void {
  const group = program
    .command('exchange')
    .description('run a node of the exchange, over which devices that move publish and subscribe')
    .addHelpText('after', EXAMPLES)
  const add = (name: string, description: string): Command =>
    group
      .command(name)
      .description(description)
      .requiredOption('--folder <folder>', 'where it keeps its messages')
      .option('--host <name>', 'interface it listens at', '127.0.0.1')
      .option('--port <number>', 'port it listens at; 0 for a free one', '0')
      .option('--messages <number>', 'messages kept of a topic', String(DEFAULT_RETENTION.messages))
      .option(
        '--megabytes <number>',
        'megabytes kept of a topic',
        String(DEFAULT_RETENTION.bytes / 1024 / 1024),
      )
      .option('--merges <file>', 'module whose exports are the merge functions of eventual objects')
      .option(
        '--tls-cert <file>',
        'certificate of the node (PEM): connections are encrypted, and no others are accepted',
      )
      .option('--tls-key <file>', 'its private key (PEM)')
      .option(
        '--tls-ca <file>',
        'certificate of the authority that vouches for the nodes, and for clients (PEM)',
      )
      .option('--tls-clients', 'serve only clients and nodes with a certificate of that authority')
      .option('--json', 'print the address as JSON')

  add('backend', 'the node where edge nodes meet')
    .option('--edge <name>', 'serve clients too, as an edge node of this name in the same process')
    .option('--edge-port <number>', 'port where it serves clients; a free one without it')
    .action((options: BackendOptions) => serve(options, () => startBackend(options)))
  add('edge', 'a node that serves the clients near it')
    .argument('<name>', 'name that no other edge node has')
    .requiredOption('--backend <host:port>', 'address of the backend')
    .action((name: string, options: Options & { backend: string }) =>
      serve(options, async () =>
        Edge.start({ ...(await nodeOptions(options)), name, backend: options.backend }),
      ),
    )
}

/** A backend, and the edge node in its process where one is named. */
async function startBackend({ edge: name, edgePort, ...options }: BackendOptions): Promise<Served> {
  const given = await nodeOptions(options)
  if (name === undefined) {
    if (edgePort !== undefined)
      throw usageFault('--edge-port needs --edge: name the edge node, or leave both.')
    return Backend.start(given)
  }
  const port = wholeNumber('--edge-port', edgePort ?? '0', 0, 65_535)
  const backend = await Backend.start(given)
  const folder = path.join(options.folder, 'edge')
  const edge = await Edge.start({ ...given, folder, port, name, backend }).catch(async (error) => {
    await backend.close()
    throw error
  })
  return {
    address: backend.address,
    edge: edge.address,
    async close() {
      await edge.close()
      await backend.close()
    },
  }
}

/** The certificates that are named, or nothing when there are none. */
async function tlsOf({ tlsCert, tlsKey, tlsCa, tlsClients }: Options) {
  if (tlsCert === undefined && tlsKey === undefined && tlsCa === undefined && !tlsClients) return {}
  if (tlsCert === undefined || tlsKey === undefined || tlsCa === undefined)
    throw usageFault('TLS needs --tls-cert, --tls-key and --tls-ca: give all three, or none.')
  const [cert, key, ca] = await Promise.all(
    [tlsCert, tlsKey, tlsCa].map((file) => readFile(file, 'utf8')) as [
      Promise<string>,
      Promise<string>,
      Promise<string>,
    ],
  )
  return { tls: { cert, key, ca, verifyClients: tlsClients ?? false } }
}

async function nodeOptions(options: Options) {
  const { folder, host, port, messages, megabytes, merges } = options

  const retention = {
    messages: wholeNumber('--messages', messages, 1, 1e9),
    bytes: wholeNumber('--megabytes', megabytes, 1, 1e6) * 1024 * 1024,
  }
  const { HIVEMIND_EXCHANGE_TOKEN: token } = process.env
  return {
    folder,
    host,
    port: wholeNumber('--port', port, 0, 65_535),
    retention,
    ...(token ? { token } : {}),
    ...(await tlsOf(options)),
    ...(merges === undefined ? {} : { merges: await loadMerges(merges) }),
  }
}

function wholeNumber(option: string, text: string, min: number, max: number): number {
  const value = Number(text)
  if (text.trim() === '' || !Number.isInteger(value) || value < min || value > max)
    throw usageFault(`${option} is '${text}': give a whole number from ${min} to ${max}.`)
  return value
}

/** A node that runs: where it listens, and where clients are served where that is elsewhere. */
interface Served {
  address: string
  edge?: string
  close(): Promise<void>
}

/** Runs a node, prints its address, and closes it when the command is interrupted. */
async function serve({ json }: Options, start: () => Promise<Served>): Promise<void> {
  const node = await start().catch((error) => {
    throw error instanceof ExchangeError ? otherFault(error.message) : error
  })
  const { address, edge } = node
  if (json) answerJson({ address, ...(edge !== undefined && { edge }) })
  else
    answer(`Listening at ${address}${edge === undefined ? '' : `, for clients at ${edge}`}. Ctrl-C ends it.`)
  await untilInterrupted(async (signal) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    await node.close()
  })
}
