/** The OpenAPI document, made from the route table. */
import { z } from 'zod'
import * as domain from './domain.ts'
import { ServerEvent } from './events.ts'
import * as fabric from './fabric.ts'
import * as networkFunctions from './network-functions.ts'
import * as resources from './resources.ts'
import { Alive, Health, type Route, routes } from './routes.ts'
import * as store from './store.ts'

type Json = Record<string, unknown>
type Direction = 'input' | 'output'

const PREFIX = '#/components/schemas/'
const named: Record<string, z.ZodType> = {
  ...domain,
  ...resources,
  ...store,
  ...fabric,
  ...networkFunctions,
  Alive,
  Health,
  ServerEvent,
}
/** Parameters of a path that are numbers; all others are ids. */
const NUMBERED: Record<string, Json> = {
  version: { type: 'integer', minimum: 1 },
  index: { type: 'integer', minimum: 0 },
}
/** What is stored once its defaults are filled in has this name beside the one that may be sent. */
const storedName = (name: string) => `Stored${name}`

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** A copy in which every reference is renamed and the keys that only stand-alone schemas have are gone. */
function mapRefs(value: unknown, rename: (name: string) => string): unknown {
  if (Array.isArray(value)) return value.map((item) => mapRefs(item, rename))
  if (!isObject(value)) return value
  const copy: Json = {}
  for (const [key, item] of Object.entries(value)) {
    if ((key === '$schema' || key === '$id' || key === 'id') && typeof item === 'string') continue
    copy[key] =
      key === '$ref' && typeof item === 'string'
        ? PREFIX + rename(item.slice(PREFIX.length))
        : mapRefs(item, rename)
  }
  return copy
}

function refsOf(value: unknown, into = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) refsOf(item, into)
  else if (isObject(value))
    for (const [key, item] of Object.entries(value)) {
      if (key === '$ref' && typeof item === 'string') into.add(item.slice(PREFIX.length))
      else refsOf(item, into)
    }
  return into
}

/** JSON Schemas of all named schemas and of everything a route mentions, as `input` (sent) or `output` (answered). */
class Schemas {
  readonly direction: Direction
  private readonly ids = new Map<z.ZodType, string>()
  private readonly json: Record<string, Json>

  constructor(direction: Direction) {
    this.direction = direction
    const registry = z.registry<{ id: string }>()
    const add = (id: string, schema: z.ZodType | undefined) => {
      if (!schema || this.ids.has(schema)) return
      this.ids.set(schema, id)
      registry.add(schema, { id })
    }
    for (const [name, schema] of Object.entries(named)) add(name, schema)
    for (const [key, route] of Object.entries<Route>(routes)) {
      add(`route:${key}:query`, route.query)
      add(`route:${key}:body`, route.body)
      if (route.answer instanceof z.ZodType) add(`route:${key}:answer`, route.answer)
    }
    const { schemas } = z.toJSONSchema(registry, { io: direction, uri: (id) => PREFIX + id })
    this.json = schemas as unknown as Record<string, Json>
  }

  raw(name: string): Json {
    return this.json[name] ?? {}
  }

  /** The schema as it is used in a route: a reference when it has a name, itself when it has none. */
  use(schema: z.ZodType): Json {
    const id = this.ids.get(schema) ?? ''
    return Object.hasOwn(named, id) ? { $ref: PREFIX + id } : this.raw(id)
  }
}

/** Names whose two directions differ, themselves or through what they refer to. */
function differing(input: Schemas, output: Schemas): Set<string> {
  const names = Object.keys(named)
  const found = new Set(
    names.filter((name) => JSON.stringify(input.raw(name)) !== JSON.stringify(output.raw(name))),
  )
  for (let before = -1; before !== found.size; ) {
    before = found.size
    for (const name of names) if ([...refsOf(input.raw(name))].some((ref) => found.has(ref))) found.add(name)
  }
  return found
}

