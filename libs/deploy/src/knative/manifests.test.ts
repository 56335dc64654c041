import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import {
  type ClusterFunction,
  type CodeFile,
  contentsOf,
  functionLabels,
  LABELS,
  revisionName,
  serviceName,
  serviceOf,
} from './manifests.ts'

const file = (path: string, bytes: number): CodeFile => {
  const content = new Uint8Array(bytes).fill(path.length)
  return { path, content, hash: createHash('sha256').update(content).digest('hex') }
}

function work(files: CodeFile[], more: Partial<ClusterFunction> = {}): ClusterFunction {
  return {
    deployment: 'My swarm (2)',
    group: '0a1b2c3d',
    namespace: 'swarm',
    image: 'function-node:1',
    config: {
      workflow: 'w',
      task: 'judgeAll',
      runtime: 'node',
      code: 'tasks/judge.mjs',
      args: {},
      memoryMB: 256,
      dataIn: [],
      emits: 'one',
      timeoutMs: 30_000,
      concurrency: 1,
      token: 'of-callers',
    },
    files,
    configHash: 'f'.repeat(64),
    concurrency: 2,
    isIsolated: false,
    maxScale: 10,
    keepAliveS: 30,
    ...more,
  }
}

test.each([
  ['judgeAll', 'hm-0a1b2c3d-judge-all'],
  ['größe_2', 'hm-0a1b2c3d-gr-e-2'],
  ['a'.repeat(80), `hm-0a1b2c3d-${'a'.repeat(40)}`],
  ['judgeAll@gateway-1', 'hm-0a1b2c3d-judge-all--gateway-1'],
  ['judge_all_gateway_1', 'hm-0a1b2c3d-judge-all-gateway-1'],
  ['judgeAll+name+count', 'hm-0a1b2c3d-judge-all-6a081f68'],
  [`${'a'.repeat(80)}+b`, `hm-0a1b2c3d-${'a'.repeat(31)}-803e1615`],
])('the service of %s', (task, name) => {
  expect(serviceName('0a1b2c3d', task)).toBe(name)
  // Its host name, with the tag of what is beside it, is at most 63 characters.
  expect(`next-${name}`.length).toBeLessThanOrEqual(63)
  expect(revisionName(name, 'f'.repeat(64)).length).toBeLessThanOrEqual(63)
})

test('tasks that share a container have its memory and its time together, and their code in one place', () => {
  const one = work([file('a.mjs', 10)])
  const { timeoutMs, memoryMB, code, dataIn, emits, args } = one.config
  const behind = { runtime: 'node' as const, code, dataIn, emits, args, task: 'name', after: ['judgeAll'] }
  const both = {
    ...one,
    config: { ...one.config, coPlaced: [{ ...behind, memoryMB: 100, timeoutMs: 20_000 }] },
  }
  const specOf = (of: ClusterFunction) =>
    (serviceOf(of, { serving: 'r' }) as { spec?: { template: { spec: Record<string, unknown> } } }).spec
      ?.template.spec
  expect(specOf(one)).toMatchObject({
    timeoutSeconds: timeoutMs / 1000 + 5,
    containers: [{ resources: { limits: { memory: `${192 + 2 * memoryMB}Mi` } } }],
  })
  expect(specOf(both)).toMatchObject({
    timeoutSeconds: timeoutMs / 1000 + 20 + 5,
    containers: [{ resources: { limits: { memory: `${192 + 2 * (memoryMB + 100)}Mi` } } }],
  })
  const [secret] = contentsOf(both) as unknown as [{ data: Record<string, string> }]
  const config = JSON.parse(Buffer.from(secret.data['function.json'] ?? '', 'base64').toString())
  expect([config.dir, config.coPlaced[0].dir]).toEqual(['/code/..data', '/code/..data'])
})

test('an isolated task has a CPU to itself; the others share what there is', () => {
  const resourcesOf = (more: Partial<ClusterFunction>) =>
    (
      serviceOf(work([], more), { serving: 'r' }) as unknown as {
        spec: { template: { spec: { containers: [{ resources: object }] } } }
      }
    ).spec.template.spec.containers[0].resources
  expect(resourcesOf({ isIsolated: true, concurrency: 1 })).toMatchObject({
    requests: { cpu: '1' },
    limits: { cpu: '1' },
  })
  expect(resourcesOf({})).toEqual({
    requests: { cpu: '50m', memory: '128Mi' },
    limits: { memory: `${192 + 2 * 256}Mi` },
  })
})

