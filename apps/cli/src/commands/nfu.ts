import { writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import path from 'node:path'
import { NfuError } from '@hivemind/nfu'
import { COAP_PORT, compileNative, type Hop, NativeServer, NfuServer } from '@hivemind/nfu/node'
import { type Command, InvalidArgumentError } from 'commander'
import { faults } from '../fabric-work.ts'
import { otherFault, usageFault } from '../failure.ts'
import { untilInterrupted } from '../interrupt.ts'
import { type Measured, measure } from '../nfu/compare.ts'
import { type FieldPlan, groupSize } from '../nfu/field.ts'
import { keepRegistered } from '../nfu/registration.ts'
import { inC, onBoard, onNode, type Subject } from '../nfu/subjects.ts'
import { whole } from '../options.ts'
import { answer, answerJson, figure, say, table } from '../output.ts'
import { DEFAULT_SERVICE, ServiceClient, serviceHelp } from '../service.ts'

interface ServeOptions {
  host: string
  port: number
  next?: Hop
  keyed?: boolean
  inC?: boolean
  register?: boolean
  service: string
  name?: string
  json?: boolean
}

interface CompareOptions {
  sensors: number
  rounds: number
  board?: string
  out?: string
  json?: boolean
}

const EXAMPLES = `
Examples:
  hivemind nfu serve 'nfu:average?window=10' --keyed --next 127.0.0.1:5700
  hivemind nfu compare 'nfu:average?window=10' --sensors 200 --board /tmp/board`

/** Where the server in C is kept once it is compiled. */
const NATIVE = path.join(import.meta.dirname, '../../../../.cache/nfu')

/** `hivemind nfu`: network functions as servers of CoAP, and what they cost at each place. */
export function nfuCommand(program: Command): void {
  const group = program
    .command('nfu')
    .description('run a network function as a server of CoAP, or compare the places that it can run at')
    .addHelpText('after', EXAMPLES)
  group
    .command('serve')
    .description('absorb readings that come over CoAP and send their summaries on; ends with Ctrl-C')
    .argument('<code>', 'the function: nfu:OP?name=value&name=value')
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--port <n>', 'port to listen on', whole(1, 65_535), COAP_PORT)
    .option('--next <host:port>', 'where summaries and all that is no reading go', hop)
    .option('--keyed', 'a window for each source address')
    .option('--in-c', 'the server in C, on libcoap, instead of that on Node.js')
    .option('--register', 'tell the service of it, which may then give it another function')
    .option('--service <url>', serviceHelp, DEFAULT_SERVICE)
    .option('--name <name>', 'its name at the service; made of host and port without it')
    .option('--json', 'print the address as JSON')
    .action((code: string, options: ServeOptions) => serve(code, options))
  group
    .command('compare')
    .description(
      'send the readings of a field of simulated sensors through the function on Node.js, in C, and on a board; and compare answers, latency and rate',
    )
    .argument('<code>', 'the function: nfu:OP?name=value&name=value')
    .option('--sensors <n>', 'sensors, each with an address and a window of its own', whole(1, 1024), 200)
    .option('--rounds <n>', 'windows of each sensor', whole(1, 10_000), 20)
    .option('--board <folder>', 'also on the simulated board in this folder (`hivemind fabric sim`)')
    .option('--out <file>', 'also write the result to a file, as JSON')
    .option('--json', 'print the result as JSON')
    .action((code: string, options: CompareOptions) => compare(code, options))
}

function hop(text: string): Hop {
  const [, host = '', port = ''] = /^(.+):(\d{1,5})$/.exec(text) ?? []
  if (host === '' || Number(port) < 1 || Number(port) > 65_535)
    throw new InvalidArgumentError('It must be HOST:PORT.')
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port: Number(port) }
}

async function serve(
  code: string,
  { host, port, next, keyed = false, inC: native, json, register, service, name }: ServeOptions,
): Promise<void> {
  const options = { code, host, port, keyed, ...(next && { next }) }
  await untilInterrupted(async (signal) => {
    const server = await started(async () =>
      native ? NativeServer.start(await compileNative(NATIVE), options) : NfuServer.start(options),
    )
    if (json) answerJson({ code, ...server.address })
    else
      say(`${code} takes readings at coap://${server.address.host}:${server.address.port}. Ctrl-C ends it.`)
    const interrupted = new Promise<void>((resolve) =>
      signal.addEventListener('abort', () => resolve(), { once: true }),
    )
    const ended =
      server instanceof NativeServer
        ? server.ended.catch((error: Error) => {
            throw otherFault(error.message)
          })
        : interrupted
    const over = new AbortController()
    const registered = register
      ? keepRegistered(
          {
            connect: () => new ServiceClient(service),
            name: name ?? `${hostname()}-${server.address.port}`,
            address: server.address,
            runtime: native ? 'c' : 'node',
          },
          over.signal,
        )
      : undefined
    try {
      await Promise.race([interrupted, ended, ...(registered ? [registered] : [])])
    } finally {
      over.abort()
      await registered
      await server.close()
    }
  })
}

/** Faults of a function or an address as failures of the command. */
async function started<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof NfuError) throw usageFault(error.message)
    if ((error as NodeJS.ErrnoException).syscall)
      throw otherFault(`The server cannot listen: ${(error as Error).message}.`)
    throw error
  }
}

async function compare(code: string, { sensors, rounds, board, out, json }: CompareOptions): Promise<void> {
  const plan: FieldPlan = { code, sensors, rounds }
  const results: Measured[] = []
  await untilInterrupted((signal) =>
    started(async () => {
      if (groupSize(code) === 0)
        throw usageFault(
          `'${code}' has no window, and in C and on the fabric it needs one: write for example ${code}?window=10.`,
        )
      const places: (() => Promise<Subject>)[] = [
        () => onNode(code, sensors),
        async () => inC(code, sensors, await compileNative(NATIVE)),
        ...(board === undefined ? [] : [() => faults(() => onBoard(code, sensors, board))]),
      ]
      for (const place of places) {
        const subject = await place()
        say(`${subject.name} ...`)
        try {
          results.push(await measure(subject, plan, signal))
        } finally {
          await subject.close()
        }
      }
    }),
  )
  const report = { plan: { ...plan, readings: 2 * sensors * rounds * groupSize(code) }, results }
  if (out !== undefined) writeFileSync(out, `${JSON.stringify(report, null, 2)}\n`)
  if (json) answerJson(report)
  else answer(describe(results))
  const odd = results.filter(({ equal, expected, wrong }) => equal !== expected || wrong > 0)
  if (odd.length > 0)
    throw otherFault(
      `Not all answers were those that had to come: ${odd.map(({ name }) => name).join('; ')}.`,
    )
}

const describe = (results: Measured[]): string =>
  table([
    ['place', 'answers as they must be', 'latency p50 (us)', 'p99 (us)', 'readings/s', 'by the clock of'],
    ...results.map(({ name, equal, expected, latencyUs, readingsPerSecond, clock }) => [
      name,
      `${equal} of ${expected}`,
      figure(latencyUs.p50),
      figure(latencyUs.p99),
      Math.round(readingsPerSecond).toLocaleString('en'),
      clock,
    ]),
  ])
