// A real Kubernetes with Knative (infra/dev-cluster), and the images that run functions on it, for as long as something needs them.
import path from 'node:path'
import { cache, environment, node24, root, run, SetupError } from './run.mjs'

const script = path.join(root, 'infra/dev-cluster/cluster.sh')
const cluster = (...args) => run('bash', [script, ...args])

/** The value that `cluster.sh up` prints for a shell. */
const exported = (output, name) => new RegExp(`^export ${name}=(.*)$`, 'm').exec(output)?.[1]

/**
 * Starts the cluster when it is not up (compiling it first when that was not done yet), and calls `use` with the environment
 * that names it. Stops it again when it was not up before. Rejects with `SetupError` where it cannot run.
 */
export async function withCluster(use) {
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
    return await use(
      environment({
        HIVEMIND_CLUSTER: '1',
        HIVEMIND_CLUSTER_IMAGES: names,
        HIVEMIND_TARGET: 'knative',
        HIVEMIND_IMAGE_NODE: node,
        HIVEMIND_IMAGE_PYTHON: python,
        HIVEMIND_INGRESS: /http:\S+/.exec(output)?.[0],
        KUBECONFIG: exported(output, 'KUBECONFIG'),
      }),
    )
  } finally {
    if (!wasUp) await cluster('down')
  }
}
