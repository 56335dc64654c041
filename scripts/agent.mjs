// `npm run agent -- --config FILE`: sets up what is missing and runs the agent of a device on this machine.
import path from 'node:path'
import { environment, node24, root, run, SetupError } from './lib/run.mjs'
import { installPackages, installSystem, withSetupLock } from './lib/setup.mjs'

try {
  await withSetupLock(async () => {
    await installPackages()
    await installSystem(['python3', 'bubblewrap'], { required: false })
  })
  const agent = path.join(root, 'apps/edge-agent/bin/hivemind-edge-agent.mjs')
  const { code } = await run(node24(), [agent, ...process.argv.slice(2)], { env: environment() })
  process.exit(code)
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`The agent could not be set up. ${error.message}`)
  process.exit(3)
}
