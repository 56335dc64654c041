/** Histories from the logs of `code/history-writer.ts`. */
import type { Operation } from './linearizability.ts'

/** A line of the log: the call of an operation, or its answer. */
export type LogLine =
  | { id: string; key: string; start: 'put'; value: string; expected?: string }
  | { id: string; key: string; start: 'get' }
  | { id: string; seen?: string; refused?: boolean }

/** The histories in a log, whose lines are in the order of time. What was not answered is undecided. */
export function readLog(log: string): { histories: Operation[][]; operations: number; undecided: number } {
  const histories = new Map<string, Operation[]>()
  const calls = new Map<string, { at: number; line: Extract<LogLine, { key: string }> }>()
  const add = (key: string, operation: Operation) =>
    histories.set(key, [...(histories.get(key) ?? []), operation])
  const putOf =
    ({ value, expected }: { value: string; expected?: string }) =>
    (state: string) =>
      expected === undefined || state === expected ? value : null
  let operations = 0
  // The last line may be cut off.
  for (const [at, text] of log.split('\n').slice(0, -1).entries()) {
    const line = JSON.parse(text) as LogLine
    if ('key' in line) {
      operations++
      calls.set(line.id, { at, line })
      continue
    }
    const call = calls.get(line.id)
    if (!call) throw new Error(`The log has an answer without a call: ${text}`)
    calls.delete(line.id)
    const { start, key } = call.line
    const { seen } = line
    const apply =
      start === 'get'
        ? (state: string) => (state === seen ? state : null)
        : line.refused
          ? refusedOf(call.line as { expected?: string })
          : putOf(call.line)
    add(key, { start: call.at, end: at, apply })
  }
  let undecided = 0
  for (const { at, line } of calls.values()) {
    if (line.start === 'get') continue
    undecided++
    add(line.key, { start: at, end: Number.POSITIVE_INFINITY, apply: putOf(line) })
  }
  return { histories: [...histories.values()], operations, undecided }
}

/** A refused write has found something else than it expected. */
const refusedOf =
  ({ expected }: { expected?: string }) =>
  (state: string) =>
    state === expected ? null : state
