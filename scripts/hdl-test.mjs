// `npm run hdl:test`: every simulation of hdl-spinal. `-- --quick`: fewer seeds. Sources that passed on this machine are not
// simulated again; `-- --again` does. `--optional`: where a tool is missing and may not be installed, say so and pass.
import { installForHdl, passedStamp, sbt } from './lib/hdl.mjs'
import { SetupError } from './lib/run.mjs'
import { withSetupLock } from './lib/setup.mjs'

const asked = (flag) => process.argv.includes(flag)
const quick = asked('--quick')

async function main() {
  // taken before the run, so that a file changed meanwhile does not count as tested
  const [stamp, ...longer] = (quick ? ['quick', 'full'] : ['full']).map(passedStamp)
  if (!asked('--again') && [stamp, ...longer].some((each) => each.exists())) {
    console.log('· The hardware was tested from these very sources on this machine: skipped.')
    return 0
  }
  await withSetupLock(installForHdl)
  const code = await sbt(['test'], quick ? { HIVEMIND_HDL_QUICK: '1' } : {})
  if (code === 0) stamp.write()
  return code
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`! The hardware was not tested. ${error.message}`)
  process.exitCode = asked('--optional') ? 0 : 3
}
