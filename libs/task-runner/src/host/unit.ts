/** A functional unit as task code: fed the task's only input, it keeps what it looks back on as the task's state. */
import { createOp, keepsState, parseNfu } from '@hivemind/nfu'
import type { Context, Run } from './context.ts'

/** Under this key the state of a task holds that of its op. */
export const UNIT_STATE_KEY = 'op'

/** Throws `NfuError` when `code` is no functional unit. */
export function unitOf(code: string): Run {
  const nfu = parseNfu(code)
  return function* (inputs: Record<string, unknown>, _: unknown, context: Context) {
    const op = createOp(nfu, context.state.get(UNIT_STATE_KEY, []) as number[])
    const outputs = unitValues(inputs, context).flatMap((each) => op(each))
    if (keepsState(nfu)) context.state.set(UNIT_STATE_KEY, op.state())
    yield* unitOutputs(outputs, context)
  }
}

/** The values that a unit is fed with: its only input, or all that a barrier has collected. */
export function unitValues(inputs: Record<string, unknown>, { device }: { device: string }): unknown[] {
  const value = Object.values(inputs)[0]
  if (device !== '*' || !Array.isArray(value)) return [value]
  return value.map((item: { value: unknown }) => item.value)
}

/** What of its outputs it emits: all, or behind a barrier the last. */
export const unitOutputs = (outputs: unknown[], { device }: { device: string }): unknown[] =>
  device === '*' ? outputs.slice(-1) : outputs
