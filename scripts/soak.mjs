// `npm run soak`: every test, with property tests at full length: 50,000 calm and 50,000 stormy random plans of up to 64 tasks,
// 10,000 worlds of up to 50 devices whose service restarts, 1,000 runs replayed at every event, and 10,000 random plans through
// the simulator and the run core. A file's name as argument runs that file alone; FROM and TO choose a range of seeds.
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
const hardware = process.argv.length > 2 ? { code: 0 } : await run(node24(), ['scripts/hdl-test.mjs'])
process.exit(code || hardware.code)
