// `npm run test:cluster`: the tests against a real Kubernetes with Knative: those of the libraries and the service, then the
// browser's journeys: the main one with the service here and with the one that the chart installs, and that of targets. It fails where
// the cluster cannot run. With arguments, which go to Vitest, the browser is left out.
// `-- --quick` is what `npm test` runs of them: without the slow ones, and of the browser the main journey. `-- --compile` only compiles the cluster.
import path from 'node:path'
import { buildApps } from './lib/build.mjs'
import { compileCluster, installForCluster, withCluster } from './lib/cluster.mjs'
import { clusterReports } from './lib/reports.mjs'
import { node24, root, run, SetupError } from './lib/run.mjs'
import { installForTests, installPackages, withSetupLock } from './lib/setup.mjs'

const quick = process.argv.includes('--quick')
const only = process.argv.slice(2).filter((argument) => argument !== '--quick')

async function main() {
  await withSetupLock(async () => {
    await installPackages()
    await buildApps()
    await installForCluster()
    if (only.length === 0) await installForTests()
  })
  return withCluster(
    async (given) => {
      const reported = { HIVEMIND_QUICK: '1', HIVEMIND_PLAYWRIGHT_REPORT: clusterReports.playwright }
      const env = { ...given, ...(quick && reported) }
      const tool = (file, ...args) => run(node24(), [path.join(root, 'node_modules', file), ...args], { env })
      const json = `--outputFile.json=${clusterReports.vitest}`
      const report = quick ? ['--reporter=default', '--reporter=json', json] : []
      const tests = await tool('vitest/vitest.mjs', 'run', ...report, ...only)
      if (only.length > 0) return tests.code
      const config = ['--config', 'e2e/playwright.config.ts', '--grep', quick ? '@smoke' : '@smoke|@cluster']
      const journey = await tool('@playwright/test/cli.js', 'test', ...config)
      return tests.code || journey.code
    },
    { withService: !quick },
  )
}

try {
  if (only.includes('--compile')) await compileCluster()
  else process.exitCode = await main()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`The tests against a cluster could not run. ${error.message}`)
  process.exitCode = 3
}
