// A real Kubernetes with Knative (infra/dev-cluster), and the images that run functions on it, for as long as something needs them.
import path from 'node:path'
import { cache, environment, node24, root, run, SetupError } from './run.mjs'

const script = path.join(root, 'infra/dev-cluster/cluster.sh')
const cluster = (...args) => run('bash', [script, ...args])

/** Why this machine cannot have a cluster, in a sentence; nothing when it can. */
export async function whyNoCluster() {
  const { code, output } = await run('bash', [script, 'can'], { quiet: true })
  return code === 0 ? undefined : output.trim()
}

/** Installs the packages of the cluster that are missing. Rejects with `SetupError`. */
export async function installForCluster() {
  if ((await cluster('packages')).code !== 0) throw new SetupError('The packages of the cluster are missing.')
}

/** Compiles the cluster, when that was not done of the same recipe. Rejects with `SetupError`. */
export async function compileCluster() {
  if ((await cluster('build')).code !== 0) throw new SetupError('The cluster could not be compiled.')
}

const folder = path.join(cache, 'images')
/** Name of the archive of each image. */
const ARCHIVES = { node: 'function-node', python: 'function-python', service: 'service', redis: 'redis' }

/** Makes images. Resolves with their names. */
async function make(which) {
  const { code, output } = await run(node24(), [`infra/images/${which}.ts`, folder], { quiet: true })
  if (code !== 0) throw new SetupError(output)
  return JSON.parse(output.trim().split('\n').at(-1))
}

/** The value that `cluster.sh up` prints for a shell. */
const exported = (output, name) => new RegExp(`^export ${name}=(.*)$`, 'm').exec(output)?.[1]

/**
 * Starts the cluster when it is not up (compiling it first when that was not done yet), and calls `use` with the environment
 * that names it. Stops it again when it was not up before. `withService`: with the images of the service and of its Redis too; they need
 * the built apps and redis-server. Rejects with `SetupError` where it cannot run.
 */
export async function withCluster(use, { withService = false } = {}) {
  const images = await make('functions')
  if (withService) Object.assign(images, await make('service'), await make('redis'))
  const wasUp = (await run('bash', [script, 'status'], { quiet: true })).code === 0
  if ((await cluster('up')).code !== 0) throw new SetupError('The cluster did not start.')
  try {
    const { output } = await run('bash', [script, 'up'], { quiet: true })
    for (const image of Object.keys(images))
      if ((await cluster('load', path.join(folder, `${ARCHIVES[image]}.tar`))).code !== 0)
        throw new SetupError('The images could not be loaded.')
    return await use(
      environment({
        HIVEMIND_CLUSTER: '1',
        HIVEMIND_CLUSTER_IMAGES: JSON.stringify(images),
        HIVEMIND_TARGET: 'knative',
        HIVEMIND_IMAGE_NODE: images.node,
        HIVEMIND_IMAGE_PYTHON: images.python,
        HIVEMIND_INGRESS: /http:\S+/.exec(output)?.[0],
        KUBECONFIG: exported(output, 'KUBECONFIG'),
        // helm, of the same build
        PATH: exported(output, 'PATH')?.replace('$PATH', environment().PATH),
      }),
    )
  } finally {
    if (!wasUp) await cluster('down')
  }
}
