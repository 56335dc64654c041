// `npm run test:cluster`: a real Kubernetes with Knative (infra/dev-cluster), the images that run functions on it, and the tests
// against it: those of the libraries and the service, then the browser's main journey. Compiles the cluster when that was not done yet, and stops it again when it was not up before. It fails where it
// cannot run. With arguments, which go to Vitest, the browser is left out.
import path from 'node:path'
import { buildApps } from './lib/build.mjs'
import { cache, environment, node24, root, run, SetupError } from './lib/run.mjs'
import { installForTests, installPackages, withSetupLock } from './lib/setup.mjs'

const script = path.join(root, 'infra/dev-cluster/cluster.sh')
const cluster = (...args) => run('bash', [script, ...args])

/** The value that `cluster.sh up` prints for a shell. */
const exported = (output, name) => new RegExp(`^export ${name}=(.*)$`, 'm').exec(output)?.[1]

async function main() {
  const only = process.argv.slice(2)
  await withSetupLock(async () => {
    await installPackages()
    if (only.length > 0) return
    await installForTests()
    await buildApps()
  })
  const images = path.join(cache, 'images')
  const built = await run(node24(), ['infra/images/functions.ts', images], { quiet: true })
  if (built.code !== 0) throw new SetupError(built.output)
  const wasUp = (await run('bash', [script, 'status'], { quiet: true })).code === 0
  if ((await cluster('up')).code !== 0) throw new SetupError('The cluster did not start.')
  try {
    const { output } = await run('bash', [script, 'up'], { quiet: true })
    for (const runtime of ['node', 'python'])
      if ((await cluster('load', path.join(images, `function-${runtime}.tar`))).code !== 0)
        throw new SetupError('The images could not be loaded.')
    const names = built.output.trim().split('\n').at(-1)
    const { node, python } = JSON.parse(names)
    const env = environment({
      HIVEMIND_CLUSTER: '1',
      HIVEMIND_CLUSTER_IMAGES: names,
      HIVEMIND_TARGET: 'knative',
      HIVEMIND_IMAGE_NODE: node,
      HIVEMIND_IMAGE_PYTHON: python,
      HIVEMIND_INGRESS: /http:\S+/.exec(output)?.[0],
      KUBECONFIG: exported(output, 'KUBECONFIG'),
    })
    const tool = (file, ...args) => run(node24(), [path.join(root, 'node_modules', file), ...args], { env })
    const tests = await tool('vitest/vitest.mjs', 'run', ...only)
    if (only.length > 0) return tests.code
    const config = ['--config', 'e2e/playwright.config.ts', '--grep', '@smoke']
    const journey = await tool('@playwright/test/cli.js', 'test', ...config)
    return tests.code || journey.code
  } finally {
    if (!wasUp) await cluster('down')
  }
}

try {
  process.exitCode = await main()
} catch (error) {
  if (!(error instanceof SetupError)) throw error
  console.error(`The tests against a cluster could not run. ${error.message}`)
  process.exitCode = 3
}
