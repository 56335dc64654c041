import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openTarget } from './settings.ts'

const folder = mkdtempSync(path.join(os.tmpdir(), 'hivemind-kube-'))
afterAll(() => rmSync(folder, { recursive: true }))
const KUBECONFIG = path.join(folder, 'config')
writeFileSync(
  KUBECONFIG,
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'lab',
    clusters: [{ name: 'lab', cluster: { server: 'https://lab:6443' } }],
    users: [{ name: 'me', user: { token: 'x' } }],
    contexts: [
      { name: 'lab', context: { cluster: 'lab', user: 'me', namespace: 'swarm' } },
      { name: 'void', context: { cluster: 'gone', user: 'me' } },
    ],
  }),
)
const IMAGES = { HIVEMIND_IMAGE_NODE: 'node:1', HIVEMIND_IMAGE_PYTHON: 'python:1' }

/** Opens a target as the library finds a cluster: by the environment of this process. */
async function opened(kind: 'local' | 'knative', env: NodeJS.ProcessEnv) {
  const before = process.env.KUBECONFIG
  process.env.KUBECONFIG = env.KUBECONFIG ?? KUBECONFIG
  try {
    const target = await openTarget(kind, { scratchDir: folder }, env)
    const { place } = target
    await target.close()
    return place
  } finally {
    if (before === undefined) delete process.env.KUBECONFIG
    else process.env.KUBECONFIG = before
  }
}

test.each([
  ['local', {}, 'this machine'],
  ['knative', IMAGES, "Knative at https://lab:6443, namespace 'swarm'"],
  ['knative', { ...IMAGES, HIVEMIND_NAMESPACE: 'other' }, "Knative at https://lab:6443, namespace 'other'"],
] as const)('the target %s with %j', async (kind, env, place) => {
  expect(await opened(kind, env)).toBe(place)
})

test.each([
  [{}, /^HIVEMIND_IMAGE_NODE is not set: /],
  [{ HIVEMIND_IMAGE_NODE: 'n' }, /^HIVEMIND_IMAGE_PYTHON is not set: /],
  [{ ...IMAGES, HIVEMIND_INGRESS: 'here' }, /^HIVEMIND_INGRESS is 'here': give the URL /],
  [{ ...IMAGES, HIVEMIND_KUBE_CONTEXT: 'x' }, /^The kubeconfig has no context 'x'. It has: lab, void.$/],
  [{ ...IMAGES, HIVEMIND_KUBE_CONTEXT: 'void' }, /^The kubeconfig names no cluster: /],
  [{ ...IMAGES, KUBECONFIG: path.join(folder, 'none') }, /^The kubeconfig cannot be read: ENOENT/],
])('settings that are wrong: %j', async (env, message) => {
  await expect(opened('knative', env)).rejects.toThrow(message)
})
