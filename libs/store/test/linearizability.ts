/**
 * Judges whether operations on one object could have happened one after another, each at some moment between its call and its
 * answer (Herlihy and Wing, "Linearizability", 1990), by trying the possible orders depth first (Wing and Gong, 1993).
 */

/** One operation on an object whose state is a text; '' means that there is no object. */
export interface Operation {
  /** When it was called and answered, by one clock. An operation without an answer ends at infinity, and may not have happened. */
  start: number
  end: number
  /** The state after the operation, or null when it cannot have happened in this state. */
  apply(state: string): string | null
}

interface Position {
  /** All operations before this one have happened. */
  base: number
  /** Later ones that have happened, ascending. */
  ahead: number[]
  state: string
}

/** Whether some order of the operations explains all of them. The first state is ''. */
export function isLinearizable(history: readonly Operation[]): boolean {
  const operations = [...history].sort((a, b) => a.start - b.start)
  const seen = new Set<string>()
  const open: Position[] = [{ base: 0, ahead: [], state: '' }]
  for (let position = open.pop(); position; position = open.pop()) {
    const { base, ahead, state } = position
    const pending = pendingOf(operations, base, ahead)
    if (pending.every((at) => operations[at]?.end === Number.POSITIVE_INFINITY)) return true
    for (const at of pending) {
      const next = operations[at]?.apply(state) ?? null
      if (next === null) continue
      const reached = advance(
        base,
        [...ahead, at].sort((a, b) => a - b),
        next,
      )
      const name = `${reached.base} ${reached.ahead} ${next}`
      if (seen.has(name)) continue
      seen.add(name)
      open.push(reached)
    }
  }
  return false
}

/** The operations that may happen next: those called before any that has not happened was answered. */
function pendingOf(operations: readonly Operation[], base: number, ahead: readonly number[]): number[] {
  const pending: number[] = []
  let earliestEnd = Number.POSITIVE_INFINITY
  for (let at = base; at < operations.length; at++) {
    const { start, end } = operations[at] as Operation
    if (start > earliestEnd) break
    if (ahead.includes(at)) continue
    pending.push(at)
    earliestEnd = Math.min(earliestEnd, end)
  }
  return pending
}

function advance(base: number, ahead: number[], state: string): Position {
  let first = base
  while (ahead[first - base] === first) first++
  return { base: first, ahead: ahead.slice(first - base), state }
}
