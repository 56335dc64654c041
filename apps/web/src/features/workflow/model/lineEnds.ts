/**
 * Line ends. The editors and the document use only '\n'; a file may use others, even mixed. Lines that the user did not
 * touch are written back with their original ends.
 */

/** The text with '\n' as line ends. */
export const unified = (text: string): string => text.replace(/\r\n?/g, '\n')

/** Pairs of old and new line numbers of equal lines. The lines between two pairs were rewritten. */
function alike(
  before: readonly string[],
  after: readonly string[],
  from: number,
  to: number,
  newFrom: number,
  newTo: number,
  pair: (old: number, now: number) => void,
): void {
  while (from < to && newFrom < newTo && before[from] === after[newFrom]) pair(from++, newFrom++)
  while (from < to && newFrom < newTo && before[to - 1] === after[newTo - 1]) pair(--to, --newTo)
  if (from === to || newFrom === newTo) return
  const anchors = inOrder(onceInBoth(before, after, from, to, newFrom, newTo))
  if (anchors.length === 0) {
    // Lines that were changed in place keep their ends.
    for (let step = 0; from + step < to && newFrom + step < newTo; step++) pair(from + step, newFrom + step)
    return
  }
  for (const [old, now] of [...anchors, [to, newTo] as const]) {
    alike(before, after, from, old, newFrom, now, pair)
    if (old < to) pair(old, now)
    from = old + 1
    newFrom = now + 1
  }
}

type Pair = readonly [old: number, now: number]

/** Lines that occur exactly once in each of the two ranges, in the order of the new one. */
function onceInBoth(
  before: readonly string[],
  after: readonly string[],
  from: number,
  to: number,
  newFrom: number,
  newTo: number,
): Pair[] {
  const seen = new Map<string, { old: number[]; now: number[] }>()
  const note = (line: string, side: 'old' | 'now', at: number): void => {
    const places = seen.get(line) ?? { old: [], now: [] }
    places[side].push(at)
    seen.set(line, places)
  }
  for (let at = from; at < to; at++) note(before[at] ?? '', 'old', at)
  for (let at = newFrom; at < newTo; at++) note(after[at] ?? '', 'now', at)
  return [...seen.values()]
    .flatMap(({ old: [old, ...moreOld], now: [now, ...moreNow] }): Pair[] =>
      old !== undefined && now !== undefined && moreOld.length + moreNow.length === 0 ? [[old, now]] : [],
    )
    .sort((a, b) => a[1] - b[1])
}

/** The longest subsequence of these pairs, which are sorted by new line, that is also sorted by old line. */
function inOrder(pairs: readonly Pair[]): Pair[] {
  const piles: number[] = []
  const previous: number[] = []
  pairs.forEach(([old], index) => {
    let low = 0
    let high = piles.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pairs[piles[middle] ?? 0]?.[0] ?? 0) < old) low = middle + 1
      else high = middle
    }
    previous[index] = low > 0 ? (piles[low - 1] ?? -1) : -1
    piles[low] = index
  })
  const run: Pair[] = []
  for (let at = piles.at(-1) ?? -1; at >= 0; at = previous[at] ?? -1) {
    const pair = pairs[at]
    if (pair) run.push(pair)
  }
  return run.reverse()
}

/**
 * `text`, which uses '\n', with the line ends of `source`, from which it was edited. A line that is unchanged or was changed
 * in place keeps its end; a new line gets the end of the line above it.
 */
export function withLineEnds(text: string, source: string): string {
  if (!source.includes('\r')) return text
  const before = unified(source)
  if (text === before) return source
  const ends = source.match(/\r\n?|\n/g) ?? []
  const [first = '\n'] = ends
  if (ends.every((end) => end === first)) return text.replaceAll('\n', first)
  const lines = text.split('\n')
  const kept: (string | undefined)[] = []
  const old = before.split('\n')
  alike(old, lines, 0, old.length, 0, lines.length, (was, now) => {
    kept[now] = ends[was]
  })
  let end = first
  return lines
    .map((line, at) => {
      if (at === lines.length - 1) return line
      const own = kept[at] ?? end
      // A '\r' followed, after an empty line, by a '\n' would be read as one line end.
      end = end === '\r' && own === '\n' && line === '' && at > 0 ? '\r' : own
      return line + end
    })
    .join('')
}
