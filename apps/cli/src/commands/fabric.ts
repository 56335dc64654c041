import { cpSync } from 'node:fs'
import {
  type Build,
  buildFabric,
  FabricCache,
  type FabricEvent,
  generateFabric,
  type Manifest,
  type Parameters,
  readVerdict,
  signBuild,
  signerOfBuild,
} from '@hivemind/fabric'
import { type Command, InvalidArgumentError } from 'commander'
import { faults, toEnd } from '../fabric-work.ts'
import { otherFault } from '../failure.ts'
import { whole } from '../options.ts'
import { answer, answerJson, say, table } from '../output.ts'
import { addBoard } from './fabric-board.ts'
import { addHost } from './fabric-host.ts'

interface BuildOptions {
  preset: string
  set: Parameters
  seeds: number
  sweep?: boolean
  jobs?: number
  json?: boolean
  verbose?: boolean
}

const EXAMPLES = `
Examples:
  npm run hdl:setup
  hivemind fabric build --preset distil+rmem --set sources=16
  hivemind fabric build --preset all --seeds 8 --sweep
  hivemind fabric list
  hivemind fabric sim 3f2a --board /tmp/board
  hivemind fabric regs --board /tmp/board window=10 op=2 enabled=1
  hivemind fabric host --board /tmp/board --http 8080`

/** `hivemind fabric`: bitstreams and the boards they are loaded on. */
export function fabricCommand(program: Command): void {
  const group = program
    .command('fabric')
    .description('build bitstreams of the fabric, and load them on boards')
    .addHelpText('after', EXAMPLES)
  withParameters(group.command('generate'))
    .description('write the Verilog of a fabric and the documents of its registers')
    .option('--out <folder>', 'where to write', 'fabric')
    .option('--verbose', 'show what the tools print')
    .action(async ({ preset, set, out, verbose }: BuildOptions & { out: string }) => {
      const request = { engines: preset, parameters: set }
      const { folder } = await toEnd((options) => generateFabric(request, options), verbose)
      cpSync(folder, out, { recursive: true })
      answer(out)
    })
  withParameters(group.command('build'))
    .description('build a bitstream for the ECPIX-5 (ECP5-85F); what was built before is not built again')
    .option(
      '--seeds <n>',
      'seeds of place and route to try: until one meets the timing; if none does, the best is packed',
      whole(1, 64),
      5,
    )
    .option('--sweep', 'try all seeds, and pack the best')
    .option(
      '--jobs <n>',
      'seeds to try at once; as many as there are cores and memory for (2 GB each) when left out',
      whole(1, 64),
    )
    .option('--verbose', 'show what the tools print')
    .option('--json', 'print the manifest as JSON')
    .action(async ({ preset, set, seeds, sweep = false, jobs, json, verbose }: BuildOptions) => {
      const request = {
        engines: preset,
        parameters: set,
        seeds: Array.from({ length: seeds }, (_, n) => n + 1),
        sweep,
      }
      let result: Extract<FabricEvent, { kind: 'available' }> | undefined
      await toEnd(async function* (options) {
        const parallel = jobs === undefined ? options : { ...options, jobs }
        for await (const event of buildFabric(request, parallel)) {
          if (event.kind === 'available') result = event
          yield event
        }
      }, verbose)
      if (!result) throw otherFault('The build ended without a result.')
      if (result.isCached) say('Built before from the same inputs.')
      if (json) answerJson(result.manifest)
      else answer(describe(result))
    })
  group
    .command('list')
    .description('list the builds that are kept')
    .option('--json', 'print the manifests as JSON')
    .action(({ json }: { json?: boolean }) => {
      const builds = new FabricCache().builds()
      if (json) answerJson(builds.map((build) => build.manifest))
      else if (builds.length === 0) say('There is no build yet: `hivemind fabric build` makes one.')
      else answer(table([['build', 'engines', 'device', 'seed', 'timing', 'clocks'], ...builds.map(row)]))
    })
  group
    .command('show')
    .description('show a build: its timing, what it uses of the device, its slowest paths, its files')
    .argument('<build>', 'the beginning of its id')
    .option('--json', 'print the manifest as JSON')
    .action(async (id: string, { json }: { json?: boolean }) => {
      const build = await faults(async () => new FabricCache().find(id))
      if (json) answerJson(build.manifest)
      else answer(await faults(async () => describe(build)))
    })
  group
    .command('sign')
    .description(
      'sign a build, for boards that take the builds of trusted keys alone (HIVEMIND_FABRIC_TRUSTED)',
    )
    .argument('<build>', 'the beginning of its id')
    .requiredOption('--key <file>', 'private key: PEM, as `openssl genpkey -algorithm ed25519` writes it')
    .action(async (id: string, { key }: { key: string }) => {
      const build = await faults(async () => new FabricCache().find(id))
      const { fingerprint } = await faults(async () => signBuild(build, key))
      answer(`Build ${build.manifest.id.slice(0, 12)} is signed by the key ${fingerprint.slice(0, 16)}.`)
    })
  addBoard(group)
  addHost(group)
}

