// `npm run soak`: the property and torture tests at full length, as the issue names it.
import path from 'node:path'
import { environment, node24, root, run } from './lib/run.mjs'
import { installForTests, installPackages, withSetupLock } from './lib/setup.mjs'

await withSetupLock(async () => {
  await installPackages()
  await installForTests()
})
const { code } = await run(
  node24(),
  [path.join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...process.argv.slice(2)],
  {
    env: environment({ HIVEMIND_SOAK: '1' }),
  },
)
process.exit(code)