function reachable(roots: Iterable<string>, schemas: Schemas): Set<string> {
  const seen = new Set<string>()
  const open = [...roots]
  for (let name = open.pop(); name !== undefined; name = open.pop()) {
    if (seen.has(name)) continue
    seen.add(name)
    open.push(...refsOf(schemas.raw(name)))
  }
  return seen
}

function parametersOf(route: Route, input: Schemas): Json[] {
  const inPath = [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: NUMBERED[name ?? ''] ?? { $ref: `${PREFIX}Id` },
  }))
  if (!route.query) return inPath
  const query = input.use(route.query) as { properties?: Record<string, Json>; required?: string[] }
  const inQuery = Object.entries(query.properties ?? {}).map(([name, schema]) => ({
    name,
    in: 'query',
    required: query.required?.includes(name) ?? false,
    schema,
  }))
  return [...inPath, ...inQuery]
}

function answerOf(route: Route, output: Schemas): Json {
  if (route.answer === null) return { description: 'Done; no content.' }
  const content: Json =
    typeof route.answer === 'string'
      ? { [route.answer]: { schema: { type: 'string' } } }
      : { 'application/json': { schema: output.use(route.answer) } }
  for (const type of route.alsoAnswers ?? []) content[type] = { schema: {} }
  return { description: route.summary, content }
}

/**
 * The interface as an OpenAPI 3.1 document. `version` is the version of the service. Operation ids are the keys of the
 * route table; paths are below `/api` (the document's server).
 */
export function openApiDocument(version: string): Json {
  const input = new Schemas('input')
  const output = new Schemas('output')
  const both = differing(input, output)
  const sent = new Set<string>(['Id'])
  const answered = new Set<string>(['Problem', 'ServerEvent'])
  const paths: Record<string, Json> = {}
  const operations: { operation: Json; route: Route }[] = []
  for (const [key, route] of Object.entries<Route>(routes)) {
    if (route.body) for (const name of refsOf(input.use(route.body))) sent.add(name)
    if (route.answer instanceof z.ZodType)
      for (const name of refsOf(output.use(route.answer))) answered.add(name)
    const operation: Json = {
      operationId: key,
      summary: route.summary,
      tags: [route.path.split('/')[1]],
    }
    if (route.open) operation.security = []
    paths[route.path] = { ...paths[route.path], [route.method]: operation }
    operations.push({ operation, route })
  }
  const allSent = reachable(sent, input)
  const allAnswered = reachable(answered, output)
  const stored = (name: string) => (both.has(name) && allSent.has(name) ? storedName(name) : name)
  const keep = (name: string) => name

  for (const { operation, route } of operations) {
    const parameters = parametersOf(route, input)
    if (parameters.length > 0) operation.parameters = mapRefs(parameters, keep)
    if (route.body)
      operation.requestBody = {
        required: true,
        content: { 'application/json': { schema: mapRefs(input.use(route.body), keep) } },
      }
    if (route.binary)
      operation.requestBody = {
        required: true,
        content: { 'application/octet-stream': { schema: { type: 'string', format: 'binary' } } },
      }
    operation.responses = {
      [route.status]: mapRefs(answerOf(route, output), stored),
      default: {
        description: 'What is wrong, and in which fields.',
        content: { 'application/problem+json': { schema: { $ref: `${PREFIX}Problem` } } },
      },
    }
  }

  const schemas: Json = {}
  for (const name of Object.keys(named).sort()) {
    if (allSent.has(name)) schemas[name] = mapRefs(input.raw(name), keep)
    if (allAnswered.has(name)) schemas[stored(name)] = mapRefs(output.raw(name), stored)
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'HiveMind',
      version,
      description: 'Projects, explorations, deployments and runs of cloud-edge swarm workflows.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/api' }],
    security: [{}, { session: [] }, { basic: [] }],
    paths,
    components: {
      schemas,
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'hivemind_session' },
        basic: { type: 'http', scheme: 'basic' },
      },
    },
  }
}
