/** Comma-separated values after RFC 4180, safe to open in a spreadsheet. */

export type Cell = string | number | boolean | null | undefined

function field(cell: Cell): string {
  if (cell === null || cell === undefined) return ''
  if (typeof cell !== 'string') return String(cell)
  // A spreadsheet would read text that starts like this as a formula.
  const text = /^[=+\-@\t\r]/.test(cell) ? `'${cell}` : cell
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

/** The text of a CSV file with a header line. */
export const csv = (head: readonly string[], rows: readonly (readonly Cell[])[]): string =>
  [head, ...rows].map((row) => `${row.map(field).join(',')}\r\n`).join('')
