/** `hivemind deploy --plan`; what really starts is in run.slow.test.ts. */
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { DeploymentPlan } from '@hivemind/deploy'
import { afterAll, expect, it } from 'vitest'
import { FakeCluster } from '../../../libs/deploy/test/fake-cluster.ts'
import { exit, helloSwarm, hivemind, killRunning, start } from './command.ts'

afterAll(killRunning)

it('with --plan tells what it would start', async () => {
  const outcome = await hivemind('deploy', helloSwarm, '--placement', 'judge=edge', '--agents', '2', '--plan')
  expect(outcome.code).toBe(exit.fine)
  expect(outcome.stdout.trimEnd().split('\n')).toEqual([
    expect.stringMatching(/^CHANGE +KIND +NAME +WHY$/),
    expect.stringMatching(/^create +function +summary +It did not run before\.$/),
    expect.stringMatching(/^create +agent +device-1 +The device is new in this deployment\.$/),
    expect.stringMatching(/^create +agent +device-2 +The device is new in this deployment\.$/),
  ])
})

it('with --plan says for a cluster what it needs and the YAML of each object, and changes nothing', async () => {
  const cluster = await FakeCluster.start()
  const folder = await mkdtemp(path.join(tmpdir(), 'hivemind-plan-'))
  try {
    const kubeconfig = path.join(folder, 'config')
    await writeFile(kubeconfig, cluster.kubeconfig())
    const env = {
      KUBECONFIG: kubeconfig,
      HIVEMIND_INGRESS: cluster.url,
      HIVEMIND_IMAGE_NODE: 'function-node:1',
      HIVEMIND_IMAGE_PYTHON: 'function-python:1',
    }
    const plan = (...more: string[]) =>
      start(
        ['deploy', helloSwarm, '--placement', 'judge=edge', '--target', 'knative', '--plan', ...more],
        env,
      ).outcome
    const { code, stdout } = await plan()
    expect(code).toBe(exit.fine)
    for (const line of [
      /^ok +It has Knative Serving with the API v1 /m,
      /^create Service hm-<group>-summary\n\+apiVersion: serving\.knative\.dev\/v1$/m,
      /^\+ {10}image: function-node:1$/m,
      /^\+ {2}function\.json: \(hidden, \d+ bytes\)$/m,
    ])
      expect(stdout).toMatch(line)
    const json = JSON.parse((await plan('--json')).stdout) as DeploymentPlan
    expect(json.needs.every(({ level }) => level === 'ok')).toBe(true)
    expect(json.changes[0]?.objects?.map(({ kind, action }) => `${action} ${kind}`)).toEqual([
      'create Service',
      'create Secret',
      'create ConfigMap',
    ])
    expect(cluster.objects.all.size).toBe(0)
  } finally {
    await cluster.close()
    await rm(folder, { recursive: true })
  }
})
