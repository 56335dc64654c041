// `npm run hdl:setup`: installs the tools of the fabric into the project: the npm packages, sbt with its libraries, Yosys, nextpnr
// and Z3; and Java, Verilator and a compiler on the system, where it may.
import { installForHdl } from './lib/hdl.mjs'
import { SetupError } from './lib/run.mjs'
import { withSetupLock } from './lib/setup.mjs'

try {
  await withSetupLock(installForHdl)
  console.log('· The tools of the fabric are there.')
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`! ${error.message}`)
  process.exitCode = 3
}
