// Groups by average linkage.

/** Groups of indexes; two groups are joined while the mean of `alike` between them is at least `threshold`. */
export function cluster(alike, threshold) {
  const groups = alike.map((_, index) => [index])
  const mean = alike.map((row) => [...row])
  const alive = new Set(groups.keys())
  for (;;) {
    let best = threshold
    let pair = null
    for (const a of alive)
      for (const b of alive)
        if (a < b && mean[a][b] >= best) {
          best = mean[a][b]
          pair = [a, b]
        }
    if (!pair) return [...alive].map((index) => groups[index])
    const [a, b] = pair
    for (const c of alive)
      if (c !== a && c !== b) {
        const joined =
          (mean[a][c] * groups[a].length + mean[b][c] * groups[b].length) /
          (groups[a].length + groups[b].length)
        mean[a][c] = joined
        mean[c][a] = joined
      }
    groups[a] = [...groups[a], ...groups[b]]
    alive.delete(b)
  }
}
