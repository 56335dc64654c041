/** Breaks a long layout into rows, so that its tasks are not drawn tiny. Pure. */
import { NODE_HEIGHT, NODE_WIDTH, type Point } from './card.ts'

/** Width over height of the space a workflow is shown in: the canvas between palette and text. */
const ASPECT = 1.1
/** Space between two rows: an edge from the end of one to the beginning of the next runs there. */
const GAP_ROWS = 76
/** A layout is broken only when that draws tasks at least this many times as large. */
const GAIN = 1.25

/** So many columns are legible in one row on a small screen. */
const SHORT = 4
/** Rows are not made shorter than this: a workflow reads from left to right. */
const LEAST_COLUMNS = 3

interface Column {
  x: number
  tasks: string[]
}

/** Tasks by their distance from the left; a task that overlaps the first of a column in width belongs to that column. */
function columnsOf(points: Readonly<Record<string, Point>>): Column[] {
  const columns: Column[] = []
  for (const [task, { x }] of Object.entries(points).sort(([, a], [, b]) => a.x - b.x)) {
    const last = columns.at(-1)
    if (last && x < last.x + NODE_WIDTH) last.tasks.push(task)
    else columns.push({ x, tasks: [task] })
  }
  return columns
}

/** So many rows of about equally many columns. */
function rowsOf(columns: readonly Column[], count: number): Column[][] {
  return Array.from({ length: count }, (_, row) =>
    columns.slice(
      Math.round((row * columns.length) / count),
      Math.round(((row + 1) * columns.length) / count),
    ),
  )
}

/**
 * The same layout from left to right, broken into as many rows as make it largest on a canvas; unchanged when rows would not make
 * it at least a quarter larger. Within a row tasks keep their places to each other.
 */
export function wrapped(points: Readonly<Record<string, Point>>): Record<string, Point> {
  const columns = columnsOf(points)
  const at = (task: string): Point => points[task] as Point
  const boxOf = (row: readonly Column[]) => {
    const all = row.flatMap(({ tasks }) => tasks.map(at))
    const [top, bottom] = [Math.min(...all.map(({ y }) => y)), Math.max(...all.map(({ y }) => y))]
    const left = Math.min(...all.map(({ x }) => x))
    return {
      left,
      top,
      width: Math.max(...all.map(({ x }) => x)) + NODE_WIDTH - left,
      height: bottom + NODE_HEIGHT - top,
    }
  }
  const sizeWith = (rows: readonly Column[][]): number => {
    const boxes = rows.map(boxOf)
    const width = Math.max(...boxes.map((box) => box.width))
    const height = boxes.reduce((sum, box) => sum + box.height, (rows.length - 1) * GAP_ROWS)
    return Math.min(ASPECT / width, 1 / height)
  }
  if (columns.length <= SHORT) return { ...points }
  let best = [columns]
  let size = sizeWith(best)
  const wanted = size * GAIN
  for (let count = 2; count <= Math.ceil(columns.length / LEAST_COLUMNS); count++) {
    const rows = rowsOf(columns, count)
    const now = sizeWith(rows)
    if (now <= size) break
    ;[best, size] = [rows, now]
  }
  if (size < wanted) return { ...points }
  const result: Record<string, Point> = {}
  const { left: start } = boxOf(best[0] as Column[])
  let top = Math.min(...Object.values(points).map(({ y }) => y))
  for (const row of best) {
    const box = boxOf(row)
    for (const { tasks } of row)
      for (const task of tasks)
        result[task] = { x: at(task).x - box.left + start, y: at(task).y - box.top + top }
    top += box.height + GAP_ROWS
  }
  return result
}
