/** The numbers behind a plot, to take away. */
import { type Cell, csv } from '../../reports/csv.ts'

export interface PlotData {
  /** What the plot shows, for the file's name. */
  name: string
  head: readonly string[]
  /** Worked out when somebody takes them. */
  rows: () => readonly (readonly Cell[])[]
}

export const csvOf = ({ head, rows }: PlotData): string => csv(head, rows())

/** A list of records: one for each row, named as the columns. */
const recordsOf = ({ head, rows }: PlotData): Record<string, Cell>[] =>
  rows().map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? null])))

export const jsonOf = (data: PlotData): string => `${JSON.stringify(recordsOf(data), null, 2)}\n`
