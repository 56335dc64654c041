/** What a check of a cluster finds, against a small server that answers as an API server does. */
import { readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { checkCluster, PERMISSIONS } from './check.ts'
import { Cluster } from './cluster.ts'

interface Answers {
  groups: string[]
  namespace: number
  may: (resource: string, verb: string) => boolean
}
const GOOD: Answers = { groups: ['apps', 'serving.knative.dev'], namespace: 200, may: () => true }

const servers: Server[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections()
})

/** Serves what a check asks for; the ingress of the cluster is at the same address. */
async function clusterThat(answers: Answers): Promise<{ cluster: Cluster; url: string }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const send = (body: unknown, status = 200) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      const path = new URL(request.url ?? '/', 'http://x').pathname
      if (path === '/version') return send({ major: '1', minor: '34', gitVersion: 'v1.34.1' })
      if (path === '/apis')
        return send({ kind: 'APIGroupList', groups: answers.groups.map((name) => ({ name, versions: [] })) })
      if (path === '/api/v1/namespaces/swarm')
        return send({ kind: 'Namespace', metadata: { name: 'swarm' } }, answers.namespace)
      if (path === '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews') {
        const review = JSON.parse(Buffer.concat(chunks).toString()) as {
          spec: { resourceAttributes: { resource: string; subresource?: string; verb: string } }
        }
        const { resource, subresource, verb } = review.spec.resourceAttributes
        const allowed = answers.may(subresource ? `${resource}/${subresource}` : resource, verb)
        return send({ ...review, status: { allowed } }, 201)
      }
      return send({}, 404)
    })
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return { cluster: await opened(url), url }
}

const opened = (server: string): Promise<Cluster> =>
  Cluster.open({
    kubeconfig: JSON.stringify({
      'current-context': 'c',
      clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u', namespace: 'swarm' } }],
    }),
  })

/** An address where nobody listens. */
async function nowhere(): Promise<string> {
  const { url } = await clusterThat(GOOD)
  await new Promise((resolve) => servers.pop()?.close(resolve).closeAllConnections())
  return url
}

const problems = async (cluster: Cluster, ingress: string) =>
  (await checkCluster(cluster, ingress)).filter(({ level }) => level !== 'ok').map(({ message }) => message)

test('a cluster that has all that is needed', async () => {
  const { cluster, url } = await clusterThat(GOOD)
  const findings = await checkCluster(cluster, url)
  expect(findings.map(({ message }) => message)).toEqual([
    `Kubernetes v1.34.1 answers at ${url}.`,
    'It has Knative Serving.',
    "The account may do what is needed in 'swarm'.",
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
  const away = await nowhere()
  expect(await problems(cluster, away)).toEqual([
    expect.stringMatching(/^It has no Knative Serving: install it/),
    expect.stringMatching(/^It has no namespace 'swarm': create it/),
    expect.stringMatching(/^The account may not list, create, patch, delete secrets in 'swarm': give it /),
    expect.stringMatching(/^The account may not get pods\/log in 'swarm'/),
    expect.stringContaining(`The ingress does not answer at ${away} (connect ECONNREFUSED`),
  ])
})

test('an account that may not look at namespaces is no problem by itself', async () => {
  const { cluster, url } = await clusterThat({ ...GOOD, namespace: 403 })
  expect(await problems(cluster, url)).toEqual([])
})

test('a cluster that does not answer is a finding', async () => {
  const away = await nowhere()
  expect(await problems(await opened(away), away)).toEqual([
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
