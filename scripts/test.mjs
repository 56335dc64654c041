// `npm test`: sets up what is missing and runs every check and test. `npm test -- --quick` leaves out the slow ones.
import { rmSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { buildApps } from './lib/build.mjs'
import { installForCluster, whyNoCluster } from './lib/cluster.mjs'
import { clusterReports, playwrightTold, suiteReports, told, vitestTold } from './lib/reports.mjs'
import { environment, node24, root, run, SetupError } from './lib/run.mjs'
import { installForTests, installPackages, withSetupLock } from './lib/setup.mjs'

const quick = process.argv.includes('--quick')
const bin = (name) => path.join(root, 'node_modules', name)

/** What reads the sources alone: two at once. */
const checks = [
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
]

/** Beside the suites, with the time that they leave. */
const hardware = { name: 'hardware', args: ['scripts/hdl-test.mjs', '--quick', '--optional', '--no-browser'] }

const suites = [
  {
    name: 'unit and integration tests',
    args: [
      bin('vitest/vitest.mjs'),
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${suiteReports.vitest}`,
    ],
    told: () => told(suiteReports.vitest, vitestTold),
  },
  {
    name: quick ? 'browser journey (smoke)' : 'browser journeys',
    args: [
      bin('@playwright/test/cli.js'),
      'test',
      '--config',
      'e2e/playwright.config.ts',
      ...(quick ? ['--grep', '@smoke'] : []),
    ],
    told: () => told(suiteReports.playwright, playwrightTold),
  },
]

/** With a board that `hardware` has made, and not beside other browsers. */
const board = {
  name: 'browser journey with a board',
  args: ['scripts/hdl-test.mjs', '--quick', '--optional', '--browser'],
}

/** Beside the suites as well: it takes a quarter of an hour the first time. */
const compiling = { name: 'compiling a cluster', args: ['scripts/test-cluster.mjs', '--compile'] }

/** A cluster takes both cores. */
const cluster = {
  name: 'on a cluster',
  args: ['scripts/test-cluster.mjs', '--quick'],
  told: () => {
    const both = [told(clusterReports.vitest, vitestTold), told(clusterReports.playwright, playwrightTold)]
    return {
      passed: both.reduce((sum, { passed }) => sum + passed, 0),
      failures: both.flatMap(({ failures }) => failures),
    }
  },
}

/** Runs steps and notes how they went. */
class Results {
  #env
  #passed = 0
  #failures = []
  #lines = []

  constructor(env) {
    this.#env = env
  }

  /** One whose output is shown as it comes. */
  async shown(step) {
    console.log(`\n== ${step.name}`)
    await this.#ran(step, (args) => run(node24(), args, { env: this.#env }))
  }

  /** One beside others: its output is shown when it has ended. */
  async kept(step, { nice = 0 } = {}) {
    await this.#ran(step, async (args) => {
      const outcome = await run('nice', ['-n', String(nice), node24(), ...args], {
        quiet: true,
        env: this.#env,
      })
      console.log(`\n== ${step.name}\n${outcome.output}`)
      return outcome
    })
  }

  async #ran(step, start) {
    const from = Date.now()
    const { code } = await start(step.args)
    const tests = step.told?.() ?? { passed: code === 0 ? 1 : 0, failures: [] }
    this.#passed += tests.passed
    this.#failures.push(...tests.failures)
    if (code !== 0 && tests.failures.length === 0) this.#failures.push(`${step.name}: see above`)
    this.#lines.push(
      `${code === 0 ? 'ok    ' : 'FAILED'} ${step.name} (${((Date.now() - from) / 1000).toFixed(0)} s)`,
    )
  }

  /** Shown at the end, where it is read even if all before has scrolled away. Returns whether all have passed. */
  tell(seconds) {
    for (const each of this.#failures) console.log(`\nFailed: ${each}`)
    console.log(
      `\n${this.#lines.join('\n')}\nTotal: ${seconds} s.\n\n${this.#passed} passed, ${this.#failures.length} failed`,
    )
    return this.#failures.length === 0
  }
}

async function main() {
  const began = Date.now()
  const seconds = () => ((Date.now() - began) / 1000).toFixed(0)
  const noCluster = quick ? 'Left out of the quick tests.' : await whyNoCluster()
  await withSetupLock(async () => {
    await installPackages()
    await installForTests()
    if (noCluster === undefined) await installForCluster()
    await buildApps()
  })
  console.log(
    `· Set up after ${seconds()} s (${os.cpus().length} cores, Node.js ${process.versions.node} started it).`,
  )
  for (const file of [suiteReports, clusterReports].flatMap(Object.values)) rmSync(file, { force: true })
  const env = environment({
    HIVEMIND_QUICK: quick ? '1' : '',
    HIVEMIND_PLAYWRIGHT_REPORT: suiteReports.playwright,
    FORCE_COLOR: '0',
  })
  const results = new Results(env)
  const beside = [hardware, ...(noCluster === undefined ? [compiling] : [])].map((step) =>
    results.kept(step, { nice: 10 }),
  )
  const waiting = [...checks]
  const inTurn = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await results.kept(next)
  }
  await Promise.all([inTurn(), inTurn()])
  for (const suite of suites) await results.shown(suite)
  await Promise.all(beside)
  await results.shown(board)
  if (noCluster === undefined) await results.shown(cluster)
  else console.log(`\n! Nothing was tested on a cluster. ${noCluster}`)
  process.exit(results.tell(seconds()) ? 0 : 1)
}

try {
  await main()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`The tests could not be set up. ${error.message}`)
  process.exit(3)
}
