/** What a plan says of the objects of a cluster, against a small server that keeps objects as an API server does. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { FakeCluster } from '../../test/fake-cluster.ts'
import { placements, projectDir, synthesised, walk } from '../../test/walk.ts'
import { functionWorksOf } from '../functions/works.ts'
import { anyDevices, type DeploymentSpec, knativeTarget, type Target } from '../index.ts'
import type { ObjectChange } from '../object-change.ts'
import { Cluster } from './cluster.ts'
import { KnativeHosting } from './hosting.ts'
import { lineDiff } from './line-diff.ts'

const images = { node: 'function-node:1', python: 'function-python:1' }
let server: FakeCluster
let hosting: KnativeHosting
let target: Target

beforeEach(async () => {
  server = await FakeCluster.start()
  const owner = { group: 'g1', deployment: 'walk', onStatus: () => {}, log: () => {} }
  hosting = new KnativeHosting(await Cluster.open({ kubeconfig: server.kubeconfig() }), { images }, owner)
  target = await knativeTarget({
    cluster: { kubeconfig: server.kubeconfig() },
    knative: { images, ingress: server.url },
  })
})
afterEach(async () => {
  await hosting.close()
  await target.close()
  await server.close()
})

async function specOf(change: Parameters<typeof walk>[0] = {}): Promise<DeploymentSpec> {
  const synthesis = await synthesised(placements.hybrid, walk(change))
  return { name: 'walk', synthesis, projectDir, devices: anyDevices(2) }
}
const worksOf = async (change: Parameters<typeof walk>[0] = {}) => functionWorksOf(await specOf(change))

async function deploy(): Promise<void> {
  for (const work of await worksOf())
    await (await hosting.prepare(work, AbortSignal.timeout(20_000))).commit()
}

const inShort = (objects: readonly ObjectChange[] = []) =>
  objects.map(({ kind, name, action }) => `${action} ${kind} ${name}`)
const lines = ({ diff }: ObjectChange, sign: string) =>
  diff.split('\n').filter((line) => line.startsWith(sign))
const find = (objects: readonly ObjectChange[] | undefined, kind: string, action: string): ObjectChange => {
  const found = objects?.find((each) => each.kind === kind && each.action === action)
  if (!found) throw new Error(`No ${kind} with ${action} among ${inShort(objects)}`)
  return found
}

describe('what becomes of the objects of a cluster', () => {
  test('all of a function that is new, with nothing of what is secret', async () => {
    const loud = (await hosting.preview(await worksOf(), [])).get('loud')
    expect(inShort(loud)).toEqual([
      'create Service hm-g1-loud',
      'create Secret hm-g1-loud-<revision>',
      'create ConfigMap hm-g1-loud-<revision>-code-0',
    ])
    for (const object of loud ?? []) expect(lines(object, '+')).toHaveLength(object.diff.split('\n').length)
    expect(find(loud, 'Service', 'create').diff).toContain('+          image: function-node:1\n')
    expect(find(loud, 'Secret', 'create').diff).toMatch(/\+ {2}function\.json: \(hidden, \d+ bytes\)/)
    expect(find(loud, 'ConfigMap', 'create').diff).toMatch(/\+ {2}[0-9a-f]{64}: \(\d+ bytes\)/)
    expect(server.objects.all.size).toBe(0)
  })

  test('nothing, where the cluster has it as it is to be, whatever it has filled in', async () => {
    await deploy()
    const before = JSON.stringify([...server.objects.all])
    const loud = (await hosting.preview(await worksOf(), [])).get('loud') ?? []
    expect(loud.map(({ action }) => action)).toEqual(['keep', 'keep', 'keep'])
    for (const object of loud) expect(lines(object, '+').concat(lines(object, '-'))).toEqual([])
    expect(JSON.stringify(loud)).not.toMatch(/managedFields|uid|user-port|imagePullPolicy|latestRevision/)
    expect(JSON.stringify([...server.objects.all])).toBe(before)
  })

  test('the lines of a setting that changes; a revision has Secret and ConfigMaps of its own', async () => {
    await deploy()
    const larger = await worksOf({ loud: { args: { memory: '300MB' } } })
    const loud = (await hosting.preview(larger, [])).get('loud')
    const service = find(loud, 'Service', 'change')
    const memoryOf = (sign: string) => /memory: (\d+)Mi/.exec(lines(service, sign).join('\n'))?.[1]
    // For each of two calls at once, and for the host.
    expect([memoryOf('-'), memoryOf('+')]).toEqual([String(192 + 2 * 512), String(192 + 2 * 300)])
    expect(service.diff).toContain(' kind: Service\n')
    expect(inShort(loud).map((text) => text.replace(/-[0-9a-f]{10}/, '-REVISION'))).toEqual([
      'change Service hm-g1-loud',
      'create Secret hm-g1-loud-REVISION',
      'create ConfigMap hm-g1-loud-REVISION-code-0',
      'remove Secret hm-g1-loud-REVISION',
      'remove ConfigMap hm-g1-loud-REVISION-code-0',
    ])
    const removed = find(loud, 'Secret', 'remove').diff
    expect(removed).toMatch(/- {2}function\.json: \(hidden, \d+ bytes\)/)
    expect(removed).not.toMatch(/uid|managedFields/)
    const token = String(hosting.records()[0]?.token)
    expect(token.length).toBeGreaterThan(20)
    expect(JSON.stringify(loud)).not.toContain(token)
    expect(JSON.stringify(loud)).not.toContain(Buffer.from(token).toString('base64').slice(0, 20))
  })

  test('what somebody else has changed is put right, and what somebody has deleted is made anew', async () => {
    await deploy()
    const [path = '', service] =
      [...server.objects.all].find(([at]) => at.endsWith('/services/hm-g1-loud')) ?? []
    const text = JSON.stringify(service).replace('function-node:1', 'another:2')
    server.objects.all.set(path, JSON.parse(text))
    const changed = find((await hosting.preview(await worksOf(), [])).get('loud'), 'Service', 'change')
    expect(lines(changed, '-')).toEqual(['-          image: another:2'])
    expect(lines(changed, '+')).toEqual(['+          image: function-node:1'])
    server.objects.all.delete(path)
    const again = (await hosting.preview(await worksOf(), [])).get('loud')
    expect(again?.map(({ action }) => action)).toEqual(['create', 'keep', 'keep'])
  })

  test.each(['exchanged', 'deleted'])(
    'a new revision, where somebody has %s what the one that serves reads',
    async (how) => {
      await deploy()
      const { all } = server.objects
      const [path = '', code] = [...all].find(([at]) => /hm-g1-loud-\w+-code-0$/.test(at)) ?? []
      if (how === 'deleted') all.delete(path)
      else Object.assign(code as object, { binaryData: { file: 'AAAA' } })
      const revision = () => hosting.records().find(({ task }) => task === 'loud')?.revision
      const before = revision()
      const loud = (await hosting.preview(await worksOf(), [])).get('loud')
      expect(find(loud, 'Service', 'change').diff).toContain('<revision>')
      expect(inShort(loud)).toContain('create ConfigMap hm-g1-loud-<revision>-code-0')
      expect(inShort(loud)).toContain(`remove Secret ${before}`)
      await deploy()
      expect(revision()).not.toBe(before)
      const again = (await hosting.preview(await worksOf(), [])).get('loud')
      expect(again?.map(({ action }) => action)).toEqual(['keep', 'keep', 'keep'])
      expect([...all.keys()].filter((at) => at.includes('hm-g1-loud-'))).toHaveLength(2)
    },
  )

  test('all of a function that is no longer needed', async () => {
    await deploy()
    const loud = (await hosting.preview([], ['loud', 'nobody'])).get('loud')
    expect(loud?.map(({ kind, action }) => `${action} ${kind}`)).toEqual([
      'remove Service',
      'remove Secret',
      'remove ConfigMap',
    ])
    expect(find(loud, 'Service', 'remove').diff).not.toMatch(/uid|managedFields|status/)
  })
})

describe('a plan for a cluster', () => {
  test('has its objects, and what it needs', async () => {
    const { changes, needs } = await target.plan(null, await specOf())
    expect(changes.map(({ kind, name, action, objects }) => [kind, name, action, objects?.length])).toEqual([
      ['function', 'measure', 'create', 3],
      ['function', 'loud', 'create', 3],
      ['function', 'total', 'create', 3],
      ['agent', 'device-1', 'create', undefined],
      ['agent', 'device-2', 'create', undefined],
    ])
    expect(needs.map(({ level }) => level)).toEqual(['ok', 'ok', 'ok', 'ok', 'ok'])
    const said = needs.map(({ message }) => message).join('\n')
    for (const need of [
      'It has Knative Serving with the API v1',
      "The account may do what is needed in 'swarm': get, list,",
      'in 6 Secrets and ConfigMaps; no volume is needed',
    ])
      expect(said).toContain(need)
    expect(server.objects.all.size).toBe(0)
  })

  test('says what the cluster would refuse, which is asked with names as they will be', async () => {
    const asked: string[] = []
    server.objects.refuses = ({ kind, metadata: { name } }) => {
      asked.push(name)
      return kind === 'Service' && name.endsWith('loud') ? 'no function may be loud' : undefined
    }
    const { needs } = await target.plan(null, await specOf())
    expect(needs.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The cluster refused to apply Service 'hm-\w+-loud': no function may be loud$/),
    ])
    expect(asked).toHaveLength(9)
    for (const name of asked) expect(name).toMatch(/^[a-z0-9-]+$/)
    expect(server.objects.all.size).toBe(0)
    server.objects.refuses = () => undefined
  })

  test('says what is missing', async () => {
    server.answers.may = (resource) => resource !== 'secrets'
    const { needs } = await target.plan(null, await specOf())
    expect(needs.filter(({ level }) => level === 'error').map(({ message }) => message)).toEqual([
      expect.stringMatching(/^The account may not get, list, create, patch, delete secrets in 'swarm'/),
    ])
  })

  test('of one that does not answer has no objects, and says why', async () => {
    await server.close()
    const { changes, needs } = await target.plan(null, await specOf())
    expect(changes).toHaveLength(5)
    expect(needs.some(({ level, message }) => level === 'error' && /did not answer/.test(message))).toBe(true)
    server = await FakeCluster.start()
  })
})

test('the difference of two texts has the fewest signs', () => {
  const of = (before: string, after: string) => lineDiff([...before], [...after]).join('|')
  expect(of('abc', 'abc')).toBe(' a| b| c')
  expect(of('', 'ab')).toBe('+a|+b')
  expect(of('ab', '')).toBe('-a|-b')
  expect(of('abcd', 'axcd')).toBe(' a|-b|+x| c| d')
  expect(of('abcabba', 'cbabac').replace(/[^+-]/g, '')).toHaveLength(5)
})
