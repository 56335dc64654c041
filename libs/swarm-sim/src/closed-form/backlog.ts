/**
 * Waits that grow over the run, by the resource that causes them; each resource counts once on a chain of tasks. A
 * chain shares what it has in common with the chain that it goes on from, so that going on costs no copy; nothing is
 * ever changed in place.
 */
export interface Backlog {
  readonly resource: string
  /** At the end of the run. */
  readonly ms: number
  readonly before: Backlog | undefined
  /** Of this and all before, in ms. */
  readonly sumMs: number
}

function linked(before: Backlog | undefined, resource: string, ms: number): Backlog {
  return { resource, ms, before, sumMs: (before?.sumMs ?? 0) + ms }
}

function find(all: Backlog | undefined, resource: string): Backlog | undefined {
  let each = all
  while (each && each.resource !== resource) each = each.before
  return each
}

/** The backlogs from the first to the last. */
export function inOrder(all: Backlog | undefined): Backlog[] {
  const found: Backlog[] = []
  for (let each = all; each; each = each.before) found.push(each)
  return found.reverse()
}

/** `all` with one more; a resource that is known keeps its place and takes the new value. */
export function withOne(all: Backlog | undefined, resource: string, ms: number): Backlog {
  const known = find(all, resource)
  if (!all || !known) return linked(all, resource, ms)
  if (known.ms === ms) return all
  const later = inOrder(all).slice(inOrder(known).length)
  return later.reduce((sum, each) => linked(sum, each.resource, each.ms), linked(known.before, resource, ms))
}

/** The backlogs of `a`, then those of `b` that `a` lacks; where both know a resource, the value of `b`. */
export function joined(a: Backlog | undefined, b: Backlog | undefined): Backlog | undefined {
  if (!a || !b) return a ?? b
  return withOne(joined(a, b.before), b.resource, b.ms)
}
