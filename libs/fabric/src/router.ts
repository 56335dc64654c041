/** When a route is given up: both are more than twice what any route needed that ended (docs/bench/fabric-build.md). */
export const PATIENCE = {
  /** Steps of the router in which fewer connections remain at no time. */
  steps: 30_000,
  /** Connections that remain, above the fewest that did. */
  connections: 5_000,
}

/** How far the router is, counted in connections between cells. */
export interface Routing {
  made: number
  of: number
}

const TABLE = /^Info:\s+(\d+) \|\s+\d+\s+\d+ \|\s*-?\d+\s+-?\d+ \|\s+(\d+)\|/

/**
 * What nextpnr's router tells of its work, line by line. It may go in circles: each connection that it makes takes the wires of others.
 * Whether it does is judged by its steps, not by time, so that equal builds have equal ends on every machine.
 */
export class Router {
  #connections = 0
  #fewest = Number.POSITIVE_INFINITY
  #fewestAt = 0
  /** Why the route will not end, as far as can be seen. */
  problem?: string

  /** Reads a line of the log; gives how far the router is, where the line says it. */
  read(line: string): Routing | undefined {
    const begin = /^Info: Routing (\d+) arcs\.$/.exec(line)
    if (begin) this.#connections = Number(begin[1])
    const [, step, left] = (TABLE.exec(line) ?? []).map(Number)
    if (step === undefined || left === undefined) return
    if (left < this.#fewest) {
      this.#fewest = left
      this.#fewestAt = step
    }
    if (step - this.#fewestAt >= PATIENCE.steps)
      this.problem = `the router goes in circles: ${this.#fewest} of ${this.#connections} connections were left at its step ${this.#fewestAt}, and never fewer in ${PATIENCE.steps} more`
    else if (left - this.#fewest >= PATIENCE.connections)
      this.problem = `the router goes in circles: ${this.#fewest} of ${this.#connections} connections were left at its step ${this.#fewestAt}, and ${left} at step ${step}`
    return { made: Math.max(0, this.#connections - left), of: Math.max(this.#connections, left) }
  }
}