function withParameters(command: Command): Command {
  return command
    .option(
      '--preset <engines>',
      'the engines of the fabric: distil, dispatch, rmem and rpc (which needs rmem), joined by +, or all',
      'distil',
    )
    .option(
      '--set <name=value>',
      'a hard parameter, also as engine.parameter=value; may be given several times. An unknown name is answered by all names',
      (text: string, before: Parameters) => {
        const [, name, value] = /^([\w.]+)=(-?\d+)$/.exec(text) ?? []
        if (!name) throw new InvalidArgumentError('It must be NAME=NUMBER.')
        return { ...before, [name]: Number(value) }
      },
      {},
    )
}

const timing = (manifest: Manifest): string => (manifest.isTimingMet ? 'timing met' : 'TIMING NOT MET')
const mhz = ({ name, achievedMhz, requiredMhz }: Manifest['clocks'][number]): string =>
  `${name} ${achievedMhz.toFixed(1)} MHz of ${requiredMhz}`

/** What the tests of the hardware said of the sources of a build. */
function testsOf({ generator }: Manifest): string {
  const verdict = readVerdict(new FabricCache(), generator)
  if (!verdict) return 'its sources have not passed `npm run hdl:test` on this machine'
  const { suite, passedAt, simulations, proofs, plantedBugs } = verdict
  return `${simulations} simulations, ${proofs} proofs, ${plantedBugs} planted bugs (${suite}) passed on ${passedAt.slice(0, 10)}`
}

function signedBy(build: Build): string {
  const signer = signerOfBuild(build)
  return signer ? `by the key ${signer.fingerprint.slice(0, 16)}` : 'by nobody'
}

const row = ({ manifest }: Build): string[] => [
  manifest.id.slice(0, 12),
  manifest.engines.join('+'),
  manifest.device,
  String(manifest.seed),
  timing(manifest),
  manifest.clocks.map(mhz).join(', '),
]

function describe(build: Build): string {
  const { folder, manifest } = build
  const settings = Object.entries(manifest.parameters).map(([name, value]) => `${name}=${value}`)
  const share = (used: number, available: number): string => `${((100 * used) / available).toFixed(1)} %`
  return [
    `${manifest.engines.join('+')} ${manifest.id.slice(0, 12)} for ${manifest.board} (${manifest.device}): ${timing(manifest)}`,
    `  parameters  ${settings.join(' ')}`,
    `  interface   ${manifest.interface}`,
    `  tests       ${testsOf(manifest)}`,
    `  signed      ${signedBy(build)}`,
    ...manifest.clocks.map((clock) => `  clock       ${mhz(clock)}`),
    ...manifest.seeds.map(
      ({ seed, clocks, isTimingMet, problem }) =>
        `  seed ${String(seed).padEnd(7)}${problem ?? clocks.map(mhz).join(', ')}${problem || isTimingMet ? '' : ': timing not met'}${seed === manifest.seed ? ', packed' : ''}`,
    ),
    ...manifest.utilisation.map(
      ({ resource, used, available }) =>
        `  uses        ${resource} ${used} of ${available} (${share(used, available)})`,
    ),
    ...manifest.criticalPaths.map(
      ({ clock, delayNs, routingNs, from, to }) =>
        `  slowest     ${clock}: ${delayNs} ns, ${routingNs} ns of it in wires, from ${from} to ${to}`,
    ),
    `  files       ${folder}`,
  ].join('\n')
}
