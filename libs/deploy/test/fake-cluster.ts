/** A small server that answers as an API server does, as far as checks and plans ask it. The real one has tests of its own. */
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { FakeObjects } from './fake-objects.ts'

export interface Answers {
  groups: string[]
  /** Version of each group. */
  apiVersion: string
  /** Status of a read of the namespace. */
  namespace: number
  may: (resource: string, verb: string) => boolean
  /** So many next requests it cannot answer at the moment. */
  busy: number
}

const GOOD: Answers = {
  groups: ['apps', 'serving.knative.dev'],
  apiVersion: 'v1',
  namespace: 200,
  may: () => true,
  busy: 0,
}

interface Review {
  spec: { resourceAttributes: { resource: string; subresource?: string; verb: string } }
}

export class FakeCluster {
  /** Also answers as an ingress would. */
  readonly url: string
  /** What it answers; may be changed. */
  readonly answers: Answers
  /** The bearer tokens that it was asked with. */
  readonly tokens = new Set<string>()
  /** What is in its namespace. */
  readonly objects = new FakeObjects()
  readonly #server: Server
  readonly #podWatchers = new Set<ServerResponse>()

  private constructor(server: Server, answers: Answers) {
    this.#server = server
    this.answers = answers
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    server.on('request', (request, response) => {
      const chunks: Buffer[] = []
      request.on('data', (chunk: Buffer) => chunks.push(chunk))
      request.on('end', () => {
        const token = /^Bearer (.*)$/.exec(request.headers.authorization ?? '')?.[1]
        if (token !== undefined) this.tokens.add(token)
        const url = new URL(request.url ?? '/', this.url)
        if (url.searchParams.has('watch')) {
          response.writeHead(200, { 'content-type': 'application/json' }).flushHeaders()
          this.#podWatchers.add(response.on('close', () => this.#podWatchers.delete(response)))
          return
        }
        const sent = Buffer.concat(chunks).toString()
        const [status, body] = this.#answer(request.method ?? 'GET', url, sent)
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
      })
    })
  }

  static async start(answers: Partial<Answers> = {}): Promise<FakeCluster> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return new FakeCluster(server, { ...GOOD, ...answers })
  }

  /** Whether somebody is told of pods. */
  get isWatched(): boolean {
    return this.#podWatchers.size > 0
  }

  /** Tells those who watch that a pod is there now. */
  tellPod(object: object): void {
    for (const watcher of this.#podWatchers)
      watcher.write(
        `${JSON.stringify({ type: 'ADDED', object: { apiVersion: 'v1', kind: 'Pod', ...object } })}\n`,
      )
  }

  /** A kubeconfig for it, with a token; its contexts are `lab` and `other`. */
  kubeconfig(token = 'token-of-the-lab'): string {
    const cluster = { server: this.url, 'insecure-skip-tls-verify': true }
    return JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'lab',
      clusters: [{ name: 'lab', cluster }],
      users: [{ name: 'me', user: { token } }],
      contexts: [
        { name: 'lab', context: { cluster: 'lab', user: 'me', namespace: 'swarm' } },
        { name: 'other', context: { cluster: 'lab', user: 'me' } },
      ],
    })
  }

  async close(): Promise<void> {
    await new Promise((resolve) => this.#server.close(resolve).closeAllConnections())
  }

  #answer(method: string, url: URL, body: string): [number, unknown] {
    const path = url.pathname
    const { groups, namespace, may } = this.answers
    if (this.answers.busy > 0) {
      this.answers.busy -= 1
      return [503, { kind: 'Status', message: 'the server is currently unable to handle the request' }]
    }
    if (path === '/version') return [200, { major: '1', minor: '34', gitVersion: 'v1.34.1' }]
    if (path === '/apis')
      return [
        200,
        {
          kind: 'APIGroupList',
          groups: groups.map((name) => ({
            name,
            versions: [
              { version: this.answers.apiVersion, groupVersion: `${name}/${this.answers.apiVersion}` },
            ],
          })),
        },
      ]
    if (/^\/api\/v1\/namespaces\/\w+$/.test(path)) return [namespace, { kind: 'Namespace' }]
    if (path.endsWith('/selfsubjectaccessreviews')) {
      const review = JSON.parse(body) as Review
      const { resource, subresource, verb } = review.spec.resourceAttributes
      const allowed = may(subresource ? `${resource}/${subresource}` : resource, verb)
      return [201, { ...review, status: { allowed } }]
    }
    return this.objects.answer(method, url, body) ?? [404, {}]
  }
}
