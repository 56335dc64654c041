/** What a bench is and how its result is printed. */

export interface Row {
  /** What was measured, with its version. */
  name: string
  /** Median of the runs, CPU seconds. */
  cpuS: number
  /** Ours on the same instance, when a bench has several. */
  oursS?: number
  /** Other figures, by heading. */
  figures: Record<string, string>
}

export interface Bench {
  name: string
  title: string
  /** The first row is ours; times of the others are also given relative to it. */
  run(): Promise<Row[]>
}

/** A Markdown table; `ratio` says how many times longer than the first row one takes. */
export function render(rows: Row[]): string {
  const figures = [...new Set(rows.flatMap((row) => Object.keys(row.figures)))]
  const ours = rows[0]?.cpuS ?? 1
  const lines = [
    ['', 'CPU s', 'ratio', ...figures],
    ['---', '---:', '---:', ...figures.map(() => '---:')],
    ...rows.map((row) => [
      row.name,
      Number.isNaN(row.cpuS) ? '' : row.cpuS.toFixed(3),
      Number.isNaN(row.cpuS) ? '' : (row.cpuS / (row.oursS ?? ours)).toFixed(2),
      ...figures.map((heading) => row.figures[heading] ?? ''),
    ]),
  ]
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}
