/** The numbers behind a plot, for download. */
import { type Cell, csv } from '../../reports/csv.ts'

/** A table of numbers with a name. */
export interface PlotData {
  /** Name of the plot, for the file name. */
  name: string
  head: readonly string[]
  /** Computed only when the file is downloaded. */
  rows: () => readonly (readonly Cell[])[]
}

/** The rows as a CSV file. */
export const csvOf = ({ head, rows }: PlotData): string => csv(head, rows())

/** One record per row, with the column headings as keys. */
const recordsOf = ({ head, rows }: PlotData): Record<string, Cell>[] =>
  rows().map((row) => Object.fromEntries(head.map((name, at) => [name, row[at] ?? null])))

/** The rows as a JSON file. */
export const jsonOf = (data: PlotData): string => `${JSON.stringify(recordsOf(data), null, 2)}\n`
