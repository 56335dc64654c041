/** Two texts, line by line. Pure. */

/**
 * The lines of both texts in order, each after a sign: ` ` is in both, `-` only in the one before, `+` only in the one after.
 * The fewest signs are used (longest common subsequence); time and memory grow with the product of the lines.
 */
export function lineDiff(before: readonly string[], after: readonly string[]): string[] {
  // common[i][j]: length of the longest common subsequence of the lines from i and from j on
  const width = after.length + 1
  const common = new Uint32Array((before.length + 1) * width)
  const at = (i: number, j: number): number => common[i * width + j] ?? 0
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] =
        before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const lines: string[] = []
  let [i, j] = [0, 0]
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push(` ${before[i++]}`)
      j += 1
    } else if (j === after.length || (i < before.length && at(i + 1, j) >= at(i, j + 1))) {
      lines.push(`-${before[i++]}`)
    } else lines.push(`+${after[j++]}`)
  }
  return lines
}
