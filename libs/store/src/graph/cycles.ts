/** Circles in a data-flow graph: a lambda whose results come back to it. */
import { holds } from '../paths.ts'
import type { DataFlowGraph, GraphLambda } from './format.ts'

/** The circles of a graph, each as the paths that an object goes through. One for each vertex that is on any at most. */
export function cyclesOf(graph: DataFlowGraph): string[][] {
  const next = new Map(graph.graph.map(({ pathname, lambdas }) => [pathname, nextOf(graph, lambdas)]))
  const done = new Set<string>()
  const trail: string[] = []
  const cycles: string[][] = []
  const visit = (path: string): void => {
    const start = trail.indexOf(path)
    if (start >= 0) cycles.push([...trail.slice(start), path])
    if (start >= 0 || done.has(path)) return
    trail.push(path)
    for (const other of next.get(path) ?? []) visit(other)
    trail.pop()
    done.add(path)
  }
  for (const path of next.keys()) visit(path)
  return cycles
}

/** Paths of the vertices with lambdas that run for what these lambdas return. */
function nextOf({ graph }: DataFlowGraph, lambdas: readonly GraphLambda[]): string[] {
  const puts = lambdas.flatMap(({ destinations = [] }) => destinations.flatMap(Object.entries<string>))
  return graph
    .filter((vertex) =>
      puts.some(
        ([path, by]) =>
          (holds(vertex.pathname, path) || holds(path, vertex.pathname)) &&
          vertex.lambdas.some(
            ({ hooks = 'both' }) => hooks === 'both' || (hooks === 'trigger') === (by === 'trigger_put'),
          ),
      ),
    )
    .map(({ pathname }) => pathname)
}
