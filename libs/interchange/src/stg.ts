/** Standard Task Graphs (Kasahara Laboratory, Waseda University): a number of tasks, then one line for each task. */
import { convert, type Imported } from './convert.ts'
import { checkLength, ImportError, quoted } from './error.ts'
import { MAX_EDGES, MAX_TASKS, type TraceTask } from './trace.ts'

/** How the unitless numbers of a Standard Task Graph become times and sizes. */
export interface StgOptions {
  /** A name for the workflow; 'stg' when not given. */
  name?: string
  /** Milliseconds of the reference core that one unit of processing time stands for; 100 when not given. */
  msPerUnit?: number
  /** Bytes that one unit of communication time stands for; 1,000,000 when not given. */
  bytesPerUnit?: number
}

const MAX_UNITS = 1e9
/** Long enough for a task with every other task as a parent. */
const MAX_LINE_LENGTH = 1_000_000

interface Row {
  id: number
  units: number
  parents: { id: number; units?: number }[]
  where: string
}

/**
 * Reads a Standard Task Graph. Each task line is `number time predecessors ...`; with communication times, each
 * predecessor has a line of its own, `number time`, below its task. The two dummy tasks at the ends are left out.
 * @throws ImportError when it is no task graph; the message says in which line
 */
export function readStg(text: string, options: StgOptions = {}): Imported {
  checkLength(text)
  const { name = 'stg', msPerUnit = 100, bytesPerUnit = 1e6 } = options
  const { announced, rows, costs } = rowsOf(text)
  if (rows.length < announced || rows.length > announced + 2)
    throw new ImportError(
      'line 1',
      `${announced} tasks are announced (and up to two dummy tasks), but ${rows.length} follow; is the file whole?`,
    )
  const notes: string[] = []
  const kept = removeDummies(rows, rows.length - announced, notes)
  const sizes = new Map<string, number | undefined>()
  const label = (id: number) => `task${id}`
  if (costs) {
    for (const { parents } of kept)
      for (const { id, units = 0 } of parents) {
        const file = `${label(id)}.out`
        sizes.set(file, Math.max(sizes.get(file) ?? 0, Math.round(units * bytesPerUnit)))
      }
    notes.push(
      `One unit of communication time stands for ${bytesPerUnit.toLocaleString('en')} bytes. A task hands the same data to all its children here, so each output has the size of its dearest edge.`,
    )
  } else notes.push('Its edges are without communication: they only say what runs before what.')
  notes.push(`One unit of processing time stands for ${msPerUnit} ms on the reference core.`)
  const tasks = kept.map(({ id, units, parents, where }): TraceTask => {
    const files = parents.map((parent) => `${label(parent.id)}.out`)
    return {
      id: label(id),
      label: label(id),
      parents: [...new Set(parents.map((parent) => label(parent.id)))],
      reads: costs ? [...new Set(files)] : [],
      writes: sizes.has(`${label(id)}.out`) ? [`${label(id)}.out`] : [],
      serviceMs: units * msPerUnit,
      where,
    }
  })
  return convert({
    name,
    about: `Standard Task Graph ${quoted(name)}, ${tasks.length} ${tasks.length === 1 ? 'task' : 'tasks'}.`,
    tasks,
    sizes,
    origin: 'assumed',
    notes,
  })
}

