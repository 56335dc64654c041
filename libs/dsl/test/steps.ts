/** Counts the steps that work on texts takes, so that a test can hold its growth without a clock. */

/** What a call of each method costs, in characters it looks at. */
const COSTS: Record<string, (text: string, args: readonly unknown[], result: unknown) => number> = {
  charAt: () => 1,
  charCodeAt: () => 1,
  codePointAt: () => 1,
  startsWith: (_, [part]) => String(part).length,
  slice: (_, __, result) => String(result).length,
  trim: (text, _, result) => text.length - String(result).length + 1,
  trimStart: (text, _, result) => text.length - String(result).length + 1,
  trimEnd: (text, _, result) => text.length - String(result).length + 1,
}

/** Whether a pattern begins with a class, an escape or a dot that is repeated without a bound, and goes on behind it. */
function beginsWithRepeat(source: string): boolean {
  const end = source[0] === '[' ? source.indexOf(']') : source[0] === '\\' ? 1 : source[0] === '.' ? 0 : -1
  return end >= 0 && '*+'.includes(source[end + 1] ?? ' ') && source.length > end + 2
}

/** What one match costs; `from` is where it was looked for. */
function costOfMatch({ sticky, source }: RegExp, text: string, from: number, match: RegExpExecArray | null) {
  if (sticky || source[0] === '^') return 1 + (match?.[0].length ?? 0)
  const starts = (match?.index ?? text.length) - from
  return 1 + (match?.[0].length ?? 0) + (beginsWithRepeat(source) ? (starts * starts) / 2 : starts)
}

/**
 * Runs `work`, which must not wait for anything, and returns how many characters it looked at through the methods of
 * strings and through regular expressions: from where a match is looked for to where it ends, or to the end of the text
 * when there is none; for a sticky or anchored one only what it matches. One that begins with a repeat and is not anchored
 * may run on from every place it starts at, and is counted so. Other backtracking inside one match is not seen.
 */
export function stepsOf(work: () => void): number {
  let steps = 0
  const strings = String.prototype as unknown as Record<string, (...args: unknown[]) => unknown>
  const before = Object.keys(COSTS).map((name) => [name, strings[name]] as const)
  const { exec } = RegExp.prototype
  for (const [name, method] of before) {
    if (!method) throw new Error(`There is no method '${name}'.`)
    strings[name] = function (this: string, ...args: unknown[]) {
      const result = method.apply(this, args)
      steps += COSTS[name]?.(this, args, result) ?? 0
      return result
    }
  }
  RegExp.prototype.exec = function (text) {
    const from = this.global || this.sticky ? this.lastIndex : 0
    const match = exec.call(this, text)
    steps += costOfMatch(this, text, from, match)
    return match
  }
  try {
    work()
  } finally {
    RegExp.prototype.exec = exec
    for (const [name, method] of before) if (method) strings[name] = method
  }
  return steps
}
