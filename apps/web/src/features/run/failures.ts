/** Failed invocations, grouped by task and error. Pure. */
import type { LogLine, Span } from '../../api/types.ts'

/** A line of a file of the project. */
export interface CodePlace {
  file: string
  /** From 1. */
  line: number
}

/** Failures of one task with the same message. */
export interface Failure {
  task: string
  message: string
  /** The stack trace of the task's code, without the message; empty when there is none. */
  stack: string
  /** Lines of the project's files in the stack, the innermost first. */
  places: CodePlace[]
  count: number
  devices: string[]
  /** The invocation that failed first. */
  first: { device: string; seq: number }
}

const NO_MESSAGE = 'The task failed without an error message.'
/** `at run (tasks/judge.mjs:3:9)`, `at tasks/judge.mjs:3:9`. */
const NODE_FRAME = /^\s+at (?:.*\()?([^\s()]+):(\d+):\d+\)?$/
/** `File "tasks/judge.py", line 3, in run`. */
const PYTHON_FRAME = /^\s*File "([^"]+)", line (\d+)/

/** Lines of files that a stack trace of JavaScript or Python names, the innermost first. */
export function placesIn(stack: string): CodePlace[] {
  const lines = stack.split('\n')
  const found = (frame: RegExp): CodePlace[] =>
    lines.flatMap((line) => {
      const [, file, number] = frame.exec(line) ?? []
      return file === undefined ? [] : [{ file, line: Number(number) }]
    })
  return [...found(NODE_FRAME), ...found(PYTHON_FRAME).reverse()]
}

/**
 * Groups the failures of a run; the `limit` most frequent groups, most frequent first. The stack of a failure is in the line
 * that the run logs of it: the message, and the stack below.
 */
export function failures(spans: readonly Span[], logs: readonly LogLine[] = [], limit = 10): Failure[] {
  const kinds = new Map<string, Failure>()
  for (const { task, status, error, device, seq } of spans) {
    if (status !== 'failed') continue
    const [message = NO_MESSAGE, ...rest] = (error?.trim() || NO_MESSAGE).split('\n')
    const key = `${task}\n${message}`
    const kind = kinds.get(key)
    if (kind) {
      kind.count++
      if (!kind.devices.includes(device)) kind.devices.push(device)
      continue
    }
    const stack = rest.join('\n') || stackOf(task, message, logs)
    const place = { stack, places: placesIn(stack) }
    kinds.set(key, { task, message, ...place, count: 1, devices: [device], first: { device, seq } })
  }
  return [...kinds.values()].sort((a, b) => b.count - a.count).slice(0, limit)
}

function stackOf(task: string, message: string, logs: readonly LogLine[]): string {
  const logged = logs.find(
    ({ level, source, text }) => level === 'error' && source === task && text.startsWith(`${message}\n`),
  )
  if (!logged) return ''
  // A stack of JavaScript begins with the message, one of Python ends with it; it is said already.
  const isSaid = (line: string) => /^\S/.test(line) && message.includes(line.replace(/^\w*Error: /, ''))
  const lines = logged.text.slice(message.length + 1).split('\n')
  return lines
    .filter((line) => !isSaid(line))
    .join('\n')
    .trimEnd()
}