function rowsOf(text: string): { announced: number; rows: Row[]; costs: boolean } {
  let announced: number | undefined
  let last: Row | undefined
  let expected = 0
  let costs = false
  let edges = 0
  const rows: Row[] = []
  const known = new Set<number>()
  for (const { line, where } of linesOf(text)) {
    const numbers = line.split(/\s+/).map((word) => numberOf(word, where))
    const [id, units = 0, count, ...others] = numbers
    if (announced === undefined) {
      announced = whole(id, where, 'The number of tasks')
      if (announced > MAX_TASKS)
        throw new ImportError(where, `${announced} tasks are announced; at most ${MAX_TASKS} are read.`)
    } else if (expected > 0 && last) {
      if (numbers.length !== 2)
        throw new ImportError(
          where,
          `a predecessor and its communication time belong here, two numbers, but there are ${numbers.length}.`,
        )
      last.parents.push({ id: whole(id, where, 'A predecessor'), units })
      expected--
    } else {
      if (count === undefined)
        throw new ImportError(
          where,
          `a task needs at least three numbers (its own, its time, how many predecessors), but there are ${numbers.length}.`,
        )
      const own = whole(id, where, 'The number of a task')
      if (known.has(own)) throw new ImportError(where, `task ${own} is there twice.`)
      known.add(own)
      if (known.size > MAX_TASKS + 2)
        throw new ImportError(where, `there are more than ${MAX_TASKS} tasks, the most that is taken.`)
      const wanted = whole(count, where, 'The number of predecessors')
      edges += wanted
      if (edges > MAX_EDGES)
        throw new ImportError(
          where,
          `there are more than ${MAX_EDGES} edges up to here, the most that is taken.`,
        )
      if (others.length === 0 && wanted > 0) {
        costs = true
        expected = wanted
      } else if (others.length !== wanted)
        throw new ImportError(
          where,
          `task ${own} announces ${wanted} predecessors, but ${others.length} follow.`,
        )
      last = {
        id: own,
        units,
        parents: others.map((parent) => ({ id: whole(parent, where, 'A predecessor') })),
        where,
      }
      rows.push(last)
    }
  }
  if (announced === undefined)
    throw new ImportError('the whole file', 'it holds no numbers; is it the right file?')
  if (expected > 0 && last)
    throw new ImportError(last.where, `${expected} predecessors of task ${last.id} are missing at the end.`)
  for (const { parents, where } of rows)
    for (const { id } of parents)
      if (!known.has(id)) throw new ImportError(where, `its predecessor ${id} is no task of this file.`)
  return { announced, rows, costs }
}

/** The lines that are not empty, without comments behind '#'. */
function* linesOf(text: string): Generator<{ line: string; where: string }> {
  let number = 0
  for (let from = 0; from <= text.length; ) {
    const end = text.indexOf('\n', from)
    const to = end < 0 ? text.length : end
    number++
    if (to - from > MAX_LINE_LENGTH)
      throw new ImportError(
        `line ${number}`,
        `it has ${to - from} characters; at most ${MAX_LINE_LENGTH} are read. Is this a task graph?`,
      )
    const line = to > from ? text.slice(from, to).split('#', 1)[0]?.trim() : ''
    if (line) yield { line, where: `line ${number}` }
    from = to + 1
  }
}

function numberOf(word: string, where: string): number {
  const value = Number(word)
  if (!/^\d+(\.\d+)?$/.test(word) || value > MAX_UNITS)
    throw new ImportError(
      where,
      `${quoted(word)} is no number from 0 to ${MAX_UNITS.toLocaleString('en')}; is this a task graph?`,
    )
  return value
}

function whole(value: number | undefined, where: string, what: string): number {
  if (value === undefined || !Number.isInteger(value))
    throw new ImportError(where, `${what} must be a whole number, not ${value}.`)
  return value
}

/** Removes the dummy tasks at the ends, which take no time and are not in the announced number. */
function removeDummies(rows: Row[], beyond: number, notes: string[]): Row[] {
  const inner = new Set(rows.flatMap(({ parents }) => parents.map(({ id }) => id)))
  const dummies = new Set<number>()
  const first = rows[0]
  const last = rows.at(-1)
  if (beyond > 0 && last && last.units === 0 && !inner.has(last.id)) dummies.add(last.id)
  if (beyond > dummies.size && first && first.units === 0 && first.parents.length === 0) dummies.add(first.id)
  if (dummies.size === 0 || dummies.size === rows.length) return rows
  notes.push(
    dummies.size === 1
      ? `The dummy task ${[...dummies][0]}, which takes no time, is left out.`
      : 'The two dummy tasks at the ends, which take no time, are left out.',
  )
  return rows
    .filter(({ id }) => !dummies.has(id))
    .map((row) => ({ ...row, parents: row.parents.filter(({ id }) => !dummies.has(id)) }))
}
