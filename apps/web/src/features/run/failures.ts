/** Failed invocations, grouped by task and error. Pure. */
import type { Span } from '../../api/types.ts'

/** Failures of one task with the same first line of the error. */
export interface Failure {
  task: string
  /** The first line of the error. */
  title: string
  /** The whole error, with the stack trace of the task's code. */
  text: string
  count: number
  devices: string[]
}

/** Groups the failures of a run; the `limit` most frequent groups, most frequent first. */
export function failures(spans: readonly Span[], limit = 10): Failure[] {
  const kinds = new Map<string, Failure>()
  for (const span of spans) {
    if (span.status !== 'failed') continue
    const text = span.error?.trim() || 'The task failed without an error message.'
    const title = text.split('\n', 1)[0] ?? text
    const key = `${span.task}\n${title}`
    const kind = kinds.get(key)
    if (!kind) kinds.set(key, { task: span.task, title, text, count: 1, devices: [span.device] })
    else {
      kind.count++
      if (!kind.devices.includes(span.device)) kind.devices.push(span.device)
    }
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count).slice(0, limit)
}
