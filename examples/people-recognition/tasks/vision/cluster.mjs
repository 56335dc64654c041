// Groups points of length 1 by average linkage over their cosines.

/** Groups of indexes; two groups are joined while the mean cosine between them is at least `threshold`. */
export function cluster(points, threshold) {
  const groups = points.map((_, index) => [index])
  const cosine = points.map((a) => points.map((b) => a.reduce((sum, value, at) => sum + value * b[at], 0)))
  const mean = groups.map((_, a) => groups.map((_, b) => cosine[a][b]))
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
