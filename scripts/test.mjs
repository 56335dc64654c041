// `npm test`: sets up what is missing and runs every check and test. `npm test -- --quick` leaves out the slow ones.
import { rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buildApps } from './lib/build.mjs'
import { playwrightTold, told, vitestTold } from './lib/reports.mjs'
import { cache, environment, node24, root, run, SetupError } from './lib/run.mjs'
import { installForTests, installPackages, withSetupLock } from './lib/setup.mjs'

const quick = process.argv.includes('--quick')
const bin = (name) => path.join(root, 'node_modules', name)
const reports = { vitest: path.join(cache, 'vitest.json'), playwright: path.join(cache, 'playwright.json') }

const steps = [
  { name: 'lint and format', args: [bin('@biomejs/biome/bin/biome'), 'ci', '.', '--error-on-warnings'] },
  { name: 'types', args: ['scripts/typecheck.mjs'] },
  {
    name: 'arrows between rooms',
    args: [
      bin('dependency-cruiser/bin/dependency-cruiser.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      'libs',
      'apps',
      'e2e',
      'bench',
    ],
  },
  { name: 'licences of packages', args: ['scripts/licences.mjs'] },
  { name: 'links in the docs', args: ['scripts/links.mjs'] },
  { name: 'docstrings', args: ['scripts/docstrings.mjs'] },
  { name: 'dead code', args: [bin('knip/bin/knip.js')] },
  { name: "the web's client follows the contract", args: ['scripts/contract.mjs', '--check'] },
  {
    name: 'unit and integration tests',
    args: [
      bin('vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${reports.vitest}`,
    ],
    told: () => told(reports.vitest, vitestTold),
  },
  { name: 'hardware', args: ['scripts/hdl-test.mjs', '--quick', '--optional'] },
  {
    name: quick ? 'browser journey (smoke)' : 'browser journeys',
    args: [
      bin('@playwright/test/cli.js'),
      'test',
      '--config',
      'e2e/playwright.config.ts',
      ...(quick ? ['--grep', '@smoke'] : []),
    ],
    told: () => told(reports.playwright, playwrightTold),
  },
]

async function main() {
  const began = Date.now()
  const seconds = () => ((Date.now() - began) / 1000).toFixed(0)
  await withSetupLock(async () => {
    await installPackages()
    await installForTests()
    await buildApps()
  })
  console.log(
    `· Set up after ${seconds()} s (${os.cpus().length} cores, Node.js ${process.versions.node} started it).`,
  )
  for (const file of Object.values(reports)) rmSync(file, { force: true })
  const env = environment({
    HIVEMIND_QUICK: quick ? '1' : '',
    HIVEMIND_PLAYWRIGHT_REPORT: reports.playwright,
    FORCE_COLOR: '0',
  })
  let passed = 0
  const failures = []
  const results = []
  for (const step of steps) {
    const from = Date.now()
    console.log(`\n== ${step.name}`)
    const { code } = await run(node24(), step.args, { env })
    const tests = step.told?.() ?? { passed: code === 0 ? 1 : 0, failures: [] }
    passed += tests.passed
    failures.push(...tests.failures)
    if (code !== 0 && tests.failures.length === 0) failures.push(`${step.name}: see above`)
    results.push(
      `${code === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${((Date.now() - from) / 1000).toFixed(0)} s)`,
    )
  }
  // at the end, where they are read even if all before has scrolled away
  for (const each of failures) console.log(`\nFailed: ${each}`)
  console.log(
    `\n${results.join('\n')}\nTotal: ${seconds()} s.\n\n${passed} passed, ${failures.length} failed`,
  )
  process.exit(failures.length === 0 ? 0 : 1)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`The tests could not be set up. ${error.message}`)
  process.exit(3)
}
