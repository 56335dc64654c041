/** A namespace of the development cluster for each test of a file, in which nothing of ours may stay. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect } from 'vitest'
import { type ClusterOptions, knativeTarget, type Target } from '../src/index.ts'

/** Knative's ingress of the development cluster. */
export const INGRESS = 'http://172.31.255.1:31080'
const IMAGES = JSON.parse(process.env.HIVEMIND_CLUSTER_IMAGES ?? '{}') as { node: string; python: string }

export const kubectl = (...args: string[]): string => execFileSync('kubectl', args, { encoding: 'utf8' })

/** Where the test under way deploys. */
export class FreshCluster {
  namespace = ''
  scratchDir = ''
  /** Closed after the test. */
  targets: Target[] = []

  /** Names of what HiveMind has made in the namespace. */
  own(): string {
    const kinds = 'ksvc,configmaps,secrets'
    return kubectl(
      'get',
      kinds,
      '-n',
      this.namespace,
      '-l',
      'app.kubernetes.io/managed-by=hivemind',
      '-o',
      'name',
    )
  }

  /** @param more folder of a target that lasts, and another ingress or other images */
  async target(
    cluster: ClusterOptions = {},
    {
      dir,
      ingress = INGRESS,
      images = IMAGES,
    }: { dir?: string; ingress?: string; images?: typeof IMAGES } = {},
  ): Promise<Target> {
    const target = await knativeTarget({
      cluster: { namespace: this.namespace, ...cluster },
      knative: { images, ingress, keepAliveS: 5, maxScale: 4 },
      ...(dir === undefined ? { scratchDir: this.scratchDir } : { dir, leaseSeconds: 60 }),
    })
    this.targets.push(target)
    return target
  }
}

export function freshCluster(): FreshCluster {
  const fresh = new FreshCluster()
  beforeEach(() => {
    fresh.scratchDir = mkdtempSync(path.join(tmpdir(), 'hivemind-test-'))
    fresh.namespace = `test-${Math.random().toString(36).slice(2, 8)}`
    kubectl('create', 'namespace', fresh.namespace)
  })
  afterEach(async () => {
    await Promise.all(fresh.targets.splice(0).map((target) => target.close()))
    const left = fresh.own()
    kubectl('delete', 'namespace', fresh.namespace, '--wait=false')
    rmSync(fresh.scratchDir, { recursive: true, force: true })
    expect(left).toBe('')
  }, 120_000)
  return fresh
}
