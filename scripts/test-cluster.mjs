// `npm run test:cluster`: the tests against a real Kubernetes with Knative: those of the libraries and the service, then the
// browser's journeys: the main one with the service here and with the one that the chart installs, and that of targets. It fails where
// the cluster cannot run. With arguments, which go to Vitest, the browser is left out.
import path from 'node:path'
import { buildApps } from './lib/build.mjs'
import { withCluster } from './lib/cluster.mjs'
import { node24, root, run, SetupError } from './lib/run.mjs'
import { installForTests, installPackages, withSetupLock } from './lib/setup.mjs'

async function main() {
  const only = process.argv.slice(2)
  await withSetupLock(async () => {
    await installPackages()
    await buildApps()
    if (only.length === 0) await installForTests()
  })
  return withCluster(
    async (env) => {
      const tool = (file, ...args) => run(node24(), [path.join(root, 'node_modules', file), ...args], { env })
      const tests = await tool('vitest/vitest.mjs', 'run', ...only)
      if (only.length > 0) return tests.code
      const config = ['--config', 'e2e/playwright.config.ts', '--grep', '@smoke|@cluster']
      const journey = await tool('@playwright/test/cli.js', 'test', ...config)
      return tests.code || journey.code
    },
    { withService: true },
  )
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`The tests against a cluster could not run. ${error.message}`)
  process.exitCode = 3
}
