/** A functional unit as task code: fed the task's only input, it keeps what it looks back on as the task's state. */
import { createOp, keepsState, parseNfu } from '@hivemind/nfu'
import type { Context, Run } from './context.ts'

const KEY = 'op'

/** Throws `NfuError` when `code` is no functional unit. */
export function unitOf(code: string): Run {
  const nfu = parseNfu(code)
  return function* (inputs: Record<string, unknown>, _: unknown, context: Context) {
    const op = createOp(nfu, context.state.get(KEY, []) as number[])
    const value = Object.values(inputs)[0]
    const behindBarrier = context.device === '*' && Array.isArray(value)
    const values = behindBarrier ? value.map((item: { value: unknown }) => item.value) : [value]
    const outputs = values.flatMap((each) => op(each))
    if (keepsState(nfu)) context.state.set(KEY, op.state())
    yield* context.device === '*' ? outputs.slice(-1) : outputs
  }
}
