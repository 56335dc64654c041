/** Why invocations failed, grouped so that a thousand failures of one kind read as one. Pure. */
import type { Span } from '../../api/types.ts'

export interface Failure {
  task: string
  /** The first line of the error. */
  title: string
  /** The whole text, with the stack trace of the task's code. */
  text: string
  count: number
  devices: string[]
}

/** The failures of a run, most frequent first, at most `most` kinds. */
export function failures(spans: readonly Span[], most = 10): Failure[] {
  const kinds = new Map<string, Failure>()
  for (const span of spans) {
    if (span.status !== 'failed') continue
    const text = span.error?.trim() || 'It failed without saying why.'
    const title = text.split('\n', 1)[0] ?? text
    const key = `${span.task}\n${title}`
    const kind = kinds.get(key)
    if (!kind) kinds.set(key, { task: span.task, title, text, count: 1, devices: [span.device] })
    else {
      kind.count++
      if (!kind.devices.includes(span.device)) kind.devices.push(span.device)
    }
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count).slice(0, most)
}
