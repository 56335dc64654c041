/** What a check of a cluster finds, against a small server that answers as an API server does. */
import { readFileSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { type Answers, FakeCluster } from '../../test/fake-cluster.ts'
import { checkCluster, PERMISSIONS } from './check.ts'
import { Cluster } from './cluster.ts'

const servers: FakeCluster[] = []
afterEach(() => Promise.all(servers.splice(0).map((server) => server.close())))

/** A cluster, with its ingress at the same address. */
async function clusterThat(answers: Partial<Answers> = {}): Promise<{ cluster: Cluster; url: string }> {
  const server = await FakeCluster.start(answers)
  servers.push(server)
  return { cluster: await Cluster.open({ kubeconfig: server.kubeconfig() }), url: server.url }
}

/** A cluster that has gone. */
async function away(): Promise<{ cluster: Cluster; url: string }> {
  const gone = await clusterThat()
  await servers.pop()?.close()
  return gone
}

const problems = async (cluster: Cluster, ingress: string) =>
  (await checkCluster(cluster, ingress)).filter(({ level }) => level !== 'ok').map(({ message }) => message)

test('a cluster that has all that is needed', async () => {
  const { cluster, url } = await clusterThat()
  const findings = await checkCluster(cluster, url)
  expect(findings.map(({ message }) => message)).toEqual([
    `Kubernetes v1.34.1 answers at ${url}.`,
    'It has Knative Serving with the API v1 (tested with Knative 1.15).',
    "The account may do what is needed in 'swarm': get, list, create, patch, delete services; get, list, delete revisions; get, list, create, patch, delete configmaps; get, list, create, patch, delete secrets; get, list, watch pods; get pods/log.",
    `The ingress answers at ${url}.`,
  ])
  expect(await checkCluster(cluster)).toContainEqual({
    level: 'warning',
    message: expect.stringMatching(/^No ingress is set/),
  })
})

test('each thing that is missing is a sentence of its own', async () => {
  const { cluster } = await clusterThat({
    groups: ['apps'],
    namespace: 404,
    may: (resource, verb) => resource !== 'pods/log' && !(resource === 'secrets' && verb !== 'get'),
  })
  const { url: nowhere } = await away()
  expect(await problems(cluster, nowhere)).toEqual([
    expect.stringMatching(/^It has no Knative Serving: install it/),
    expect.stringMatching(/^It has no namespace 'swarm': create it/),
    expect.stringMatching(/^The account may not list, create, patch, delete secrets in 'swarm': give it /),
    expect.stringMatching(/^The account may not get pods\/log in 'swarm'/),
    expect.stringContaining(`The ingress does not answer at ${nowhere} (connect ECONNREFUSED`),
  ])
})

test('a Knative that is too old is told from none', async () => {
  const { cluster, url } = await clusterThat({ apiVersion: 'v1beta1' })
  expect(await problems(cluster, url)).toEqual([
    'Its Knative Serving has the API v1beta1 and not v1: update it to 1.0 or later.',
  ])
})

test('an account that may not look at namespaces is no problem by itself', async () => {
  const { cluster, url } = await clusterThat({ namespace: 403 })
  expect(await problems(cluster, url)).toEqual([])
})

test('a cluster that is busy for a moment is asked again', async () => {
  const { cluster } = await clusterThat({ busy: 2 })
  expect(await cluster.version()).toBe('v1.34.1')
  const { cluster: never } = await clusterThat({ busy: 3 })
  await expect(never.version()).rejects.toThrow(
    /^The cluster refused to read its version: the server is curr/,
  )
})

test('a cluster that does not answer is a finding', async () => {
  const { cluster, url } = await away()
  expect(await problems(cluster, url)).toEqual([
    expect.stringMatching(/^The cluster at http:\S+ did not answer: .*ECONNREFUSED/),
  ])
})

test('the role in infra/knative gives what is asked for, and no more', () => {
  const text = readFileSync(new URL('../../../../infra/knative/account.yaml', import.meta.url), 'utf8')
  const list = (found: string | undefined) => (found ?? '').replaceAll('"', '').split(', ')
  const rules = [...text.matchAll(/apiGroups: \[(.*)\]\s+resources: \[(.*)\]\s+verbs: \[(.*)\]/g)]
  const given = rules.flatMap(([, group, resources, verbs]) =>
    list(resources).map((resource) => ({ group: list(group)[0], resource, verbs: list(verbs) })),
  )
  expect(given).toEqual(PERMISSIONS)
})
