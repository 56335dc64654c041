/** The objects of a namespace, as an API server with Knative keeps them: it fills in fields of its own, and all is ready at once. */
type Fields = Record<string, unknown>

interface StoredObject extends Fields {
  metadata: Fields & { name: string; labels?: Record<string, string>; generation: number }
}

const CORE = { pods: 'Pod', secrets: 'Secret', configmaps: 'ConfigMap' }
const SERVING = { services: 'Service', revisions: 'Revision' }
const READY = [{ type: 'Ready', status: 'True' }]

const resources = (kinds: Record<string, string>) =>
  Object.entries(kinds).map(([name, kind]) => ({ name, kind, namespaced: true, verbs: ['get', 'list'] }))

export class FakeObjects {
  /** By path. */
  readonly all = new Map<string, StoredObject>()
  /** Why it does not take an object; may be changed. */
  refuses: (object: StoredObject) => string | undefined = () => undefined

  /** Answers a request about objects; `undefined` when it is about something else. */
  answer(method: string, { pathname, searchParams }: URL, body: string): [number, unknown] | undefined {
    if (pathname === '/api/v1') return [200, { kind: 'APIResourceList', resources: resources(CORE) }]
    if (pathname === '/apis/serving.knative.dev/v1')
      return [200, { kind: 'APIResourceList', resources: resources(SERVING) }]
    const [, kind, name] =
      /^\/(?:api|apis\/serving\.knative\.dev)\/v1\/namespaces\/[\w-]+\/(\w+)(?:\/(.+))?$/.exec(pathname) ?? []
    if (kind === undefined) return undefined
    if (name === undefined)
      return [200, { kind: 'List', metadata: {}, items: this.#list(pathname, searchParams) }]
    if (method === 'PATCH')
      return this.#patch(pathname, JSON.parse(body) as StoredObject, searchParams.get('dryRun') === 'All')
    // A revision is there as soon as somebody asks for it.
    if (kind === 'revisions' && method === 'GET')
      return [200, { kind: 'Revision', metadata: { name }, status: { conditions: READY } }]
    const object = this.all.get(pathname)
    if (!object) return [404, { kind: 'Status', code: 404, message: `${name} not found` }]
    if (method === 'DELETE') this.all.delete(pathname)
    return [200, object]
  }

  #list(pathname: string, query: URLSearchParams): StoredObject[] {
    const wanted = (query.get('labelSelector') ?? '').split(',').map((pair) => pair.split('='))
    return [...this.all]
      .filter(([path]) => path.startsWith(`${pathname}/`))
      .map(([, object]) => object)
      .filter(({ metadata: { labels = {} } }) => wanted.every(([key = '', value]) => labels[key] === value))
  }

  #patch(pathname: string, object: StoredObject, dryRun: boolean): [number, unknown] {
    const message = this.refuses(object)
    if (message !== undefined) return [400, { kind: 'Status', code: 400, message }]
    return [200, dryRun ? object : this.#apply(pathname, object)]
  }

  #apply(pathname: string, object: StoredObject): StoredObject {
    const generation = (this.all.get(pathname)?.metadata.generation ?? 0) + 1
    const { name } = object.metadata
    const stored = {
      ...object,
      metadata: {
        ...object.metadata,
        ...{ generation, uid: 'u-1', resourceVersion: '77', creationTimestamp: '2026-01-01T00:00:00Z' },
        managedFields: [{ manager: 'hivemind', operation: 'Apply' }],
      },
      ...(object.kind === 'Service' && {
        spec: withDefaults(object.spec as Fields),
        status: { observedGeneration: generation, url: `http://${name}.swarm.example`, conditions: READY },
      }),
    }
    this.all.set(pathname, stored)
    return stored
  }
}

/** A service as Knative completes it. */
function withDefaults(spec: Fields): Fields {
  const { template, traffic } = structuredClone(spec) as {
    template: { spec: Fields & { containers: (Fields & { ports: Fields[] })[] } }
    traffic: Fields[]
  }
  template.spec.responseStartTimeoutSeconds = 300
  for (const container of template.spec.containers) {
    container.imagePullPolicy = 'IfNotPresent'
    for (const port of container.ports) Object.assign(port, { name: 'user-port', protocol: 'TCP' })
  }
  for (const each of traffic) each.latestRevision = false
  return { template, traffic, protocol: 'HTTP1' }
}
