/** "Did you mean": the known name that a wrong one most likely stands for. */

/**
 * The one of `known` nearest to `word`, or `null` when none is near or two are equally near. Near means: equal but for
 * case and underscores, one the beginning of the other (from four letters), or a few letters apart.
 */
export function nearest(word: string, known: Iterable<string>): string | null {
  let best: string | null = null
  let bestScore = Number.POSITIVE_INFINITY
  let tie = false
  for (const candidate of known) {
    if (candidate === word) continue
    const score = distance(word, candidate)
    if (score < bestScore) {
      best = candidate
      bestScore = score
      tie = false
    } else if (score === bestScore) tie = true
  }
  return bestScore <= 1 && !tie ? best : null
}

/** 0 for the same word in another dress, up to 1 for words that may still be meant, above 1 for others. */
function distance(a: string, b: string): number {
  const [left, right] = [plain(a), plain(b)]
  if (left === right) return 0
  const [short, long] = left.length < right.length ? [left, right] : [right, left]
  if (short.length >= 4 && long.startsWith(short)) return 0.5
  const allowed = Math.floor(Math.max(short.length, 3) / 3)
  if (long.length - short.length > allowed || long.length > 100) return 2
  return edits(short, long) / allowed <= 1 ? edits(short, long) / (allowed + 1) : 2
}

const plain = (word: string) => word.toLowerCase().replace(/[_\s-]/g, '')

/** Optimal string alignment: insertions, deletions, replacements and swaps of neighbours. */
function edits(a: string, b: string): number {
  let before: number[] = []
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++) {
      const same = a[row - 1] === b[column - 1] ? 0 : 1
      let cost = Math.min(
        (previous[column] ?? 0) + 1,
        (current[column - 1] ?? 0) + 1,
        (previous[column - 1] ?? 0) + same,
      )
      if (row > 1 && column > 1 && a[row - 1] === b[column - 2] && a[row - 2] === b[column - 1])
        cost = Math.min(cost, (before[column - 2] ?? 0) + 1)
      current.push(cost)
    }
    before = previous
    previous = current
  }
  return previous[b.length] ?? 0
}

/** `'a', 'b' or 'c'`. */
export function oneOf(names: readonly string[]): string {
  const quoted = names.map((name) => `'${name}'`)
  return quoted.length < 2
    ? (quoted[0] ?? 'nothing')
    : `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}
