import { writeSync } from 'node:fs'

const never = new Int32Array(new SharedArrayBuffer(4))

/** Writes the answer to standard output; everything else a command says goes to standard error. */
export function answer(text: string): void {
  let left = Buffer.from(text.endsWith('\n') ? text : `${text}\n`)
  while (left.length > 0)
    try {
      left = left.subarray(writeSync(1, left))
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      // Whoever read it, such as `head`, has enough.
      if (code === 'EPIPE') return
      if (code !== 'EAGAIN') throw error
      // A pipe is full: its reader is slower.
      Atomics.wait(never, 0, 0, 5)
    }
}

export function answerJson(value: unknown): void {
  answer(JSON.stringify(value, null, 2))
}

export function say(text: string): void {
  process.stderr.write(`${text}\n`)
}

/** Lines up columns; numbers are given as text already. The first row is the head. */
export function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/** A figure with three significant digits, never in exponent form. */
export function figure(value: number): string {
  if (!Number.isFinite(value)) return String(value)
  if (value === 0) return '0'
  const digits = Math.max(0, 2 - Math.floor(Math.log10(Math.abs(value))))
  return value.toFixed(Math.min(6, digits))
}
