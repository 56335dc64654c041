// `npm run hdl:test`: every simulation and every proof of hdl-spinal, the simulated board with what loads and drives it, and the
// Fabric screen with such a board.
// `-- --quick`: fewer seeds and frames, and no bitstream is built. Sources that passed on this machine are not tested again; `-- --again` does. `--optional`: where a tool is missing and may not be installed, say so and pass.
// `--no-browser` leaves the Fabric screen out, and `--browser` all but that.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buildApps } from './lib/build.mjs'
import { hdl, installForHdl, passedStamp, sbt } from './lib/hdl.mjs'
import { prove } from './lib/hdl-proofs.mjs'
import { environment, node24, root, run, SetupError } from './lib/run.mjs'
import { installForTests, installPython, withSetupLock } from './lib/setup.mjs'

const asked = (flag) => process.argv.includes(flag)
const quick = asked('--quick')

/** Dispatch is proved with small tables; its logic is the same with large ones. */
const SMALL_DISPATCH =
  'functions=4 workers=4 workersPerFunction=2 workflows=2 tasks=4 invocations=2 inFlight=4 generationBits=2 tickCycles=16'
/** Rpc is proved with two flows and small tables; its rings may still be larger than a page. */
const SMALL_RPC = 'flows=2 maxBatch=4 maxRing=128 connections=16 addressBits=20'
/** The engines that are proved: what the generator is asked for, the Verilog it writes, and the file of the proofs. */
const PROVED = [
  { engine: 'distil', generate: 'distil FOLDER', verilog: 'Distil.v', file: 'proofs.json' },
  {
    engine: 'dispatch',
    generate: `dispatch FOLDER ${SMALL_DISPATCH}`,
    verilog: 'DispatchBlock.v',
    file: 'dispatch_proofs.json',
  },
  { engine: 'rmem', generate: 'rmem FOLDER', verilog: 'RmemEngine.v', file: 'rmem_proofs.json' },
  {
    engine: 'rpc',
    generate: `rpc FOLDER ${SMALL_RPC}`,
    verilog: 'RpcEngine.v',
    file: 'rpc_proofs.json',
  },
]

async function main() {
  // taken before the run, so that a file changed meanwhile does not count as tested
  const [stamp, ...longer] = (quick ? ['quick', 'full'] : ['full']).map(passedStamp)
  if (!asked('--again') && [stamp, ...longer].some((each) => each.exists())) {
    console.log('· The hardware was tested from these very sources on this machine: skipped.')
    return 0
  }
  const counts = { simulations: 0, proofs: 0, plantedBugs: 0 }
  const code = await hardwareTests(counts)
  if (code !== 0) return code
  stamp.write()
  if (!stamp.isOfSources()) return 0
  const verdict = { suite: quick ? 'quick' : 'full', passedAt: new Date().toISOString(), ...counts }
  return (await run(node24(), ['scripts/hdl-verdict.mjs', JSON.stringify(verdict)])).code
}

async function hardwareTests(counts) {
  await withSetupLock(installForHdl)
  // what runs before left: each process of the simulations has a folder of its own
  for (const name of ['sim', 'models', 'test-reports'])
    rmSync(path.join(hdl, 'target', name), { recursive: true, force: true })
  const generated = mkdtempSync(path.join(os.tmpdir(), 'hivemind-hdl-'))
  try {
    const generate = PROVED.map(
      (each) => `runMain hivemind.fabric.Generate ${each.generate.replace('FOLDER', generated)}`,
    )
    const code = await sbt(['test', ...generate], quick ? { HIVEMIND_HDL_QUICK: '1' } : {})
    if (code !== 0) return code
    counts.simulations = passedSimulations()
    console.log(`· ${counts.simulations} tests by simulation passed.`)
    for (const { engine, verilog, file } of PROVED) {
      console.log(`· Proofs of ${engine} (those that held before are not repeated):`)
      const text = readFileSync(path.join(generated, verilog), 'utf8')
      const { proofs, bugs, failures } = await prove(text, { again: asked('--again'), quick, file })
      console.log(
        `· ${proofs} proofs hold, ${bugs} planted bugs are caught; ${failures.length} proofs failed.`,
      )
      if (failures.length > 0) return 1
      counts.proofs += proofs
      counts.plantedBugs += bugs
    }
  } finally {
    rmSync(generated, { recursive: true, force: true })
  }
  console.log('· The simulated board:')
  return boardTests()
}

/** How many tests sbt ran, by its reports. */
function passedSimulations() {
  const reports = path.join(hdl, 'target/test-reports')
  return readdirSync(reports)
    .map((name) => readFileSync(path.join(reports, name), 'utf8'))
    .map((report) => /<testsuite [^>]*tests="(\d+)"[^>]*skipped="(\d+)"/.exec(report))
    .reduce((sum, [, tests, skipped]) => sum + Number(tests) - Number(skipped), 0)
}

/** The Fabric screen with a simulated board: also after changes of the screen alone. */
async function boardJourney() {
  await withSetupLock(async () => {
    await installForTests()
    await installForHdl()
    await buildApps()
  })
  const playwright = path.join(root, 'node_modules/@playwright/test/cli.js')
  const args = [playwright, 'test', '--config', 'e2e/playwright.config.ts', 'fabric-board.hdl.spec.ts']
  const env = environment({ HIVEMIND_HDL: '1', HIVEMIND_PLAYWRIGHT_REPORT: '' })
  return (await run(node24(), args, { env })).code
}

/** What loads and drives a board, with the Verilated fabric and frames by scapy; the full one also builds a bitstream twice. */
async function boardTests() {
  const requirements = path.join(root, 'libs/fabric/test/requirements.txt')
  await withSetupLock(() => installPython('python-scapy', requirements, { hashed: true }))
  const vitest = path.join(root, 'node_modules/vitest/vitest.mjs')
  const env = environment({ HIVEMIND_HDL: '1', HIVEMIND_HDL_QUICK: quick ? '1' : '' })
  return (await run(node24(), [vitest, 'run', '--disable-console-intercept'], { env })).code
}

try {
  process.exitCode =
    (!asked('--browser') && (await main())) || (!asked('--no-browser') && (await boardJourney())) || 0
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`! The hardware was not tested. ${error.message}`)
  process.exitCode = asked('--optional') ? 0 : 3
}
