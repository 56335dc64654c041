/** One invocation of a network function, for who runs it elsewhere than in a task's process: with the meaning it has there. */
import { decodeValue, encodeValue } from '@hivemind/values'
import { State, stateKeyOf } from './host/state.ts'
import { UNIT_STATE_KEY, unitOutputs, unitValues } from './host/unit.ts'
import { isPartitioned } from './host/value.ts'
import type { Emitted, Invocation, RunnerSpec, TaskInput } from './types.ts'

/** What an invocation feeds a unit with, and what becomes of its outputs. */
export class UnitCall {
  readonly values: unknown[]
  /** Which of several states of the task it is about (`state='FIELD'`); absent when there is one. */
  readonly stateKey: string | undefined
  readonly #invocation: Invocation
  readonly #outputType: string | undefined
  readonly #state: State

  /** Throws an `Error` when an input cannot be read, or has no field to keep state by. */
  constructor(invocation: Invocation, { stateful = true, stateField, outputType }: RunnerSpec) {
    const inputs = Object.fromEntries(
      Object.entries(invocation.inputs).map(([name, input]) => [name, readInput(input)]),
    )
    this.#invocation = invocation
    this.#outputType = outputType
    this.values = unitValues(inputs, invocation.context)
    this.stateKey = stateField === undefined ? undefined : stateKeyOf(inputs, stateField)
    this.#state = new State(invocation.state ?? undefined, stateful, this.stateKey)
  }

  /** State of the op before. */
  get state(): number[] {
    return this.#state.api().get(UNIT_STATE_KEY, []) as number[]
  }

  /** Keeps the state of the op afterwards. Gives that of the task. */
  keep(state: readonly number[]): Uint8Array | undefined {
    this.#state.api().set(UNIT_STATE_KEY, [...state])
    return this.#state.changes()
  }

  /** The items that outputs of the op are. */
  items(outputs: unknown[]): Emitted[] {
    const { context, scatterTo } = this.#invocation
    const encoded = (value: unknown) => encodeValue(value, this.#outputType)
    return unitOutputs(outputs, context).map((value) =>
      scatterTo && isPartitioned(value, scatterTo)
        ? {
            value: encoded(value),
            parts: Object.fromEntries(Object.entries(value).map(([name, part]) => [name, encoded(part)])),
          }
        : { value: encoded(value) },
    )
  }
}

function readInput(input: TaskInput): unknown {
  if (input.kind === 'none') return null
  if (input.kind === 'one') return decodeValue(input.value)
  return input.items.map(({ device, seq, value }) => ({ device, seq, value: decodeValue(value) }))
}