test('functions on edge nodes whose names are cut have names and labels of their own', () => {
  const [first, second] = [1, 2].map((node) => `${'a'.repeat(50)}@${'gateway-'.repeat(4)}${node}`)
  const names = [first, second].map((name) => serviceName('0a1b2c3d', name ?? ''))
  expect(new Set(names).size).toBe(2)
  const labels = [first, second].map((name) => functionLabels('0a1b2c3d', name ?? '')[LABELS.function] ?? '')
  expect(new Set(labels).size).toBe(2)
  for (const text of [...names.map((name) => `next-${name}`), ...labels])
    expect(text).toMatch(/^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/)
})

test('a function on an edge node stays on the nodes of the cluster that are it; others run where there is room, and go to zero', () => {
  const templateOf = (more: Partial<ClusterFunction>) =>
    (
      serviceOf(work([], more), { serving: 'r' }) as unknown as {
        spec: {
          template: { metadata: { annotations: Record<string, string> }; spec: { nodeSelector?: unknown } }
        }
      }
    ).spec.template
  const onNode = templateOf({ config: { ...work([]).config, node: 'gateway-1' } })
  expect(onNode.spec.nodeSelector).toEqual({ 'edge-node.hivemind.dev/gateway-1': 'true' })
  expect(onNode.metadata.annotations['autoscaling.knative.dev/min-scale']).toBe('1')
  const elsewhere = templateOf({})
  expect(elsewhere.spec.nodeSelector).toBeUndefined()
  expect(elsewhere.metadata.annotations).not.toHaveProperty('autoscaling.knative.dev/min-scale')
})

test('the token is in a Secret, and nowhere else', () => {
  const [secret, ...others] = contentsOf(work([file('tasks/judge.mjs', 10)]))
  const data = (secret as { data?: Record<string, string> }).data ?? {}
  const config = JSON.parse(Buffer.from(data['function.json'] ?? '', 'base64').toString())
  expect(secret?.kind).toBe('Secret')
  expect(config).toMatchObject({ token: 'of-callers', dir: '/code/..data', concurrency: 2 })
  expect(JSON.stringify([others, serviceOf(work([]), { serving: 'r' })])).not.toContain('of-callers')
})

test('code is in as many ConfigMaps as it needs, and each file where it was', () => {
  const files = [file('a.mjs', 500_000), file('data/b.bin', 500_000), file('data/deep/c.json', 300_000)]
  const [, ...parts] = contentsOf(work(files))
  expect(parts.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toEqual([
    'ConfigMap hm-0a1b2c3d-judge-all-ffffffffff-code-0',
    'ConfigMap hm-0a1b2c3d-judge-all-ffffffffff-code-1',
  ])
  const shown = JSON.stringify(serviceOf(work(files), { serving: 'r' }))
  for (const { path, hash } of files) {
    expect(shown).toContain(JSON.stringify({ key: hash, path }))
    expect(JSON.stringify(parts)).toContain(hash)
  }
})

test('a file that no cluster takes is named, with what to do', () => {
  expect(() => contentsOf(work([file('model.bin', 2_000_000)]))).toThrow(
    /^'model.bin' has 2.0 MB; a cluster takes files of up to 0.9 MB .* Let the task fetch it/,
  )
})

test('a revision beside the one that serves gets no calls', () => {
  const { spec } = serviceOf(work([]), { serving: 'old', beside: 'new' }) as unknown as {
    spec: { traffic: unknown[]; template: { spec: { containers: { resources: unknown }[] } } }
  }
  expect(spec.traffic).toEqual([
    { revisionName: 'old', percent: 100 },
    { revisionName: 'new', percent: 0, tag: 'next' },
  ])
  expect(spec.template.spec.containers[0]?.resources).toMatchObject({ limits: { memory: '704Mi' } })
})
