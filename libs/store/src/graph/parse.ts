/** Reads the file of a data-flow graph, and refuses what cannot be bound. */
import { StoreError } from '../errors.ts'
import { DISPATCHES } from '../lambdas/options.ts'
import { checkPath, holds } from '../paths.ts'
import { newPool } from '../pool-options.ts'
import { cyclesOf } from './cycles.ts'
import { Fields, within } from './fields.ts'
import type { DataFlowGraph, GraphPool } from './format.ts'

const MAX_CONCURRENCY = 1_024
const MAX_CORE = 65_535
const MAX_TIMEOUT_MS = 86_400_000
const GRAPH_FIELDS = ['id', 'desc', 'pools', 'graph']
const POOL_FIELDS = ['pathname', 'persistence', 'retention', 'affinity']
const VERTEX_FIELDS = ['pathname', 'dispatcher', 'lambdas']
const LAMBDA_FIELDS = [
  ...['id', 'stateful', 'hooks', 'config', 'destinations'],
  ...['concurrency', 'cores', 'timeoutMs', 'dispatch'],
]

/** The file of a data-flow graph has faults. */
export class GraphError extends StoreError {
  override readonly name = 'GraphError'
  /** A sentence for each fault: where it is in the file, and how to mend it. */
  readonly problems: readonly string[]

  constructor(source: string, problems: readonly string[]) {
    super(
      `${source} is no data-flow graph that can be bound:\n${problems.map((one) => `- ${one}`).join('\n')}`,
    )
    this.problems = problems
  }
}

/**
 * The graph that a file holds. Throws `GraphError` with every fault of the file.
 * @param text JSON
 * @param source name of the file, for messages
 */
export function parseGraph(text: string, source = 'The text'): DataFlowGraph {
  let data: unknown
  try {
    data = JSON.parse(text)
  } catch (error) {
    throw new GraphError(source, [`It is not JSON: ${(error as Error).message}. Correct it there.`])
  }
  return checkGraph(data, source)
}

/** The same for data that is parsed already. Throws `GraphError`. */
export function checkGraph(data: unknown, source = 'The graph'): DataFlowGraph {
  const fields = new Fields()
  const top = fields.object('', data, GRAPH_FIELDS, ['id', 'graph'])
  if (top) {
    checkName(fields, 'id', top.id)
    fields.text('desc', top.desc, () => true, 'a text')
    for (const [at, pool] of fields.list('pools', top.pools)) checkPool(fields, at, pool)
    for (const [at, vertex] of fields.list('graph', top.graph)) checkVertex(fields, at, vertex)
  }
  if (fields.problems.length === 0) checkWhole(fields, data as DataFlowGraph)
  if (fields.problems.length > 0) throw new GraphError(source, fields.problems)
  return data as DataFlowGraph
}

function checkVertex(fields: Fields, at: string, value: unknown): void {
  const vertex = fields.object(at, value, VERTEX_FIELDS, ['pathname', 'lambdas'])
  if (!vertex) return
  checkPathname(fields, within(at, 'pathname'), vertex.pathname)
  fields.choice(within(at, 'dispatcher'), vertex.dispatcher, ['one', 'all'])
  const ids = new Set<unknown>()
  for (const [place, lambda] of fields.list(within(at, 'lambdas'), vertex.lambdas)) {
    const id = checkLambda(fields, place, lambda)
    if (id !== undefined && ids.has(id))
      fields.fault(
        within(place, 'id'),
        `is '${id}' for the second time in this vertex: remove one of the two`,
      )
    ids.add(id)
  }
}

/** Returns its id. */
function checkLambda(fields: Fields, at: string, value: unknown): unknown {
  const lambda = fields.object(at, value, LAMBDA_FIELDS, ['id'])
  if (!lambda) return undefined
  checkName(fields, within(at, 'id'), lambda.id)
  fields.choice(within(at, 'stateful'), lambda.stateful, [true, false])
  fields.choice(within(at, 'hooks'), lambda.hooks, ['trigger', 'ordered', 'both'])
  fields.whole(within(at, 'concurrency'), lambda.concurrency, 1, MAX_CONCURRENCY)
  fields.whole(within(at, 'timeoutMs'), lambda.timeoutMs, 1, MAX_TIMEOUT_MS)
  for (const [place, core] of fields.list(within(at, 'cores'), lambda.cores))
    fields.whole(place, core, 0, MAX_CORE)
  fields.choice(within(at, 'dispatch'), lambda.dispatch, DISPATCHES)
  if (lambda.stateful === true && (lambda.dispatch === 'round-robin' || lambda.dispatch === 'random'))
    fields.fault(
      within(at, 'dispatch'),
      `is ${lambda.dispatch}, which spreads the objects of one key, and the lambda is stateful: use key or home`,
    )
  for (const [place, destination] of fields.list(within(at, 'destinations'), lambda.destinations))
    for (const [path, by] of Object.entries(fields.record(place, destination) ?? {})) {
      checkPathname(fields, `The destination ${within(place, path)}`, path)
      fields.choice(within(place, path), by, ['put', 'trigger_put'])
    }
  return lambda.id
}

function checkPool(fields: Fields, at: string, value: unknown): void {
  const pool = fields.object(at, value, POOL_FIELDS, ['pathname'])
  if (!pool) return
  checkPathname(fields, within(at, 'pathname'), pool.pathname)
  if (
    pool.retention !== undefined &&
    !fields.object(within(at, 'retention'), pool.retention, ['versions', 'ageMs'], [])
  )
    return
  try {
    newPool(String(pool.pathname), pool as unknown as GraphPool, 0)
  } catch (error) {
    fields.fault(at, `cannot be a pool: ${(error as Error).message.replace(/\.$/, '')}`)
  }
}

/** What only the whole graph shows. */
function checkWhole(fields: Fields, graph: DataFlowGraph): void {
  const vertices = new Map<string, number>()
  for (const [index, { pathname }] of graph.graph.entries()) {
    const first = vertices.get(pathname)
    if (first !== undefined)
      fields.fault(
        `graph[${index}].pathname`,
        `is '${pathname}', as that of graph[${first}]: put the lambdas of both into one vertex`,
      )
    vertices.set(pathname, first ?? index)
  }
  const pools = (graph.pools ?? []).map(({ pathname }) => pathname)
  for (const [index, path] of pools.entries()) {
    const other = pools.findIndex((one, at) => at !== index && holds(one, path))
    if (other >= 0)
      fields.fault(
        `pools[${index}].pathname`,
        `is '${path}', which lies in '${pools[other]}' of pools[${other}]: no pool lies in another, so remove one of the two`,
      )
  }
  for (const cycle of cyclesOf(graph))
    fields.fault(
      `graph`,
      `goes in a circle, ${cycle.join(' -> ')}: what a lambda returns would come back to it for ever. Remove one of these destinations; a lambda that is to go on by itself calls put`,
    )
}

function checkName(fields: Fields, at: string, value: unknown): void {
  const isName = (text: string) => /^[\w.-]{1,100}$/.test(text)
  fields.text(at, value, isName, '1 to 100 letters, digits, points, dashes or underscores')
}

function checkPathname(fields: Fields, at: string, value: unknown): void {
  if (value === undefined) return
  try {
    checkPath(value as string)
  } catch (error) {
    fields.fault(at, `is no path: ${(error as Error).message.replace(/\.$/, '')}`)
  }
}
