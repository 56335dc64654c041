/** Binds the lambdas of a data-flow graph to a store. */
import { createHash } from 'node:crypto'
import type { Binding, Lambda, LambdaObject, LambdaOptions, LambdaStatistics, Store } from '../contract.ts'
import { holds } from '../paths.ts'
import type { DataFlowGraph, GraphLambda, GraphVertex } from './format.ts'
import { checkGraph, GraphError } from './parse.ts'

/** How a graph is bound. */
export interface GraphOptions {
  /** Called when an invocation fails. */
  onError?: (error: Error, object: LambdaObject, lambda: { pathname: string; id: string }) => void
}

/** Counts of a lambda of a graph. */
export interface GraphStatistics extends LambdaStatistics {
  pathname: string
  id: string
}

/** A bound graph. */
export interface GraphBinding {
  /** Counts of each lambda, in the order of the file. */
  statistics(): Promise<GraphStatistics[]>
  /** Resolves when nothing is queued or running in the whole graph. */
  drained(): Promise<void>
  /** Closes its bindings. */
  close(): Promise<void>
}

const HOOKS = { trigger: 'trigger', ordered: 'put', both: 'both' } as const

/**
 * Creates the pools of a graph where they are not there, and binds its lambdas. Rejects with `GraphError`, before anything is
 * bound, when the graph has faults, a lambda has no code, or a path lies in no pool.
 * @param lambdas the code of each lambda by its id
 */
export async function bindGraph(
  store: Store,
  graph: DataFlowGraph,
  lambdas: Readonly<Record<string, Lambda>>,
  options: GraphOptions = {},
): Promise<GraphBinding> {
  checkGraph(graph, `The graph '${graph.id}'`)
  await checkGround(store, graph, lambdas)
  for (const { pathname, ...pool } of graph.pools ?? []) await store.createPool(pathname, pool)
  const bound: { pathname: string; id: string; binding: Binding }[] = []
  const close = async () => {
    await Promise.all(bound.map(({ binding }) => binding.close()))
  }
  try {
    for (const vertex of graph.graph)
      for (const lambda of vertex.lambdas) {
        const { pathname } = vertex
        const { id } = lambda
        const { onError } = options
        const binding = await store.bind(pathname, lambdas[id] as Lambda, {
          ...lambdaOptions(graph.id, vertex, lambda, store.isShared),
          ...(onError && { onError: (error, object) => onError(error, object, { pathname, id }) }),
        })
        bound.push({ pathname, id, binding })
      }
  } catch (error) {
    await close()
    throw error
  }
  const statistics = () =>
    Promise.all(
      bound.map(async ({ pathname, id, binding }) => ({ pathname, id, ...(await binding.statistics()) })),
    )
  return { statistics, drained: () => drained(bound, statistics), close }
}

/** The options that a lambda of a graph is bound with. */
function lambdaOptions(
  graph: string,
  vertex: GraphVertex,
  lambda: GraphLambda,
  isShared: boolean,
): LambdaOptions {
  const { id, stateful = false, hooks = 'both', destinations = [], dispatch = 'any', ...options } = lambda
  const isGroup = isShared && vertex.dispatcher !== 'all'
  return {
    on: HOOKS[hooks],
    order: stateful ? 'key' : 'none',
    ...options,
    destinations: destinations.flatMap((each) =>
      Object.entries(each).map(([path, by]) => ({
        path,
        by: by === 'put' ? ('put' as const) : ('trigger' as const),
      })),
    ),
    ...(isGroup && { group: groupOf(graph, vertex.pathname, id), dispatch }),
  }
}

/** Name of the group that the processes share which bind a lambda: the same for the same graph, path and id. */
function groupOf(graph: string, pathname: string, id: string): string {
  const hash = createHash('sha256').update(`${graph}\0${id}\0${pathname}`).digest('hex').slice(0, 16)
  return `${`${graph}.${id}`.slice(0, 80)}.${hash}`
}

async function checkGround(
  store: Store,
  graph: DataFlowGraph,
  lambdas: Readonly<Record<string, Lambda>>,
): Promise<void> {
  const pools = [
    ...(await store.listPools()).map(({ path }) => path),
    ...(graph.pools ?? []).map(({ pathname }) => pathname),
  ]
  const problems: string[] = []
  const needsPool = (at: string, path: string) => {
    if (!pools.some((pool) => holds(pool, path)))
      problems.push(`${at} '${path}' lies in no pool: create one, or name it in pools.`)
  }
  for (const [index, vertex] of graph.graph.entries()) {
    needsPool(`graph[${index}].pathname`, vertex.pathname)
    for (const [at, { id, destinations = [] }] of vertex.lambdas.entries()) {
      const place = `graph[${index}].lambdas[${at}]`
      if (!Object.hasOwn(lambdas, id)) {
        const known = Object.keys(lambdas).join(', ') || 'none'
        problems.push(`${place} is '${id}', of which there is no code: add it to the lambdas (${known}).`)
      }
      for (const path of destinations.flatMap(Object.keys)) needsPool(`${place}.destinations:`, path)
    }
  }
  if (problems.length > 0) throw new GraphError(`The graph '${graph.id}'`, problems)
}

/** What ends at one lambda may begin at others: waits until all have been idle and none has ended anything meanwhile. */
async function drained(
  bound: readonly { binding: Binding }[],
  statistics: () => Promise<GraphStatistics[]>,
): Promise<void> {
  const summary = (all: readonly GraphStatistics[]) => ({
    busy: all.reduce((sum, { queued, running }) => sum + queued + running, 0),
    ended: all.reduce((sum, { done, failed, dropped }) => sum + done + failed + dropped, 0),
  })
  for (let ended = -1; ; ) {
    for (const { binding } of bound) await binding.drained()
    const now = summary(await statistics())
    if (now.busy === 0 && now.ended === ended) return
    ended = now.ended
  }
}
